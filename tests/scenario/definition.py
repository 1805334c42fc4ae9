"""The algorithms as they are defined, in exact fractions: no rounding, no bounds, no cleverness.

Times are fractions of microseconds, tokens fractions of tokens. It shares nothing with the engine, so that the
scenario files are held to the definition and not to what the engine happens to print.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

MICROS = 1_000_000


@dataclass(frozen=True)
class Limit:
    algorithm: str
    capacity: Fraction
    rate: Fraction = Fraction(0)  # tokens per microsecond
    window: Fraction = Fraction(0)


@dataclass
class Answer:
    allowed: bool
    remaining: Fraction  # after the take if allowed, else as it stands
    retry_after: Fraction | None = Fraction(0)  # None: never
    delay: Fraction = Fraction(0)
    reason: str | None = None


def rejection(limit, cost, remaining, wait):
    if cost > limit.capacity:
        return Answer(False, max(remaining, Fraction(0)), None, reason="cost_exceeds_capacity")
    return Answer(False, max(remaining, Fraction(0)), wait, reason="limited")


@dataclass
class LeakingBucket:
    """Token bucket, leaky bucket and leaky queue: what was spent comes back at the rate."""

    spent: Fraction = Fraction(0)
    since: Fraction = Fraction(0)
    limit: Limit | None = None

    def look(self, limit, now):
        """What is spent at `now`, and from when on it comes back."""
        if self.spent == 0:
            return Fraction(0), now
        time = max(now, self.since)
        rate = self.limit.rate  # a changed limit takes over what was spent until then
        return max(Fraction(0), self.spent - rate * (time - self.since)), time

    def put(self, limit, spent, time):
        self.spent, self.since, self.limit = spent, time, limit

    def take(self, limit, cost, now, keep):
        spent, time = self.look(limit, now)
        left = limit.capacity - spent
        if cost > left:
            if keep and self.limit not in (None, limit):
                self.put(limit, spent, time)
            return rejection(limit, cost, left, (cost - left) / limit.rate + time - now)
        if keep:
            self.put(limit, spent + cost, time)
        delay = spent / limit.rate + time - now if limit.algorithm == "leaky_queue" and spent > 0 else Fraction(0)
        return Answer(True, left - cost, delay=delay)

    def refund(self, limit, cost, now):
        spent, time = self.look(limit, now)
        self.put(limit, max(Fraction(0), spent - cost), time)

    def reset_after(self, limit, now):
        spent, time = self.look(limit, now)
        return spent / limit.rate + time - now if spent > 0 else Fraction(0)


@dataclass
class FixedWindow:
    spent: Fraction = Fraction(0)
    start: Fraction = Fraction(0)
    window: Fraction | None = None

    def look(self, limit, now):
        start = now // limit.window * limit.window
        if self.spent == 0:
            return Fraction(0), start
        if self.window != limit.window:
            return (self.spent if now < self.start + self.window else Fraction(0)), start
        return (self.spent, self.start) if self.start >= start else (Fraction(0), start)

    def take(self, limit, cost, now, keep):
        spent, start = self.look(limit, now)
        left = limit.capacity - spent
        if cost > left:
            if keep:
                self.spent, self.start, self.window = spent, start, limit.window
            return rejection(limit, cost, left, start + limit.window - now)
        if keep:
            self.spent, self.start, self.window = spent + cost, start, limit.window
        return Answer(True, left - cost)

    def refund(self, limit, cost, now):
        spent, start = self.look(limit, now)
        self.spent, self.start, self.window = max(Fraction(0), spent - cost), start, limit.window

    def reset_after(self, limit, now):
        spent, start = self.look(limit, now)
        return start + limit.window - now if spent > 0 else Fraction(0)


@dataclass
class SlidingWindowLog:
    admissions: list = field(default_factory=list)  # (time, cost), oldest first
    window: Fraction | None = None

    def time(self, now):
        return max([now] + [at for at, _ in self.admissions])

    # What has left its own window does not come back into a longer one (law 8).
    def in_sight(self, limit, now):
        window = limit.window if self.window is None else min(limit.window, self.window)
        return [(at, cost) for at, cost in self.admissions if self.time(now) - at < window]

    def take(self, limit, cost, now, keep):
        seen = self.in_sight(limit, now)
        left = limit.capacity - sum(c for _, c in seen)
        if cost > left:
            # A shorter window that does not admit forgets nothing of what a longer one counts.
            if keep and (self.window is None or self.window < limit.window):
                self.admissions, self.window = seen, limit.window
            return rejection(limit, cost, left, self.wait(limit, seen, cost - left) - now)
        if keep:
            self.admissions, self.window = seen + [(self.time(now), cost)], limit.window
        return Answer(True, left - cost)

    @staticmethod
    def wait(limit, seen, missing):
        for at, cost in seen:
            missing -= cost
            if missing <= 0:
                return at + limit.window
        return Fraction(0)  # more than the capacity: never, and rejection() says so

    def refund(self, limit, cost, now):
        kept = []
        for at, taken in reversed(self.in_sight(limit, now)):
            back = min(taken, cost)
            cost -= back
            if taken > back:
                kept.insert(0, (at, taken - back))
        self.admissions, self.window = kept, limit.window

    def reset_after(self, limit, now):
        seen = self.in_sight(limit, now)
        return seen[-1][0] + limit.window - now if seen else Fraction(0)


@dataclass
class SlidingWindowCounter:
    current: Fraction = Fraction(0)
    previous: Fraction = Fraction(0)
    start: Fraction = Fraction(0)
    window: Fraction | None = None

    def rolled(self, now):
        start = now // self.window * self.window
        if self.start >= start:
            return self.current, self.previous, self.start
        return Fraction(0), (self.current if self.start == start - self.window else Fraction(0)), start

    def look(self, limit, now):
        start = now // limit.window * limit.window
        if self.window is None:
            return Fraction(0), Fraction(0), start
        current, previous, own_start = self.rolled(now)
        if self.window == limit.window:
            return current, previous, own_start
        return current + self.faded(previous, self.window, max(Fraction(0), now - own_start)), Fraction(0), start

    @staticmethod
    def faded(previous, window, elapsed):
        return previous * (window - elapsed) / window

    def take(self, limit, cost, now, keep):
        current, previous, start = self.look(limit, now)
        left = limit.capacity - current - self.faded(previous, limit.window, max(Fraction(0), now - start))
        if cost > left:
            room = limit.capacity - cost
            if current <= room:
                wait = self.time_to_fade(previous, room - current, limit.window)
            else:
                wait = limit.window + self.time_to_fade(current, room, limit.window)
            if keep and self.window is not None and self.window != limit.window:
                self.current, self.previous, self.start, self.window = current, previous, start, limit.window
            return rejection(limit, cost, left, start + wait - now)
        if keep:
            self.current, self.previous, self.start, self.window = current + cost, previous, start, limit.window
        return Answer(True, left - cost)

    @staticmethod
    def time_to_fade(taken, room, window):
        return max(Fraction(0), window - room * window / taken) if taken > 0 else Fraction(0)

    def refund(self, limit, cost, now):
        current, previous, start = self.look(limit, now)
        from_current = min(current, cost)
        self.current, self.previous = current - from_current, max(Fraction(0), previous - (cost - from_current))
        self.start, self.window = start, limit.window
        if self.current == 0 and self.previous == 0:
            self.window = None  # never seen

    def reset_after(self, limit, now):
        current, previous, start = self.look(limit, now)
        if current == 0 and previous == 0:
            return Fraction(0)
        return start + (2 if current > 0 else 1) * limit.window - now


BUCKETS = {
    "token_bucket": LeakingBucket,
    "leaky_bucket": LeakingBucket,
    "leaky_queue": LeakingBucket,
    "fixed_window": FixedWindow,
    "sliding_window_log": SlidingWindowLog,
    "sliding_window_counter": SlidingWindowCounter,
}


def round_down(tokens, unit):
    return math.floor(tokens / unit)


def round_up(wait, unit):
    return math.ceil(wait / unit)
