"""Replays the scenario files by the definition of the algorithms: usage, definition_test.py SCENARIOS_DIR."""

import copy
import json
import pathlib
import re
import sys
from decimal import Decimal
from fractions import Fraction

import definition
from definition import Answer, Limit, MICROS

UNITS = {"us": 1, "ms": 1_000, "s": MICROS, "m": 60 * MICROS, "h": 3600 * MICROS, "d": 86_400 * MICROS}
WAIT_UNITS = {"us": 1, "ms": 1_000}


def micros(time):
    if isinstance(time, int):
        return Fraction(time)
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", time).groups()
    return Fraction(number) * UNITS[unit]


def tokens(number, rounded):
    """Amounts are whole millionths of a token: costs rounded up, capacities down."""
    return Fraction(rounded(Fraction(number) * MICROS, 1), MICROS)


def limit_from(spec):
    if "window" in spec:
        return Limit(spec["algorithm"], tokens(spec["limit"], definition.round_down), window=micros(spec["window"]))
    rate = spec["rate"]
    per_micro = Fraction(rate["tokens"]) / micros(rate["per"]) if isinstance(rate, dict) else Fraction(rate) / MICROS
    return Limit(spec["algorithm"], tokens(spec["burst"], definition.round_down), rate=per_micro)


class Home:
    def __init__(self, limits):
        self.limits = {name: limit_from(spec) for name, spec in limits.items()}
        self.buckets = {}

    def asked(self, step):
        """The buckets of a step: (name of the limit, limit, bucket, cost)."""
        only = next(iter(self.limits))
        pairs = step.get("limits", [{k: step[k] for k in ("limit", "key") if k in step}])
        for pair in pairs:
            name = pair.get("limit", only)
            limit = self.limits[name]
            cost = tokens(pair.get("cost", step.get("cost", 1)), definition.round_up)
            bucket = self.buckets.setdefault((name, pair.get("key", "k")), definition.BUCKETS[limit.algorithm]())
            yield name, limit, bucket, cost

    def decide(self, step, now, takes):
        asked = list(self.asked(step))
        answers = [bucket.take(limit, cost, now, keep=False) for _, limit, bucket, cost in asked]
        passes = all(answer.allowed for answer in answers)
        if takes:
            for (_, limit, bucket, cost), answer in zip(asked, answers):
                if passes or not answer.allowed:
                    bucket.take(limit, cost, now, keep=True)
        else:
            for (_, _, _, cost), answer in zip(asked, answers):
                answer.remaining += cost if answer.allowed else 0
        spoken = self.tightest(answers, passes)
        name, limit, bucket, _ = asked[spoken]
        delay = max(answer.delay for answer in answers) if passes else 0
        return answers[spoken], name, bucket.reset_after(limit, now), delay

    @staticmethod
    def tightest(answers, passes):
        indices = range(len(answers))
        if passes:
            return min(indices, key=lambda i: answers[i].remaining)
        rejecting = [i for i in indices if not answers[i].allowed]
        return max(rejecting, key=lambda i: (answers[i].retry_after is None, answers[i].retry_after or 0))

    def refund(self, step, now):
        for _, limit, bucket, cost in self.asked(step):
            bucket.refund(limit, cost, now)


def seen_fields(last: Answer, name, reset_after, delay):
    seen = {
        "allowed": last.allowed,
        "reason": last.reason,
        "bucket": name,
        "remaining": definition.round_down(last.remaining, 1),
        "remaining_micros": definition.round_down(last.remaining, Fraction(1, MICROS)),
    }
    for unit, size in WAIT_UNITS.items():
        retry_after = last.retry_after
        seen["retry_after_" + unit] = None if retry_after is None else definition.round_up(retry_after, size)
        seen["reset_after_" + unit] = definition.round_up(reset_after, size)
        seen["delay_" + unit] = definition.round_up(delay, size)
    return seen


def run(step, home):
    """What the step's expectation may speak of, as the definition has it."""
    now = micros(step["at"])
    operation = step.get("op", "take")
    if operation == "change":
        home.limits[step.get("limit", next(iter(home.limits)))] = limit_from(step["to"])
        return {}
    if operation == "refund":
        home.refund(step, now)
    allowed = 0
    for i in range(step.get("repeat", 1)):
        decided = home.decide(step, now + i * micros(step.get("every", 0)), takes=operation == "take")
        allowed += decided[0].allowed
    seen = seen_fields(*decided)
    if "repeat" in step:
        seen.update(allowed=allowed, rejected=step["repeat"] - allowed)
    return seen


def mismatches(scenario):
    home = Home(scenario["limits"])
    for number, step in enumerate(scenario["steps"], 1):
        seen = run(step, home)
        for field, expected in step.get("expect", {}).items():
            if seen[field] != expected:
                yield f"{scenario['name']}: step {number}: {field}: expected {expected}, by definition {seen[field]}"


def spoilt(scenario):
    """The same scenario with a wrong wait, count or verdict in its first step: a check that finds none is no check."""
    scenario = copy.deepcopy(scenario)
    for field, expected in scenario["steps"][0]["expect"].items():
        wrong = not expected if isinstance(expected, bool) else expected + 1 if isinstance(expected, int) else "wrong"
        scenario["steps"][0]["expect"][field] = wrong
    return scenario


def main():
    paths = [path for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")) if path.name != "schema.json"]
    scenarios = [json.loads(path.read_text(), parse_float=Decimal) for path in paths]
    wrong = [line for scenario in scenarios for line in mismatches(scenario)]
    canary = spoilt(scenarios[0])
    if len(list(mismatches(canary))) < len(canary["steps"][0]["expect"]):
        wrong.append("the canary is silent: a spoilt expectation was not noticed")
    print("\n".join(wrong) or f"{len(scenarios)} scenarios are as defined")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
