"""What the other tests rest on: a hammer asks without pause, counts right, and servers with wrong clocks have them."""

import datetime
import os
import time
import unittest

from asks import SLOW, by_key, by_rules, rule, rules, Throttle
from fleet import decide, fleet
from hammer import Answer, Hammer, Tally

MEMORY = "memory"
BURST = 200


class HammerOfATest(unittest.TestCase):
    def test_it_counts_what_one_server_admits_over_every_door(self):
        with fleet(MEMORY, rules(rule(SLOW, BURST)), count=1) as servers:
            for ask in (by_rules(), by_key(SLOW, BURST), Throttle(1, BURST, "slow")):
                with self.subTest(ask=ask), Hammer(servers, ask, clients_each=4, at_once=5) as hammer:
                    hammer.goes_on(100)
                tally = hammer.tally()
                rate = 1 if isinstance(ask, Throttle) else 0
                self.assertGreaterEqual(tally.admitted, BURST)
                self.assertLessEqual(tally.admitted, tally.ceiling(rate, BURST))
                self.assertGreaterEqual(len(tally.answers), 400)

    def test_servers_that_share_nothing_admit_too_much_and_it_shows(self):
        with fleet(MEMORY, rules(rule(SLOW, BURST)), count=3) as servers:
            with Hammer(servers, by_rules(), at_once=5) as hammer:
                hammer.goes_on(BURST)
            self.assertEqual(hammer.tally().admitted, 3 * BURST)

    def test_it_tells_who_recovered_when_and_how_long_answers_took(self):
        answers = [Answer(0, 1.0, 1.1, True, False), Answer(1, 1.0, 1.2, False, True), Answer(0, 2.0, 2.1, True, False),
                   Answer(1, 2.0, 2.1, True, True), Answer(1, 3.0, 3.5, False, False)]
        tally = Tally(answers)
        self.assertEqual((tally.admitted, tally.degraded, tally.seconds), (2, 2, 2.5))
        self.assertEqual(tally.ceiling(10, 5), 30)
        self.assertAlmostEqual(tally.recovery(2.0), 1.5)
        self.assertAlmostEqual(tally.latency(1), 0.5)
        self.assertAlmostEqual(tally.latency(0.5), 0.1)
        with self.assertRaisesRegex(AssertionError, r"servers \[0\]"):
            tally.recovery(2.5)

    def test_a_server_that_dies_fails_the_test(self):
        with fleet(MEMORY, count=1) as servers:
            with self.assertRaisesRegex(AssertionError, "a client failed"), Hammer(servers, by_key(1, 1)) as hammer:
                servers[0].end()
                hammer.goes_on()

    @unittest.skipIf(os.environ.get("SLUICE_SANITIZE"), "a sanitizer and faketime both want to be loaded first")
    def test_clocks_are_off_as_far_as_they_should_be(self):
        with fleet(MEMORY, count=3, clocks=("+1h", "-1h")) as servers:
            for server, hours in zip(servers, (1, -1, 0)):
                status, _ = decide(server, by_key(1, 5))
                self.assertEqual(status, 200)
                told = datetime.datetime.fromisoformat(server.lines[0]["time"].replace("Z", "+00:00")).timestamp()
                self.assertAlmostEqual(told - time.time(), 3600 * hours, delta=60)


if __name__ == "__main__":
    unittest.main()
