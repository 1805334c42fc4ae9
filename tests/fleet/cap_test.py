"""Five servers and one bucket: together they admit what the bucket grants, no more, and hardly less."""

import unittest

from asks import by_key, by_rules, rule, rules, Throttle
from fleet import fleet, PATIENT, report, seconds
from hammer import Hammer, Tally
from redis_server import RedisServer

RATE = 400
BURST = 400
FOR_S = seconds(2.5, 10)
# Of what a bucket can have granted, so much at least must have been admitted while everybody asked all the time.
EXACT_SHARE = 0.95
# Leases lie with servers that do not need them while others do.
LEASED_SHARE = 0.8


class Cap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = cls.enterClassContext(RedisServer())

    def setUp(self):
        self.redis.ask("FLUSHALL")

    def fleet(self, given=None, url=None):
        return fleet(url or self.redis.url(), given, arguments=("--loops", "2", *PATIENT))

    def hold(self, tally, share):
        ceiling = tally.ceiling(RATE, BURST)
        report(self.id().rpartition(".")[2], f"{tally}; {tally.admitted / ceiling:.1%} of {ceiling}")
        self.assertEqual(tally.degraded, 0)
        self.assertLessEqual(tally.admitted, ceiling)
        self.assertGreaterEqual(tally.admitted, share * ceiling)

    def hammer(self, servers, ask, share=EXACT_SHARE):
        with Hammer(servers, ask) as hammer:
            hammer.for_seconds(FOR_S)
        self.hold(hammer.tally(), share)

    def test_by_the_rules(self):
        with self.fleet(rules(rule(RATE, BURST))) as servers:
            self.hammer(servers, by_rules())

    def test_over_a_local_socket(self):
        with self.fleet(rules(rule(RATE, BURST)), self.redis.unix_url) as servers:
            self.hammer(servers, by_rules())

    def test_by_cl_throttle_pipelined(self):
        with self.fleet() as servers, Hammer(servers, Throttle(RATE, BURST), at_once=10, pause=0.01) as hammer:
            hammer.for_seconds(FOR_S)
        self.hold(hammer.tally(), EXACT_SHARE)

    def test_over_both_doors_at_once(self):
        with self.fleet() as servers:
            with Hammer(servers, Throttle(RATE, BURST), 1) as resp, Hammer(servers, by_key(RATE, BURST), 1) as http:
                http.for_seconds(FOR_S)
        self.hold(Tally(resp.tally().answers + http.tally().answers), EXACT_SHARE)
        self.assertGreater(min(resp.tally().admitted, http.tally().admitted), 0)

    def test_with_leases_sized_by_demand(self):
        with self.fleet(rules(rule(RATE, BURST, lease="auto"))) as servers:
            self.hammer(servers, by_rules(), LEASED_SHARE)

    def test_with_leases_of_a_fixed_size(self):
        with self.fleet(rules(rule(RATE, BURST, lease={"tokens": 10, "ttl_ms": 500}))) as servers:
            self.hammer(servers, by_rules(), LEASED_SHARE)


if __name__ == "__main__":
    unittest.main()
