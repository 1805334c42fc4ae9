"""What it costs to keep who was refused: two servers that refuse all, of which one writes it down.

What is fair. The writer takes 2,000 rows a second, and a flood of keys gives it rows for longer than all turns last. So
within each load it does what it does in each second of a flood: its CPU is in what is read at the end of a load, and
there is nothing to wait for behind it. But it goes on when its server has no load, on the core of the other: so the
server is stopped while the other has its turn, and makes up for that before its own.
"""

import functools
import time

import loads
import rules
import subjects

REFUSED = ["CL.THROTTLE", "key:__rand_int__", "0", "1", "1000000"]
ROWS = 'sluice_violations_rows_total{in="table"}'
# More than a second has without a flood.
ROWS_OF_A_FLOOD = 1_000
# A writer that was kept from it writes what a second has at once, and goes on at its pace.
CATCH_UP_SECONDS = 0.3


class Refusals:
    def __init__(self, bench):
        """`bench` has the options and the turns, and makes servers and loads."""
        self.bench = bench
        self.rules = bench.folder / "tight.json"
        self.rules.write_text(rules.text(rules.TIGHT))
        self.rounds = 0

    def part(self, enter):
        self.rounds += 1
        refused, recorded = (enter(self.server(name)) for name in ("refused", "recorded"))
        for process, ports in (refused, recorded):
            self.bench.fill((process, ports["resp"]), REFUSED)
        self.process, ports = recorded
        self.admin_port, self.rows = ports["admin"], 0
        subjects.wait_for_metric(self.process, self.admin_port, ROWS, ROWS_OF_A_FLOOD)
        for kind, load_on in (("64", self.commands), ("http", self.requests)):
            self.bench.turns.take(self.bench.options.turns, {
                f"refused/{kind}": functools.partial(self.alone, load_on(refused)),
                f"recorded/{kind}": functools.partial(self.with_rows, load_on(recorded))})
        if not self.rows:
            raise subjects.SubjectError("sluice wrote no violation while it was measured")

    def server(self, name):
        """In a new folder: in the old one is what could not be written before the end, and it would go first."""
        table, is_recording = f"sqlite:{self.bench.folder}/{name}.db", str(name == "recorded").lower()
        more = ["--violations-in", table, f"--violations-record={is_recording}"]
        return self.bench.sluice(f"{name}_{self.rounds}", rules=self.rules, more=more)

    def commands(self, server):
        """As many in a turn as others have in a round: the writer comes four times a second."""
        process, ports = server
        return self.bench.resp((process, ports["resp"]), 64, REFUSED, self.bench.count(64))

    def requests(self, server):
        process, ports = server
        return self.bench.http(process, f"http://127.0.0.1:{ports['http']}/v1/decision", loads.DECISION, is_refused=True)

    def alone(self, load):
        with subjects.stopped(self.process):
            fields = load()
        time.sleep(CATCH_UP_SECONDS)
        return fields

    def with_rows(self, load):
        start, before = time.monotonic(), subjects.metric(self.admin_port, ROWS)
        fields = load()
        rows = subjects.metric(self.admin_port, ROWS) - before
        self.rows += rows
        return {**fields, "rows_per_second": rows / (time.monotonic() - start)}
