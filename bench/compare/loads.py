"""Puts load on a server and tells what it did: requests per second, and the server's CPU time for each."""

import dataclasses
import os
import pathlib
import re
import statistics
import subprocess

from subjects import HERE, LOAD_CORES, SubjectError, cpu_seconds

KEYS = 100_000
HTTP_KEYS = 1_000
CLIENTS = 32
DECISION, CHECK = HERE / "decision.lua", HERE / "check.lua"


@dataclasses.dataclass(frozen=True)
class Result:
    per_second: float
    cpu_us: float    # of the server, for each request


def run(command, pid, cores=LOAD_CORES):
    """Returns (what it printed, the server's CPU seconds meanwhile)."""
    before = cpu_seconds(pid)
    output, = run_together([command], cores)
    return output, cpu_seconds(pid) - before


def run_together(commands, cores=LOAD_CORES):
    """Returns what each printed."""
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, cores)) for command in commands]
    try:
        return [output_of(process) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait(10)


def output_of(process):
    output, errors = process.communicate(timeout=300)
    if process.returncode != 0:
        raise SubjectError(f"{process.args[0]} failed: {(errors or output)[-500:]}")
    return output


def redis_benchmark(port, depth, requests, command, clients=CLIENTS, keys=KEYS):
    return ["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-c", str(clients), "-n", str(requests),
            "-r", str(keys), "-P", str(depth), "--csv", *command]


def rate_of(output):
    rates = re.findall(r'^"[^"]*","([0-9.]+)"', output, re.MULTILINE)
    if not rates:
        raise SubjectError(f"redis-benchmark told no rate: {output[-300:]}")
    return float(rates[-1])


def resp(pid, port, depth, requests, command):
    """redis-benchmark with random keys; `depth` commands are on the way at once on each connection."""
    output, cpu = run(redis_benchmark(port, depth, requests, command), pid)
    return Result(rate_of(output), cpu / requests * 1e6)


def resp_together(ports, depth, requests, command, keys, cores=LOAD_CORES):
    """The same connections and requests shared out between ports. Returns (requests, requests per second)."""
    clients, share = CLIENTS // len(ports), requests // len(ports)
    outputs = run_together([redis_benchmark(port, depth, share, command, clients, keys) for port in ports], cores)
    return share * len(ports), sum(map(rate_of, outputs))


def http(pid, url, seconds, script=None, cores=LOAD_CORES, threads=1, is_refused=False):
    """wrk, as fast as it can. An answer that is not what was expected is a fault of the benchmark."""
    command = ["wrk", f"-t{threads}", f"-c{CLIENTS}", f"-d{seconds}s", *(["-s", str(script)] if script else []), url]
    output, cpu = run(command, pid, cores)
    told = told_by_wrk(output)
    # The first request of each key passes.
    if told.passed > HTTP_KEYS if is_refused else told.passed < told.total:
        raise SubjectError(f"{url} refused {told.total - told.passed} of {told.total} requests: {output}")
    return Result(told.per_second, cpu / told.total * 1e6)


@dataclasses.dataclass(frozen=True)
class Told:
    total: int
    passed: int
    per_second: float


def told_by_wrk(output):
    total = int(re.search(r"(\d+) requests in", output).group(1))
    found = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    rate = float(re.search(r"Requests/sec:\s+([0-9.]+)", output).group(1))
    return Told(total, total - (int(found.group(1)) if found else 0), rate)


def http_together(urls, seconds, script, *arguments):
    """The same connections shared out between URLs; what passed is for the caller to judge."""
    commands = [["wrk", "-t1", f"-c{CLIENTS // len(urls)}", f"-d{seconds}s", "-s", str(script), url, "--", *arguments]
                for url in urls]
    told = [told_by_wrk(output) for output in run_together(commands)]
    return Told(sum(one.total for one in told), sum(one.passed for one in told), sum(one.per_second for one in told))


def latencies_us(pid, url, per_second, seconds, folder):
    """h2load at a steady rate; the time of every request."""
    log = pathlib.Path(folder) / "latencies.log"
    log.unlink(missing_ok=True)
    clients = 16
    command = ["h2load", "--h1", "-t1", f"-c{clients}", f"--rps={max(per_second / clients, 1):.1f}", f"-D{seconds}",
               f"--log-file={log}", url]
    run(command, pid)
    times = [int(line.split("\t")[2]) for line in log.read_text().splitlines() if line.count("\t") >= 2]
    if len(times) < 100:
        raise SubjectError(f"h2load told of {len(times)} requests only")
    return times


def p99(times):
    return statistics.quantiles(times, n=100)[98]
