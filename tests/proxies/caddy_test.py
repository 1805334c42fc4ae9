"""examples/proxies/Caddyfile, run by Caddy. While Sluice is away, requests are refused."""

import unittest

from proxy import App, Contract, Started, ask


class Caddy(Contract, unittest.TestCase):
    files = ("Caddyfile",)
    command = ("caddy", "run", "--adapter", "caddyfile", "--config", "{folder}/Caddyfile")
    while_away = 502
    while_stuck = (502, 504)


class CaddyBesideOtherHeaders(Started, unittest.TestCase):
    files, command = Caddy.files, Caddy.command
    more_rules = "headers: [ietf]\n"

    def test_requests_reach_the_app_whatever_sluice_tells(self):
        answer = ask(self.port, "/api/orders")
        self.assertEqual((answer.status, answer.body), (200, b"the app\n"))
        self.assertEqual(len(App.seen), 1)


if __name__ == "__main__":
    unittest.main()
