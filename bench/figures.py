"""The figures of the report: which measurements make one, what it stands beside, and what it should reach.

To add a figure, add a row to GROUPS. A figure that was not measured stays in the table as `not run`.
"""

import dataclasses
import statistics

import decisions

FASTER, COST, RATE = "as fast", "the cost", "the rate"
MET, MISSED, NOT_RUN = "met", "MISSED", "not run"
# Below this share of admitted requests a benchmark measures mostly refusals, which are cheaper.
FEWEST_ADMITTED = 0.99


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    benchmark: str
    field: str = "cpu_time"
    unit: str = "ns"
    beside: str = ""          # the benchmark it is compared with
    beside_field: str = ""    # where not the same field
    beside_name: str = ""
    compare: str = ""         # FASTER: beside / measured. COST and RATE: measured / beside.
    at_least: float = None    # both of the ratio if there is one, else of what was measured
    at_most: float = None
    aim: float = None         # of what was measured; no target, but told


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    measured: str
    beside: str = ""
    ratio: str = ""
    target: str = ""
    verdict: str = ""
    ratios: tuple = ()    # those that `ratio` is the median of


def keyed(keys, aim, at_least=None):
    return Figure(f"check, {keys:,} keys", f"limiter/{keys}", beside=f"mutex_map/{keys}", beside_name="mutex+map",
                  compare=FASTER, at_least=at_least, aim=aim)


def batch(keys, aim, at_least=None):
    return Figure(f"batch of 16, {keys:,} keys", f"limiter_batch/{keys}", unit="ns/key", beside=f"mutex_map/{keys}",
                  beside_name="mutex+map", compare=FASTER, at_least=at_least, aim=aim)


def threads(name, benchmark, at_least=None):
    return Figure(name, f"{benchmark}/real_time/threads:2", "items_per_second", "M/s", compare=RATE, at_least=at_least,
                  beside=f"{benchmark}/real_time/threads:1", beside_name="one thread")


def three_buckets(keys):
    return Figure(f"three buckets, {keys:,} keys", f"limiter_three_buckets/{keys}", beside=f"limiter/{keys}",
                  beside_name="over one", compare=COST, at_most=3)


def matching(name, benchmark):
    """Finding the two rules for a request among 10,000, beside the same among 10."""
    return Figure(f"10,000 rules, {name}", f"{benchmark}/10000", beside=f"{benchmark}/10", beside_name="10 rules", compare=COST,
                  at_most=3)


def throttle(depth, aim):
    """One CL.THROTTLE through a RESP session, where so many come in one read."""
    return Figure(f"CL.THROTTLE, {depth} in a read", f"resp_throttle/{depth}", unit="ns/command", aim=aim,
                  beside=f"resp_throttle_store_alone/{depth}", beside_name="store alone")


MEMORY = "memory/10000000"


def long_call(whose, name, beside, beside_name):
    return Figure(f"20th longest call {whose}", MEMORY, f"{name}_20th_longest_cpu_us", "us", at_most=1000,
                  beside=MEMORY, beside_field=f"{beside}_20th_longest_cpu_us", beside_name=beside_name)


GROUPS = (
    (keyed(1000, 30), keyed(100_000, 50, at_least=3), keyed(1_000_000, 150, at_least=3),
     Figure("check, 10,000,000 keys", "limiter/10000000")),
    (batch(1000, 20), batch(100_000, 25, at_least=8), batch(1_000_000, 60, at_least=8),
     Figure("batch of 16, 10,000,000 keys", "limiter_batch/10000000", unit="ns/key", beside="limiter_batch/1000",
            beside_name="1,000 keys", compare=COST, at_most=8)),
    (threads("two threads, different keys", "limiter_threads", 1.7),
     threads("two threads, a limiter each", "limiter_threads_apart"),
     threads("two threads, one key", "limiter_threads_one_key", 0.5)),
    (three_buckets(1000), three_buckets(100_000)),
    (matching("by path prefix", "match_path_prefix"), matching("by exact path", "match_path"), matching("by host", "match_host"),
     matching("tiers by attribute", "match_tiers"), matching("by network", "match_network"),
     matching("by path and host", "match_path_of_host"), matching("by path and five hosts", "match_path_of_five_hosts"),
     matching("by path and five values", "match_path_of_five_values"),
     matching("by path and five networks", "match_path_of_five_networks"),
     matching("by a header of its own", "match_present_header"),
     Figure("three rules of 100", "match_three/100", aim=150)),
    (Figure("memory, 10,000,000 keys", MEMORY, "resident_bytes_per_key", "bytes/key", at_most=48),
     long_call("of another thread during a fill", "another_thread", "nothing", "doing nothing"),
     long_call("of a fill in small pages", "fill_in_small_pages", "nothing", "doing nothing"),
     long_call("of a fill in huge pages", "fill", "fresh_page", "bare page")),
    (Figure("TokenBucket, admitted", "token_bucket_at/1000000000", at_most=12),
     Figure("TokenBucket, refused", "token_bucket_at/10", at_most=12),
     Figure("TokenBucket and clock, admitted", "token_bucket_with_clock/1000000000", at_most=25),
     Figure("TokenBucket and clock, refused", "token_bucket_with_clock/10", at_most=25),
     Figure("clock reading", "system_clock_reading", beside="kernel_clock", beside_name="the kernel's", compare=FASTER),
     Figure("reading a key", "keys_alone/1000")),
    (Figure("a token seen before", "jwt_cache_hit/1", at_most=100),),
    (Figure("header fields, allowed", "headers_allowed", aim=100),
     Figure("header fields, rejected", "headers_rejected", aim=200)),
    (Figure("counting", "counter", aim=2), Figure("recording a duration", "histogram_record", aim=3),
     Figure("handing on a key", "key_feed_add", aim=5), Figure("handing on a key, copied", "key_feed_copy", aim=30),
     Figure("a key into the sketch", "heavy_hitters_add", aim=250)),
    (Figure("decision by rules, headers rendered", "rule_decision", at_most=2000, aim=400, beside="rule_decision_store_alone",
            beside_name="store alone"),),
    (Figure("violations into SQLite, 5,000 a batch", "sqlite_append/5000/real_time", "items_per_second", "/s"),
     Figure("10,000 rules out of SQLite", "sqlite_snapshot/10000"),
     Figure("asking SQLite for a change of rules", "sqlite_latest_change")),
    (throttle(1, 250), throttle(16, 250), throttle(64, 250)),
    (Figure("HTTP, message alone", "http_message", at_most=1000),
     Figure("HTTP, decision by three rules", "http_decision", at_most=2500),
     Figure("HTTP, check of a named bucket", "http_check_named", at_most=5000),
     Figure("HTTP, check by three rules", "http_check_by_rules", at_most=5000)),
)


