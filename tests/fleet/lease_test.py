"""Tokens taken in advance: what is not needed comes back, what dies with a server is lost, nothing is granted twice."""

import time
import unittest

from asks import by_rules, rule, rules, SLOW
from fleet import decide, die, fleet, PATIENT, report, seconds, STORE_FAULTS
from hammer import Hammer, Tally
from laws import BURST, Laws, RATE
from redis_server import PERSISTENT, RedisServer
from server import until

TTL_MS = 300
FIXED = {"tokens": 20, "ttl_ms": TTL_MS}
# What is left of a lease is returned when its time is over; the other half is for a busy machine.
RETURNED_S = 3


class Leases(Laws):
    def setUp(self):
        self.redis = self.enterContext(RedisServer(**PERSISTENT))

    def leased(self, rate, burst, lease, count, arguments=PATIENT):
        given = rules(rule(rate, burst, lease=lease, on_store_failure="deny"))
        return fleet(self.redis.url(), given, count, arguments, STORE_FAULTS)

    def remaining(self, server):
        """In whole tokens: what a lease was worth when it came back may be a millionth less than it was."""
        return round(decide(server, by_rules(path="/v1/peek"))[1]["remaining"], 3)

    def test_redis_is_asked_once_for_many(self):
        with self.leased(SLOW, 1000, {"tokens": 100, "ttl_ms": 60000}, 1) as (server,):
            before = self.redis.calls("evalsha", "eval", "fcall")
            self.assertEqual({decide(server, by_rules())[0] for _ in range(100)}, {200})
            asked = self.redis.calls("evalsha", "eval", "fcall") - before
            report("questions to Redis for 100 requests", asked)
            self.assertLess(asked, 20)

    def test_what_is_left_comes_back_when_its_time_is_over(self):
        with self.leased(SLOW, BURST, FIXED, 2) as (one, other):
            for _ in range(3):
                self.assertEqual(decide(one, by_rules())[0], 200)
            until(lambda: self.remaining(other) == BURST - 3, "the rest of the lease", RETURNED_S)

    def test_what_is_left_comes_back_at_shutdown(self):
        with self.leased(SLOW, BURST, {"tokens": 50, "ttl_ms": 600000}, 2) as (one, other):
            self.assertEqual(decide(one, by_rules())[0], 200)
            one.end()
            self.assertEqual(one.process.returncode, 0)
            until(lambda: self.remaining(other) == BURST - 1, "the rest of the lease", RETURNED_S)

    def test_the_last_tokens_are_given_to_whoever_asks(self):
        """Leases lie here and there, but not for ever: in the end all that the bucket has is admitted, and no more."""
        with self.leased(SLOW, BURST, FIXED, 5) as servers:
            with Hammer(servers, by_rules(), pause=0.005) as hammer:
                until(lambda: hammer.tally().admitted >= BURST, "every token of the bucket")
                hammer.for_seconds(0.5)
            self.assertEqual(hammer.tally().admitted, BURST)

    def test_a_server_that_dies_takes_its_leases_with_it(self):
        with self.leased(RATE, BURST, "auto", 5) as servers:
            with Hammer(servers[:4], by_rules()) as survivors:
                with Hammer(servers[4:], by_rules()) as victim:
                    victim.for_seconds(seconds(1, 3))
                die(servers[4])
                survivors.for_seconds(seconds(1.5, 7))
            tally = Tally(survivors.tally().answers + victim.tally().answers)
            self.hold(tally)

    def test_a_redis_that_is_killed_and_remembers_grants_no_lease_twice(self):
        with self.leased(RATE, BURST, "auto", 3, ()) as servers, self.hammering(servers) as hammer:
            for _ in range(seconds(1, 5)):
                hammer.for_seconds(0.7)
                self.redis.restart()
                self.recover(hammer, time.time())
            hammer.for_seconds(0.5)
        self.hold(hammer.tally())


if __name__ == "__main__":
    unittest.main()
