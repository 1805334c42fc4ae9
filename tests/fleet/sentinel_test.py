"""Sentinel makes another Redis the master under load: servers follow, and no more is lost than Redis itself loses."""

import time
import unittest

from fleet import IS_LONG, seconds
from laws import Laws
from sentinel_trio import SentinelTrio

TIMES = seconds(1, 4)
# A master acknowledges before its replicas have it: what it did last may be forgotten with it, and be granted again.
LAST_S = 0.5


class SentinelFailover(Laws):
    def setUp(self):
        self.trio = self.enterContext(SentinelTrio())

    def admitted_just_before(self, hammer, instant):
        return sum(answer.allowed and instant - LAST_S <= answer.received <= instant + LAST_S
                   for answer in hammer.tally().answers)

    def test_a_master_is_killed(self):
        with self.fleet(self.trio.url) as servers, self.hammering(servers) as hammer:
            lost = 0
            for _ in range(TIMES):
                hammer.for_seconds(0.5)
                killed = time.time()
                old = self.trio.kill_master()
                self.trio.wait_for_new_master(old)
                self.recover(hammer, time.time())
                lost += self.admitted_just_before(hammer, killed)
                self.trio.come_back(old)
            hammer.for_seconds(0.5)
        self.hold(hammer.tally(), lost)

    @unittest.skipUnless(IS_LONG, "long")
    def test_a_master_is_cut_off_and_comes_back_as_if_nothing_had_happened(self):
        with self.fleet(self.trio.url) as servers, self.hammering(servers) as hammer:
            hammer.for_seconds(0.5)
            cut_off = time.time()
            old = self.trio.master
            old.pause()
            self.trio.wait_for_new_master(old)
            self.recover(hammer, time.time())
            lost = self.admitted_just_before(hammer, cut_off)
            old.resume()
            hammer.for_seconds(3)
        self.hold(hammer.tally(), lost)

    @unittest.skipUnless(IS_LONG, "long")
    def test_an_old_master_that_takes_itself_for_one_still_is_not_asked(self):
        with self.fleet(self.trio.url) as servers, self.hammering(servers) as hammer:
            killed = time.time()
            old = self.trio.kill_master()
            self.trio.wait_for_new_master(old)
            self.recover(hammer, time.time())
            lost = self.admitted_just_before(hammer, killed)
            self.trio.come_back(old, as_master=True)
            hammer.for_seconds(1)
        self.hold(hammer.tally(), lost)

    @unittest.skipUnless(IS_LONG, "long")
    def test_sentinels_that_are_away_are_not_missed_until_they_are_needed(self):
        for sentinel in self.trio.sentinels[:2]:
            sentinel.pause()
        with self.fleet(self.trio.url) as servers, self.hammering(servers) as hammer:
            hammer.for_seconds(2)
            self.assertTrue(self.has_recovered(hammer, time.time() - 1))
        self.hold(hammer.tally())


if __name__ == "__main__":
    unittest.main()
