"""Sequences of CL.THROTTLE and the five integers of every answer; periods are so long that no time passes in them."""

# key, max_burst, count, period, quantity; then limited, limit, remaining, retry_after, reset_after
CASES = [
    (("a", 4, 1, 1000), [0, 5, 4, -1, 1000]),
    (("a", 4, 1, 1000), [0, 5, 3, -1, 2000]),
    (("a", 4, 1, 1000, 3), [0, 5, 0, -1, 5000]),
    (("a", 4, 1, 1000), [1, 5, 0, 1000, 5000]),
    (("a", 4, 1, 1000, 5), [1, 5, 0, 5000, 5000]),
    (("a", 4, 1, 1000, 0), [0, 5, 0, -1, 5000]),
    (("a", 4, 1, 1000, 6), [1, 5, 0, -1, 5000]),
    (("b", 0, 1, 3600), [0, 1, 0, -1, 3600]),
    (("b", 0, 1, 3600), [1, 1, 0, 3600, 3600]),
    (("c", 9, 5, 50_000, 10), [0, 10, 0, -1, 100_000]),
    (("c", 9, 5, 50_000, 4), [1, 10, 0, 40_000, 100_000]),
    # What was consumed stays consumed when the numbers change: ten of twenty are left, at twice the rate.
    (("c", 19, 10, 50_000, 0), [0, 20, 10, -1, 50_000]),
    (("never seen", 2, 1, 1000, 0), [0, 3, 3, -1, 0]),
]

# Seconds round up, so an answer given a moment later says the same, or a second less in long waits.
SLACK = 2


def differs(expected, answer):
    """What is wrong with an answer, or nothing. Waits may be a little less than at the instant of the first call."""
    if [*answer[:3]] != expected[:3]:
        return f"{answer} instead of {expected}"
    for got, wanted in zip(answer[3:], expected[3:]):
        if not (got == wanted or (wanted > 0 and wanted - SLACK <= got <= wanted)):
            return f"{answer} instead of {expected}"
    return None


# What is refused, and a word that the error must have.
FAULTS = [
    (("a", 4, 0, 60), "count"),
    (("a", 4, 1, 0), "period"),
    (("a", -1, 1, 60), "max_burst"),
    (("a", 4, 1, 60, -1), "quantity"),
    (("a", "x", 1, 60), "max_burst"),
    (("a", 4, 1), "wrong number of arguments"),
]
