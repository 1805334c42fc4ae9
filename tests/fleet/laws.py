"""What must hold of a fleet, whatever happens to its Redis; the tests of faults are derived from it."""

import time
import unittest

from asks import by_rules, rule, rules
from fleet import fleet, report, STORE_FAULTS
from hammer import Hammer

# More than a second's worth of tokens is not there at once, so that a pause of the whole machine loses none.
RATE = 200
BURST = 200
# redis.timeout, as it is by default.
TIMEOUT_S = 0.02
# What a machine that is busy with other things may add, for one answer in a hundred and for the slowest of all. A fault
# that makes requests wait for something other than the time-out takes seconds.
BUSY_P99_S = 0.15
BUSY_MAX_S = 1.0
RECOVERY_S = 3


class Laws(unittest.TestCase):
    """Rules deny without the store, so that whatever passes, passed by the bucket."""

    rules = rules(rule(RATE, BURST, on_store_failure="deny"))

    def fleet(self, url, count=3, given=None, **options):
        return fleet(url, given or self.rules, count, expects=STORE_FAULTS, **options)

    def hammering(self, servers, ask=None, **options):
        """Gently enough that it is not the clients who are slow, and still for more than the bucket gives."""
        return Hammer(servers, ask or by_rules(), **{"clients_each": 2, "pause": 0.004, **options})

    def hold(self, tally, lost=0):
        """Nothing was admitted beyond the bucket, nobody hung, and what passed without the store was none."""
        report(self.id().rpartition(".")[2], f"{tally}; ceiling {tally.ceiling(RATE, BURST)}")
        self.hold_cap(tally, lost)
        self.assertFalse([answer for answer in tally.answers if answer.allowed and answer.degraded])
        self.hold_pace(tally)

    def hold_cap(self, tally, lost=0):
        """`lost` is what Redis itself has forgotten, and so granted twice."""
        beyond = tally.admitted - tally.ceiling(RATE, BURST)
        if lost:
            report("granted twice, since Redis forgot", f"{max(0, beyond)} of at most {lost}")
        self.assertLessEqual(beyond, lost)

    def hold_pace(self, tally):
        self.assertLess(tally.latency(0.99), TIMEOUT_S + BUSY_P99_S, str(tally))
        self.assertLess(tally.latency(1), TIMEOUT_S + BUSY_MAX_S, str(tally))

    def recover(self, hammer, since):
        """Every server decides by the store again, soon after Redis was back. Waits no longer than it takes."""
        while time.time() < since + RECOVERY_S and not self.has_recovered(hammer, since):
            hammer.for_seconds(0.05)
        took = hammer.tally().recovery(since)
        report("recovered after", f"{took:.2f} s")
        self.assertLess(took, RECOVERY_S)

    def has_recovered(self, hammer, since):
        sound = {answer.server for answer in hammer.tally().answers if answer.sent >= since and not answer.degraded}
        return len(sound) == len(hammer.servers)
