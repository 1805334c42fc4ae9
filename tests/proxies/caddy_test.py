"""examples/proxies/Caddyfile, run by Caddy. While Sluice is away, requests are refused."""

import unittest

from proxy import Contract


class Caddy(Contract, unittest.TestCase):
    files = ("Caddyfile",)
    command = ("caddy", "run", "--adapter", "caddyfile", "--config", "{folder}/Caddyfile")
    while_away = 502
    while_stuck = (502, 504)


if __name__ == "__main__":
    unittest.main()