def medians(samples):
    return {benchmark: {field: statistics.median(values) for field, values in fields.items()}
            for benchmark, fields in samples.items()}


def amount(value, unit):
    if unit == "M/s":
        value /= 1e6
    return f"{value:,.0f} {unit}" if abs(value) >= 100 else f"{value:.1f} {unit}"


def ratios_of(figure, values, others):
    """One for each turn: its samples met the same machine. Where some are missing, that of the medians."""
    if len(values) != len(others):
        values, others = [statistics.median(values)], [statistics.median(others)]
    return tuple(other / value if figure.compare == FASTER else value / other for value, other in zip(values, others))


def row_of(figure, samples):
    target = target_of(figure)
    values = samples.get(figure.benchmark, {}).get(figure.field)
    others = samples.get(figure.beside, {}).get(figure.beside_field or figure.field)
    if not values or (figure.beside and not others):
        return Row(figure.name, "-", target=target, verdict=NOT_RUN)
    value, other = statistics.median(values), statistics.median(others) if others else None
    ratios = ratios_of(figure, values, others) if figure.compare else ()
    ratio = statistics.median(ratios) if ratios else None
    return Row(figure.name, amount(value, figure.unit), f"{figure.beside_name} {amount(other, figure.unit)}" if other else "",
               f"{ratio:.2f}x {figure.compare}" if ratios else "", target, verdict_of(figure, value, ratio), ratios)


def target_of(figure):
    unit = "x" if figure.compare else f" {figure.unit}"
    parts = [f">= {figure.at_least:g}{unit}"] if figure.at_least is not None else []
    parts += [f"<= {figure.at_most:g}{unit}"] if figure.at_most is not None else []
    parts += [f"aim {figure.aim:g} {figure.unit}"] if figure.aim is not None else []
    return ", ".join(parts)


def verdict_of(figure, value, ratio):
    judged = value if ratio is None else ratio
    parts = []
    if figure.at_least is not None or figure.at_most is not None:
        missed = (figure.at_least is not None and judged < figure.at_least) or \
            (figure.at_most is not None and judged > figure.at_most)
        parts.append(MISSED if missed else MET)
    if figure.aim is not None:
        parts.append("aim reached" if value <= figure.aim else "above aim")
    return ", ".join(parts)


def notes_of(measured):
    """What a reader must know before believing the table."""
    return [f"{benchmark}: only {fields['allowed']:.0%} of its requests were admitted, so it measures refusals"
            for benchmark, fields in measured.items()
            if benchmark.startswith(("limiter", "mutex_map")) and fields.get("allowed", 1) < FEWEST_ADMITTED]


def evaluate(samples):
    """Returns (groups of rows, notes)."""
    measured = medians(samples)
    groups = [[row_of(figure, samples) for figure in group] for group in GROUPS]
    problems = decisions.problems_of(samples)
    ran = any(benchmark in samples for benchmark in decisions.EXPECTED)
    groups.append([Row("admitted of a fixed schedule", f"{decisions.admitted(measured):,.0f}" if ran else "-", target="the expected",
                       verdict=(MISSED if problems else MET) if ran else NOT_RUN)])
    return groups, notes_of(measured) + (problems if ran else [])
