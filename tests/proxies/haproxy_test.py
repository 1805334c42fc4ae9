"""examples/proxies/haproxy.cfg and sluice.lua, run by HAProxy. While Sluice is away, requests pass."""

import unittest

from proxy import Contract


class Haproxy(Contract, unittest.TestCase):
    files = ("haproxy.cfg", "sluice.lua")
    command = ("haproxy", "-db", "-f", "{folder}/haproxy.cfg")
    while_away = 200


if __name__ == "__main__":
    unittest.main()
