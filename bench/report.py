#!/usr/bin/env python3
"""Runs the benchmarks and prints one table: each figure beside what it is compared with, and the target it should meet.

`make bench` calls this after building; `make bench RECORD=1` also keeps the result in bench/results.
"""

import argparse
import datetime
import pathlib
import shlex
import sys

import figures
import machine
import progress
import record
import runs
import table

ROOT = pathlib.Path(__file__).resolve().parent.parent


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="build/test/bin", help="folder of the benchmark programs (%(default)s)")
    parser.add_argument("--rounds", type=positive, default=7, help="how often each is run; medians are told (%(default)s)")
    parser.add_argument("--seconds", type=positive, default=300, help="no round begins that would end later (%(default)s)")
    parser.add_argument("--record", action="store_true", help="keep the result in the folder of results")
    parser.add_argument("--results", default=str(ROOT / "bench/results"), help="that folder (bench/results)")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed or was not measured")
    parser.add_argument("--small", action="store_true", help="one short round without the large sizes, to try the report")
    options = parser.parse_args(arguments)
    if options.small and options.record:
        parser.error("--small measures nothing worth keeping; leave out --record")
    return options


def print_report(run, groups, notes):
    about = run["machine"]
    print(f"{about['cpu']}, {about['cores']} cores, {about['kernel']}, huge pages {about['transparent_huge_pages']}; "
          f"{about['compiler']}")
    print(f"commit {run['commit']}{' with changes' if run['dirty'] else ''}; {run['rounds']} rounds, medians told; "
          f"load {run['load_before']} before, {run['load_after']} after\n")
    print(table.text(groups))
    print(f"\n{table.summary(groups)}")
    for note in notes:
        print(f"Note: {note}")


def run_all(options, arguments):
    commit, dirty = machine.commit_of(ROOT)
    run = {"date": datetime.date.today().isoformat(), "commit": commit, "dirty": dirty,
           "command": shlex.join(["bench/report.py", *arguments]), "machine": machine.describe(options.programs),
           "load_before": machine.load()}
    shown = progress.Progress(sys.stderr)
    try:
        samples, run["rounds"] = runs.Runner(options.programs, shown, options.small).rounds(
            1 if options.small else options.rounds, options.seconds)
    finally:
        shown.end()
    run["load_after"] = machine.load()
    return run, samples


def notes_on(run, options):
    busy = machine.load_note(run["machine"], run["load_before"])
    notes = [busy] if busy else []
    if options.small:
        notes.append("This was a small run, to try the report: its times mean nothing.")
    elif run["rounds"] < options.rounds:
        notes.append(f"Only {run['rounds']} of {options.rounds} rounds fitted into {options.seconds} s.")
    return notes


def main(arguments):
    options = parse_arguments(arguments)
    try:
        run, samples = run_all(options, arguments)
    except runs.RunError as error:
        print(f"bench/report.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    groups, notes = figures.evaluate(samples)
    notes = notes_on(run, options) + notes
    print_report(run, groups, notes)
    if options.record:
        for path in record.write(pathlib.Path(options.results), run, samples, (groups, notes)):
            print(f"Recorded in {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")
    return 1 if options.strict and (table.missed(groups) or table.not_run(groups)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
