"""A key that was rejected is rejected without asking Redis, until it may pass again, and never longer."""

import time
import unittest

from asks import by_rules, KEY, rule, rules, SLOW
from fleet import decide, fleet, PATIENT, report
from redis_server import RedisServer
from server import until
from wire import ask_resp

BURST = 5
MANY = 100
SCRIPTS = ("evalsha", "eval", "fcall")
SOON_S = 0.1
# A machine that is busy may make one of several late, but not most.
TIMES = 5
BUSY_S = 2


class DenyCache(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = cls.enterClassContext(RedisServer())

    def setUp(self):
        self.redis.ask("FLUSHALL")

    def fleet(self, rate=SLOW, burst=BURST, count=2, arguments=()):
        return fleet(self.redis.url(), rules(rule(rate, burst)), count, (*PATIENT, *arguments))

    def drain(self, server):
        until(lambda: decide(server, by_rules())[0] == 429, "a rejection")

    def calls_during(self, act):
        before = self.redis.calls(*SCRIPTS)
        act()
        return self.redis.calls(*SCRIPTS) - before

    def ask_many(self, server):
        self.assertEqual({decide(server, by_rules())[0] for _ in range(MANY)}, {429})

    def test_redis_is_not_asked_for_a_key_that_it_rejected(self):
        with self.fleet() as servers:
            for server in servers:
                self.drain(server)
                # What it knows is forgotten once more when news begin to come.
                until(lambda asked=server: self.calls_during(lambda: decide(asked, by_rules())) == 0, "a rejection from memory")
                self.assertEqual(self.calls_during(lambda asked=server: self.ask_many(asked)), 0)

    def test_redis_is_asked_each_time_where_that_is_wanted(self):
        with self.fleet(arguments=("--redis-deny-cache=false",)) as servers:
            self.drain(servers[0])
            self.assertGreaterEqual(self.calls_during(lambda: self.ask_many(servers[0])), MANY)

    def test_another_key_is_asked_for(self):
        with self.fleet() as servers:
            self.drain(servers[0])
            self.assertEqual(decide(servers[0], by_rules("another"))[0], 200)

    def test_who_asks_for_less_may_pass(self):
        with self.fleet() as servers:
            self.assertEqual(decide(servers[0], by_rules(cost=BURST - 1))[0], 200)
            self.assertEqual([decide(servers[0], by_rules(cost=2))[0] for _ in range(3)], [429] * 3)
            self.assertEqual(decide(servers[0], by_rules(cost=1))[0], 200)

    def until_it_passes(self, server, undo):
        """How long after `undo` a key passes that this server knows as rejected."""
        self.drain(server)
        undo()
        start = time.monotonic()
        until(lambda: decide(server, by_rules())[0] == 200, "a token that was given back", BUSY_S)
        return time.monotonic() - start

    def must_pass_soon(self, what, undo):
        with self.fleet() as servers:
            took = sorted(self.until_it_passes(servers[0], lambda: undo(servers[1])) for _ in range(TIMES))
            report(what, f"{took[TIMES // 2] * 1000:.1f} ms, at most {took[-1] * 1000:.1f} ms")
            self.assertLess(took[TIMES // 2], SOON_S, took)

    def test_a_refund_through_another_server_is_known_at_once(self):
        def refund(server):
            self.assertEqual(decide(server, by_rules(path="/v1/refund"))[1], {"refunded": True})
        self.must_pass_soon("a refund elsewhere lets a rejected key pass after", refund)

    def test_a_reset_through_another_server_is_known_at_once(self):
        def reset(server):
            self.assertEqual(ask_resp(server.resp, "SLUICE.RESET", "ATTR", "user_id", KEY), "OK")
        self.must_pass_soon("a reset elsewhere lets a rejected key pass after", reset)

    def test_who_waits_as_long_as_told_passes(self):
        with self.fleet(rate=10, burst=1, count=1) as (server,):
            for _ in range(10):
                status, said = decide(server, by_rules())
                if status == 200:
                    status, said = decide(server, by_rules())
                self.assertEqual(status, 429)
                # What Redis's clock counts from is the rejection, before the answer came here.
                time.sleep(said["retry_after_ms"] / 1000)
                self.assertEqual(decide(server, by_rules())[0], 200)

    def test_a_rate_that_was_raised_is_asked_for(self):
        with self.fleet(count=1) as (server,):
            self.drain(server)
            text = server.rules.read_text()
            server.rules.write_text(text.replace(f'"burst": {BURST}', f'"burst": {BURST + 3}'))
            until(lambda: decide(server, by_rules())[0] == 200, "the new rule")


if __name__ == "__main__":
    unittest.main()
