"""examples/proxies/haproxy.cfg and sluice.lua, run by HAProxy. While Sluice is away, requests pass."""

import unittest

from proxy import Away, Contract


class Haproxy(Contract, unittest.TestCase):
    files = ("haproxy.cfg", "sluice.lua")
    command = ("haproxy", "-db", "-f", "{folder}/haproxy.cfg")
    while_away = 200


class HaproxyThatRefuses(Away, unittest.TestCase):
    """With the two changes that the file speaks of."""

    files, command = Haproxy.files, Haproxy.command
    edits = {"decision pass if": "decision refuse if", "  #   http-request deny": "  http-request deny"}
    while_away = 503
    while_stuck = (503,)


if __name__ == "__main__":
    unittest.main()
