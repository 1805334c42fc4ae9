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
import machine
import one_server
import progress
import record
import subjects
import table
import turns
from report import positive


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="build/test/bin", help="folder of the programs (%(default)s)")
    parser.add_argument("--rounds", type=positive, default=3, help="how often each is started; medians are told (%(default)s)")
    parser.add_argument("--turns", type=positive, default=4, help="of what is compared, in a round (%(default)s)")
    parser.add_argument("--seconds", type=positive, default=4, help="of an HTTP load in a round, 1 a turn at least (%(default)s)")
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
           "load_before": machine.load(), "rounds": options.rounds, "turns": options.turns, "guide": "../../README.md"}
    taken = turns.Turns(progress.Progress(sys.stderr))
    with contextlib.ExitStack() as stack:
        stack.callback(taken.shown.end)
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        parts = [fleet.Fleet(options, folder, taken)]
        if not options.fleet:
            parts.insert(0, one_server.OneServer(options, folder, taken))
        for number in range(options.rounds):
            taken.shown.begin(f"round {number + 1} of {options.rounds}", sum(part.steps for part in parts))
            for part in parts:
                part.round()
    run["load_after"] = machine.load()
    return run, taken.samples


def groups_of(options):
    return fleet.GROUPS if options.fleet else one_server.GROUPS + fleet.GROUPS


def main(arguments):
    options = parse_arguments(arguments)
    try:
        run, samples = measure(options, arguments)
    except subjects.SubjectError as error:
        print(f"bench/compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    groups = [[figures.row_of(figure, samples) for figure in group] for group in groups_of(options)]
    busy = machine.load_note(run["machine"], run["load_before"])
    print(table.text(groups))
    print(f"\n{table.summary(groups)}")
    if options.record:
        for path in record.write(pathlib.Path(options.results), run, samples, (groups, [busy] if busy else [])):
            print(f"Recorded in {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")
    return 1 if options.strict and (table.missed(groups) or table.not_run(groups)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
