"""Runs the benchmark programs, round by round, and collects what they measured.

Samples are {benchmark: {field: [a value of each round]}}. A round runs every program once, each in a process of its own
and with its benchmarks in random order, so that a slow moment hits one sample of some figures and not all of one.
"""

import json
import os
import re
import subprocess
import threading
import time

PROGRAMS = ("limiter_bench", "token_bucket_bench", "decisions_bench", "rules_bench", "jwt_bench", "headers_bench",
            "rule_decision_bench", "http_bench", "resp_bench", "telemetry_bench", "sqlite_bench", "memory_bench")
# Has a main of its own and prints one flat JSON object.
PLAIN = {"memory_bench": "memory"}
FIELDS = ("cpu_time", "real_time", "items_per_second", "allowed", "checksum")
NAME = re.compile(r'^\s*"name": "([^"]+)"')


class RunError(Exception):
    """Says which program failed, and what to do."""


class OutOfTime(RunError):
    """A program was stopped because the time for the whole run was up."""


def parse(program, text):
    """Returns {benchmark: {field: value}} from what the program printed."""
    try:
        document = json.loads(text)
        if program in PLAIN:
            return {f"{PLAIN[program]}/{document.pop('keys')}": document}
        return dict(_of_benchmark(program, run) for run in document["benchmarks"] if run["run_type"] == "iteration")
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{program}: its output is not what a benchmark prints ({error!r}); run it by hand to see") from error


def _of_benchmark(program, run):
    if run.get("error_occurred"):
        raise RunError(f"{program}: {run['run_name']}: {run.get('error_message')}; mend the benchmark")
    if run["time_unit"] != "ns":
        raise RunError(f"{program}: {run['run_name']} reports {run['time_unit']}; remove its Unit(), figures are in ns")
    return run["run_name"], {field: run[field] for field in FIELDS if field in run}


def add(samples, results):
    for benchmark, fields in results.items():
        for field, value in fields.items():
            samples.setdefault(benchmark, {}).setdefault(field, []).append(value)


class Runner:
    """`small` leaves out what takes long: the programs run, but the figures mean nothing."""

    def __init__(self, folder, progress, small=False, now=time.monotonic):
        self.now = now
        self.folder = folder
        self.progress = progress
        self.small = small

    def rounds(self, count, seconds):
        """Returns (samples, rounds done): at most `count`, and as many as fit in the time; at least one, or RunError."""
        started = self.now()
        samples, longest = {}, 0
        for done in range(count):
            begun = self.now()
            if done and begun + longest > started + seconds:
                return samples, done
            try:
                results = [self.run(program, f"round {done + 1} of {count}", started + seconds) for program in PROGRAMS]
            except OutOfTime:
                if not done:
                    raise
                return samples, done
            for result in results:
                add(samples, result)
            longest = max(longest, self.now() - begun)
        return samples, count

    def run(self, program, stage, deadline):
        total = 1 if program in PLAIN else len(self._output(program, ["--benchmark_list_tests"], deadline).split())
        self.progress.begin(f"{stage}: {program}", total)
        options = ["--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
                   f"--benchmark_min_time={0.001 if self.small else 0.2}"]
        return parse(program, self._output(program, [] if program in PLAIN else options, deadline))

    def _output(self, program, options, deadline):
        path = os.path.join(self.folder, program)
        environment = {**os.environ, "LC_ALL": "C", **({"SLUICE_BENCH_MAX_KEYS": "100000"} if self.small else {})}
        if not self.small:
            environment.pop("SLUICE_BENCH_MAX_KEYS", None)
        try:
            process = subprocess.Popen([path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env=environment)
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}; `make bench` builds it") from error
        return self._follow(process, program, deadline)

    def _follow(self, process, program, deadline):
        timer = threading.Timer(max(0, deadline - self.now()), process.kill)
        complaints = []
        listener = threading.Thread(target=lambda: complaints.extend(process.stderr))
        timer.start()
        listener.start()
        lines = []
        try:
            for line in process.stdout:
                lines.append(line)
                if match := NAME.match(line):
                    self.progress.step(match.group(1))
            status = process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.wait()
            listener.join()
            process.stdout.close()
            process.stderr.close()
        if status != 0 and self.now() >= deadline:
            raise OutOfTime(f"{program}: stopped, the time was up; give more with --seconds")
        if status != 0:
            raise RunError(f"{program}: exit status {status}: {''.join(complaints).strip() or 'no message'}")
        return "".join(lines)
