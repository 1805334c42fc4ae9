"""While Redis is away each rule says what to do; everybody is told, and nobody waits for it."""

import time
import unittest

from asks import by_key, by_rules, HttpAsk, rule, rules, SLOW
from fleet import decide, fleet, metrics, PATIENT, readiness, report, STORE_FAULTS, total
from redis_server import RedisServer
from server import until
from wire import ask_resp

MANY = 200
BURST = 10
# As soon as Redis is back all must be well within that time.
RECOVERY_S = 3


class Away(unittest.TestCase):
    def setUp(self):
        self.redis = self.enterContext(RedisServer())

    def fleet(self, on_store_failure, count=1, arguments=(), rate=SLOW):
        given = rules(rule(rate, BURST, on_store_failure=on_store_failure))
        return fleet(self.redis.url(), given, count, arguments, STORE_FAULTS)

    def ask_many(self, server, ask=None):
        """What each said, one after another; after the first ones nobody waits for Redis."""
        start = time.monotonic()
        said = [decide(server, ask or by_rules()) for _ in range(MANY)]
        took = time.monotonic() - start
        report(f"{MANY} requests without Redis", f"{took * 1000 / MANY:.2f} ms each")
        self.assertLess(took, 2)
        return said

    def must_be_told(self, server, count):
        """In the decisions of `count` requests, and everywhere else."""
        self.assertGreaterEqual(total(server, "sluice_degraded_decisions_total"), count)
        self.assertEqual(metrics(server)["sluice_store_up"], 0)
        self.assertEqual(readiness(server)["status"], "degraded")
        until(lambda: [message for message in server.messages("error") if message.startswith(STORE_FAULTS)], "the log")
        loud = server.messages("warn") + server.messages("error")
        self.assertLess(len(loud), 20, loud)

    def must_recover(self, server):
        until(lambda: "degraded" not in decide(server, by_rules())[1], "a decision of the store", RECOVERY_S)
        until(lambda: metrics(server)["sluice_store_up"] == 1, "the metric")
        until(lambda: readiness(server)["status"] == "ready", "readiness")

    def test_all_is_well_while_redis_is_there(self):
        with self.fleet("deny", arguments=PATIENT) as (server,):
            status, said = decide(server, by_rules())
            self.assertEqual((status, said["remaining"]), (200, BURST - 1))
            self.assertNotIn("degraded", said)
            self.assertEqual((metrics(server)["sluice_store_up"], readiness(server)["status"]), (1, "ready"))
            self.assertEqual(total(server, "sluice_degraded_decisions_total"), 0)

    def test_allow_lets_all_pass(self):
        with self.fleet("allow") as (server,):
            self.redis.kill9()
            said = self.ask_many(server)
            self.assertEqual({status for status, _ in said}, {200})
            self.assertTrue(all(body["allowed"] and body["degraded"] for _, body in said))
            self.must_be_told(server, MANY)
            self.redis.start()
            self.must_recover(server)

    def test_deny_lets_none_pass_and_says_that_it_is_not_the_callers_fault(self):
        with self.fleet("deny") as (server,):
            self.redis.kill9()
            said = self.ask_many(server)
            self.assertEqual({status for status, _ in said}, {503})
            self.assertTrue(all(body["degraded"] and body["reason"] == "store_unavailable" for _, body in said))
            self.must_be_told(server, MANY)
            self.redis.start()
            self.must_recover(server)

    def test_a_redis_that_is_full_is_as_one_that_is_away(self):
        with self.fleet("deny") as (server,):
            self.redis.ask("CONFIG", "SET", "maxmemory", "1")
            said = self.ask_many(server)
            self.assertEqual({status for status, _ in said}, {503})
            self.must_be_told(server, MANY)
            self.assertIn("OOM", readiness(server)["checks"]["store"]["away"])
            self.redis.ask("CONFIG", "SET", "maxmemory", "0")
            self.must_recover(server)

    def test_a_redis_that_does_not_let_us_have_the_buckets_is_as_one_that_is_away(self):
        with self.fleet("deny", arguments=PATIENT) as (server,):
            self.redis.ask("ACL", "SETUSER", "default", "resetkeys", "~elsewhere*")
            said = self.ask_many(server)
            self.assertEqual({status for status, _ in said}, {503})
            self.must_be_told(server, MANY)
            self.assertIn("the server says NOPERM", readiness(server)["checks"]["store"]["away"])
            until(lambda: [line for line in server.raw if "the server says NOPERM" in line], "the log")
            self.redis.ask("ACL", "SETUSER", "default", "~*")
            self.must_recover(server)

    def test_a_bucket_that_cannot_be_read_is_counted_and_named_and_troubles_no_other(self):
        given = rules(rule(SLOW, BURST, on_store_failure="deny"))
        told = "a bucket cannot be read"
        with fleet(self.redis.url(), given, 1, PATIENT, [told]) as (server,):
            decide(server, by_rules("someone"))
            name, = (key for key in self.redis.ask("KEYS", "*") if "someone" in key)
            self.redis.ask("SET", name, "x")
            status, said = decide(server, by_rules("someone"))
            self.assertEqual((status, said["degraded"]), (503, True))
            self.assertNotIn("degraded", decide(server, by_rules("another"))[1])
            self.assertEqual(metrics(server)["sluice_store_unreadable_total"], 1)
            self.assertEqual(readiness(server)["status"], "ready")
            until(lambda: [message for message in server.messages("error") if message.startswith(told)], "the log")

    def test_local_limits_by_what_each_server_knows(self):
        # A rate that can be divided: there is none below SLOW.
        with self.fleet("local", 2, rate=10 * SLOW) as servers:
            for server in servers:
                self.assertEqual(decide(server, by_rules("someone"))[0], 200)
            # They are counted every second.
            for server in servers:
                until(lambda asked=server: metrics(asked)["sluice_store_servers"] == 2, "both to be counted")
            self.redis.kill9()
            for server in servers:
                said = self.ask_many(server)
                self.assertTrue(all(body["degraded"] for _, body in said))
                admitted = sum(status == 200 for status, _ in said)
                report("admitted by one of two servers on its own", f"{admitted} of {BURST}")
                self.assertEqual(admitted, BURST // 2)
                self.assertEqual({status for status, _ in said[BURST // 2:]}, {429})
                self.must_be_told(server, MANY)
            self.redis.start()
            for server in servers:
                self.must_recover(server)

    def test_a_redis_that_is_silent_is_not_waited_for_again_and_again(self):
        with self.fleet("deny") as (server,):
            decide(server, by_rules())
            self.redis.pause()
            self.assertEqual({status for status, _ in self.ask_many(server)}, {503})
            self.must_be_told(server, MANY)
            self.redis.resume()
            self.must_recover(server)

    def test_buckets_that_callers_name_pass_and_it_is_said(self):
        with self.fleet("deny") as (server,):
            self.redis.kill9()
            said = self.ask_many(server, by_key(SLOW, 1))
            self.assertTrue(all(body["allowed"] and body["degraded"] for _, body in said))
            self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 4, 1, 1000000)[0], 0)
            self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 4, 1, 1000000, 0)[0], 0)
            # What can never pass does not, whoever is away.
            self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 4, 1, 1000000, 9)[:4], [1, 5, 0, -1])
            status, said = decide(server, by_rules(cost=BURST + 1))
            self.assertEqual((status, said["reason"]), (429, "cost_exceeds_capacity"))
            status, said = decide(server, HttpAsk({"key": "k", "rate": 1, "burst": 5, "cost": 9}))
            self.assertEqual((status, said["reason"], said["retry_after_ms"]), (429, "cost_exceeds_capacity", None))

    def test_a_server_that_starts_before_its_redis_serves_and_finds_it_later(self):
        self.redis.kill9()
        with self.fleet("deny") as (server,):
            self.assertEqual(decide(server, by_rules())[0], 503)
            self.must_be_told(server, 1)
            self.assertNotIn("the store is there", server.messages("info"))
            self.redis.start()
            self.must_recover(server)
            self.assertEqual(decide(server, by_rules("another"))[0], 200)
            until(lambda: "the store is there" in server.messages("info"), "the log")

    def test_a_server_that_starts_while_its_redis_is_silent_does_not_say_that_it_is_there(self):
        self.redis.pause()
        with self.fleet("deny") as (server,):
            self.assertEqual(decide(server, by_rules())[0], 503)
            self.must_be_told(server, 1)
            self.assertNotIn("the store is there", server.messages("info"))
            self.redis.resume()
            self.must_recover(server)

    def test_a_refund_that_nobody_can_book_is_refused(self):
        with self.fleet("deny") as (server,):
            self.redis.kill9()
            self.assertEqual(decide(server, by_rules(path="/v1/refund"))[0], 503)


if __name__ == "__main__":
    unittest.main()
