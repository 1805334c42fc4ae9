#!/usr/bin/env python3
"""Compares the server with others, all in one run on one machine, and prints one table with ratios.

`make bench-compare` calls this after building; RECORD=1 also keeps the result in bench/results/compare.
"""

import argparse
import contextlib
import datetime
import pathlib
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import figures
import fleet
import loads
import machine
import progress
import record
import rules
import subjects
import table
from figures import COST, RATE, Figure

# So large that nothing is refused, so slow that no bucket is full again: a full one would be forgotten, and not measured.
THROTTLE = ["CL.THROTTLE", "key:__rand_int__", "1000000", "1", "60"]
REFUSED = ["CL.THROTTLE", "key:__rand_int__", "0", "1", "1000000"]
GET = ["GET", "key:__rand_int__"]
CPU, PER_SECOND = "cpu_us", "per_second"


def cpu(name, benchmark, beside, beside_name, **target):
    return Figure(name, benchmark, CPU, "us", beside=beside, beside_name=beside_name, compare=COST, **target)


def rate(name, benchmark, beside, beside_name, at_least=None):
    return Figure(name, benchmark, PER_SECOND, "/s", beside=beside, beside_name=beside_name, compare=RATE, at_least=at_least)


GROUPS = (
    (cpu("CPU of CL.THROTTLE, 64 at once", "throttle/64", "get/64", "redis GET", at_most=1.2, aim=0.25),
     cpu("the same, beside a script", "throttle/64", "evalsha/64", "redis EVALSHA", at_most=0.1),
     cpu("the same, beside a bare loop", "throttle/64", "bare/64", "bare loop"),
     cpu("CPU of CL.THROTTLE, 16 at once", "throttle/16", "get/16", "redis GET")),
    (rate("CL.THROTTLE, one at a time", "throttle/1", "get/1", "redis GET", at_least=1),
     cpu("CPU of it", "throttle/1", "bare/1", "bare loop", at_most=1.15)),
    (rate("/v1/decision, three rules", "decision", "nginx", "nginx return 200", at_least=0.7),
     cpu("CPU of it", "decision", "nginx", "nginx return 200"),
     rate("/v1/check, JSON body", "check", "nginx", "nginx return 200", at_least=0.5),
     cpu("CPU of it", "check", "nginx", "nginx return 200")),
    (rate("two loops, /v1/decision", "decision/two_loops", "decision/one_loop", "one loop"),
     cpu("CPU of it", "decision/two_loops", "decision/one_loop", "one loop", at_most=1.25)),
    (rate("CL.THROTTLE refused and recorded, 64 at once", "recorded/64", "refused/64", "not recorded", at_least=0.9),
     cpu("CPU of it, the writer's too", "recorded/64", "refused/64", "not recorded", at_most=1.1),
     rate("/v1/decision refused and recorded", "recorded/http", "refused/http", "not recorded", at_least=0.9),
     cpu("CPU of it, the writer's too", "recorded/http", "refused/http", "not recorded", at_most=1.1)),
    (Figure("p99 at half load", "decision/half", "p99_us", "us", beside="nginx/half", beside_name="nginx", compare=COST, at_most=3),
     Figure("start to ready", "start", "ready_ms", "ms", at_most=100)),
)


