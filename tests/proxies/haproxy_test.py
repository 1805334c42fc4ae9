"""examples/proxies/haproxy.cfg and sluice.lua, run by HAProxy. While Sluice is away, requests pass."""

import unittest

from proxy import Away, Contract, Started, ask


class Haproxy(Contract, unittest.TestCase):
    files = ("haproxy.cfg", "sluice.lua")
    command = ("haproxy", "-db", "-f", "{folder}/haproxy.cfg")
    while_away = 200

    def test_many_fields_do_not_get_around_a_limit(self):
        for _ in range(5):
            ask(self.port, "/api/orders")
        for count in (10, 50, 70, 93, 94, 95):
            answer = ask(self.port, "/api/orders", headers={f"X-{i}": "x" for i in range(count)})
            self.assertEqual(answer.status, 429 if count <= 50 else 431, count)


class HaproxyBesideASluiceThatTakesLess(Started, unittest.TestCase):
    files, command = Haproxy.files, Haproxy.command
    arguments = ("--http-max-header-bytes", "4096")

    def test_a_request_that_sluice_does_not_take_does_not_get_around_a_limit(self):
        answer = ask(self.port, "/api/orders", headers={"X-Original-Length": "x" * 5_000})
        self.assertEqual((answer.status, answer.fields["Content-Type"]), (431, "application/problem+json"))


class HaproxyThatRefuses(Away, unittest.TestCase):
    """With the two changes that the file speaks of."""

    files, command = Haproxy.files, Haproxy.command
    edits = {"decision pass if": "decision refuse if", "  #   http-request deny": "  http-request deny"}
    while_away = 503
    while_stuck = (503,)


if __name__ == "__main__":
    unittest.main()
