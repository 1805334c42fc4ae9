"""Several `sluice serve` that share a store and one file of rules, and what is asked of each of them."""

import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile

from processes import DIES_WITH_TEST
from server import serving
from wire import ask_http, connect, HttpReader

# Long forms of the tests, for `make test-faults`.
IS_LONG = os.environ.get("SLUICE_LONG") == "1"
# Where time-outs are not what is tested, a busy machine must not bring any about.
PATIENT = ("--redis-timeout", "1s")
# What a server may say of a store that a test takes away; its last words included.
STORE_FAULTS = ("the store ",)


def seconds(short, long):
    return long if IS_LONG else short


def report(what, figures):
    """Figures for the reader of a log: what a fault cost is measured, not only bounded."""
    print(f"  {what}: {figures}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def fleet(url, rules=None, count=5, arguments=(), expects=(), clocks=()):
    """Servers that are ready; in the end each must stop when told to, with nothing to complain of but what is expected.

    One loop each, unless said otherwise. `clocks` are how far those of the first ones are off, as faketime writes it.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        given = ["--store", url, "--admin", "127.0.0.1:0", *arguments]
        if "--loops" not in given:
            given += ["--loops", "1"]
        path = pathlib.Path(folder) / "rules.json"
        if rules is not None:
            path.write_text(json.dumps(rules))
            given += ["--rules", str(path)]
        servers = []
        running.callback(remove_traces, servers)
        for i in range(count):
            through = [*DIES_WITH_TEST, *(wrong_clock(clocks[i]) if i < len(clocks) else [])]
            servers.append(running.enter_context(serving(*given, through=through)))
            servers[-1].rules = path
            servers[-1].expect(*expects)
        yield servers


def wrong_clock(offset):
    """The calendar's clock is off, the one that only counts on is not: as on a machine whose time was set wrongly."""
    return ["env", "LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1", f"FAKETIME={offset}",
            "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1"]


def remove_traces(servers):
    """Of libfaketime, in servers that were killed."""
    for server in servers:
        for name in (f"faketime_shm_{server.pid}", f"sem.faketime_sem_{server.pid}"):
            pathlib.Path("/dev/shm", name).unlink(missing_ok=True)


def die(server):
    """Killed without a last word, its leases with it."""
    server.signal(signal.SIGKILL)
    server.wait()
    server.was_ended = True


def decide(server, ask):
    """One decision as the door says it: the status, and the body."""
    with connect(server.http) as connection:
        connection.sendall(ask.bytes)
        response = HttpReader(connection).response()
    return response.status, response.json()


def readiness(server):
    return ask_http(server.admin, "GET", "/readyz").json()


def metrics(server):
    """Every sample by its name and labels, as they are written."""
    lines = ask_http(server.admin, "GET", "/metrics").body.decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def total(server, family):
    """The sum of a family's samples."""
    return sum(value for name, value in metrics(server).items() if name.partition("{")[0] == family)