class Comparison:
    def __init__(self, options, folder, shown):
        self.options, self.folder, self.shown = options, folder, shown
        self.samples = {}
        self.turn = -1
        self.rules = folder / "rules.json"
        self.rules.write_text(rules.text())
        self.fleet = fleet.Fleet(self, (HERE / "usual_bucket.lua").read_text())

    def keep(self, benchmark, **fields):
        for field, value in fields.items():
            self.samples.setdefault(benchmark, {}).setdefault(field, []).append(value)

    def keep_load(self, benchmark, result):
        self.shown.step(benchmark)
        self.keep(benchmark, cpu_us=result.cpu_us, per_second=result.per_second)

    def requests(self, depth):
        return max(loads.CLIENTS * depth, int({1: 200_000, 16: 1_000_000, 64: 2_000_000}[depth] * self.options.scale))

    def resp(self, name, subject, command, depths=(1, 16, 64)):
        process, port = subject
        for depth in depths:
            self.keep_load(f"{name}/{depth}", loads.resp(process.pid, port, depth, self.requests(depth), command))

    def redis(self):
        with subjects.redis(self.folder) as (process, port):
            loads.resp(process.pid, port, 64, self.requests(16), ["SET", "key:__rand_int__", "0"])
            self.resp("get", (process, port), GET)
            script = (HERE / "token_bucket.lua").read_text()
            sha, _ = loads.run(["redis-cli", "-p", str(port), "SCRIPT", "LOAD", script], process.pid)
            command = ["EVALSHA", sha.strip(), "1", "bucket:__rand_int__", "0.01", "1000000"]
            self.keep_load("evalsha/64", loads.resp(process.pid, port, 64, self.requests(1), command))

    def bare(self):
        with subjects.bare_loop(self.options.programs) as subject:
            self.resp("bare", subject, THROTTLE)

    def sluice_resp(self):
        with subjects.sluice(self.options.programs, self.folder) as (process, ports):
            self.resp("throttle", (process, ports["resp"]), THROTTLE)

    def nginx(self):
        with subjects.nginx(self.folder) as (process, port):
            url = f"http://127.0.0.1:{port}/"
            result = loads.http(process.pid, url, self.options.seconds)
            self.keep_load("nginx", result)
            self.half_load("nginx", process.pid, url, result)

    def half_load(self, name, pid, url, most):
        times = loads.latencies_us(pid, url, most.per_second / 2, self.options.seconds, self.folder)
        self.shown.step(f"{name}/half")
        self.keep(f"{name}/half", p99_us=loads.p99(times))

    def sluice_http(self):
        with subjects.sluice(self.options.programs, self.folder, rules=self.rules) as (process, ports):
            url = f"http://127.0.0.1:{ports['http']}"
            result = loads.http(process.pid, f"{url}/v1/decision", self.options.seconds, HERE / "decision.lua")
            self.keep_load("decision", result)
            self.keep_load("check", loads.http(process.pid, f"{url}/v1/check", self.options.seconds, HERE / "check.lua"))
            self.half_load("decision", process.pid, f"{url}/v1/decision", result)

    def loops(self):
        """On this machine's two cores the load generator shares them: so the CPU time is what counts."""
        for name, count in (("one_loop", 1), ("two_loops", 2)):
            with subjects.sluice(self.options.programs, self.folder, count, self.rules) as (process, ports):
                url = f"http://127.0.0.1:{ports['http']}/v1/decision"
                result = loads.http(process.pid, url, self.options.seconds, HERE / "decision.lua",
                                    subjects.BOTH_CORES, threads=2)
                self.keep_load(f"decision/{name}", result)

    def refusals(self):
        """All are refused: what it takes to keep that on disk."""
        tight = self.folder / "tight.json"
        tight.write_text(rules.text(rules.TIGHT))
        # By turns the first: a machine that gets slower must not decide it.
        self.turn = -self.turn
        for name in ("refused", "recorded")[::self.turn]:
            more = ["--violations-in", f"sqlite:{self.folder}/violations.db", f"--violations-record={str(name == 'recorded').lower()}"]
            with subjects.sluice(self.options.programs, self.folder, rules=tight, more=more) as (process, ports):
                loads.resp(process.pid, ports["resp"], 64, self.requests(16), REFUSED)
                self.resp(name, (process, ports["resp"]), REFUSED, [64])
                url = f"http://127.0.0.1:{ports['http']}/v1/decision"
                result = loads.http(process.pid, url, self.options.seconds, HERE / "decision.lua", is_refused=True)
                self.keep_load(f"{name}/http", result)

    def start(self):
        seconds = subjects.seconds_to_ready(self.options.programs, self.folder, self.rules)
        self.shown.step("start")
        self.keep("start", ready_ms=seconds * 1000)

    def round(self):
        parts = () if self.options.fleet else (self.redis, self.bare, self.sluice_resp, self.nginx, self.sluice_http,
                                               self.loops, self.refusals, self.start)
        for part in (*parts, self.fleet.round):
            part()


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="build/test/bin", help="folder of the programs (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run; medians are told (%(default)s)")
    parser.add_argument("--seconds", type=int, default=4, help="of each HTTP load (%(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of RESP commands (%(default)s)")
    parser.add_argument("--record", action="store_true", help="keep the result in the folder of results")
    parser.add_argument("--results", default=str(ROOT / "bench/results/compare"), help="that folder (bench/results/compare)")
    parser.add_argument("--fleet", action="store_true", help="only the figures of a fleet; such a run is not recorded")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed or was not measured")
    options = parser.parse_args(arguments)
    if options.fleet and options.record:
        parser.error("--record keeps whole runs: leave out --fleet")
    options.programs = pathlib.Path(options.programs).resolve()
    return options


def measure(options, arguments):
    commit, dirty = machine.commit_of(ROOT)
    run = {"date": datetime.date.today().isoformat(), "commit": commit, "dirty": dirty,
           "command": shlex.join(["bench/compare/compare.py", *arguments]), "machine": machine.describe(options.programs),
           "load_before": machine.load(), "rounds": options.rounds, "guide": "../../README.md"}
    shown = progress.Progress(sys.stderr)
    with contextlib.ExitStack() as stack:
        stack.callback(shown.end)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        comparison = Comparison(options, pathlib.Path(folder), shown)
        for number in range(options.rounds):
            shown.begin(f"round {number + 1} of {options.rounds}", fleet.STEPS if options.fleet else 21 + fleet.STEPS)
            comparison.round()
    run["load_after"] = machine.load()
    return run, comparison.samples


def groups_of(options):
    return fleet.GROUPS if options.fleet else GROUPS + fleet.GROUPS


def main(arguments):
    options = parse_arguments(arguments)
    try:
        run, samples = measure(options, arguments)
    except subjects.SubjectError as error:
        print(f"bench/compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    measured = figures.medians(samples)
    groups = [[figures.row_of(figure, measured) for figure in group] for group in groups_of(options)]
    busy = machine.load_note(run["machine"], run["load_before"])
    print(table.text(groups))
    print(f"\n{table.summary(groups)}")
    if options.record:
        for path in record.write(pathlib.Path(options.results), run, samples, (groups, [busy] if busy else [])):
            print(f"Recorded in {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")
    return 1 if options.strict and (table.missed(groups) or table.not_run(groups)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
