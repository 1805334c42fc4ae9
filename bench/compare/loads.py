"""Puts load on a server and tells what it did: requests per second, and the server's CPU time for each."""

import dataclasses
import os
import pathlib
import re
import statistics
import subprocess

from subjects import LOAD_CORES, SubjectError, cpu_seconds

KEYS = 100_000
HTTP_KEYS = 1_000
CLIENTS = 32


@dataclasses.dataclass(frozen=True)
class Result:
    per_second: float
    cpu_us: float    # of the server, for each request


def run(command, pid, cores=LOAD_CORES):
    """Returns (what it printed, the server's CPU seconds meanwhile)."""
    before = cpu_seconds(pid)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        raise SubjectError(f"{command[0]} failed: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout, cpu_seconds(pid) - before


def resp(pid, port, depth, requests, command):
    """redis-benchmark with random keys; `depth` commands are on the way at once on each connection."""
    output, cpu = run(["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-c", str(CLIENTS), "-n", str(requests),
                       "-r", str(KEYS), "-P", str(depth), "--csv", *command], pid)
    rates = re.findall(r'^"[^"]*","([0-9.]+)"', output, re.MULTILINE)
    if not rates:
        raise SubjectError(f"redis-benchmark told no rate: {output[-300:]}")
    return Result(float(rates[-1]), cpu / requests * 1e6)


def http(pid, url, seconds, script=None, cores=LOAD_CORES, threads=1, is_refused=False):
    """wrk, as fast as it can. An answer that is not what was expected is a fault of the benchmark."""
    command = ["wrk", f"-t{threads}", f"-c{CLIENTS}", f"-d{seconds}s", *(["-s", str(script)] if script else []), url]
    output, cpu = run(command, pid, cores)
    total = int(re.search(r"(\d+) requests in", output).group(1))
    found = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    passed = total - (int(found.group(1)) if found else 0)
    # The first request of each key passes.
    if passed > HTTP_KEYS if is_refused else passed < total:
        raise SubjectError(f"{url} refused {total - passed} of {total} requests: {output}")
    rate = float(re.search(r"Requests/sec:\s+([0-9.]+)", output).group(1))
    return Result(rate, cpu / total * 1e6)


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
