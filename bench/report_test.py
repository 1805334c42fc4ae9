"""The report on canned measurements: what it reads, how it judges, what it shows and what it keeps."""

import contextlib
import io
import json
import pathlib
import stat
import tempfile
import unittest

import decisions
import figures
import progress
import record
import report
import runs
import table


def run_of(name, **fields):
    return {"name": name, "run_name": name, "run_type": "iteration", "time_unit": "ns", "cpu_time": 1.0, "real_time": 1.0,
            **fields}


def printed(*entries):
    return json.dumps({"context": {"host_name": "not to be kept"}, "benchmarks": list(entries)})


def costs(**ns):
    """Samples of one round: costs(limiter_1000=50.0) is limiter/1000 at 50 ns."""
    return {"/".join(name.rsplit("_", 1)): {"cpu_time": [value]} for name, value in ns.items()}


def row(samples, name):
    groups, _ = figures.evaluate(samples)
    return next(row for group in groups for row in group if row.name == name)


class Parsing(unittest.TestCase):
    def test_a_benchmark_program_gives_its_fields_by_run_name_and_aggregates_are_left_out(self):
        text = printed(run_of("limiter/1000", cpu_time=41.5, allowed=1.0, iterations=7),
                       {**run_of("limiter/1000_median"), "run_type": "aggregate"})
        self.assertEqual(runs.parse("limiter_bench", text), {"limiter/1000": {"cpu_time": 41.5, "real_time": 1.0, "allowed": 1.0}})

    def test_the_memory_program_gives_one_object_named_by_its_keys(self):
        self.assertEqual(runs.parse("memory_bench", '{"keys": 5, "x": 1.5}'), {"memory/5": {"x": 1.5}})

    def test_a_failed_benchmark_other_units_and_other_output_are_refused_by_name(self):
        for text, why in ((printed(run_of("a/1", error_occurred=True, error_message="no room")), "a/1: no room"),
                          (printed(run_of("a/1", time_unit="us")), "a/1 reports us"), ("Segmentation fault", "limiter_bench")):
            with self.assertRaisesRegex(runs.RunError, why):
                runs.parse("limiter_bench", text)

    def test_the_median_of_the_rounds_is_told_so_one_slow_round_does_not_decide(self):
        samples = {}
        for ns in (50.0, 9000.0, 52.0):
            runs.add(samples, {"limiter/10000000": {"cpu_time": ns}})
        self.assertEqual(row(samples, "check, 10,000,000 keys").measured, "52.0 ns")


class Judging(unittest.TestCase):
    def test_a_check_three_times_as_fast_as_the_baseline_meets_its_target(self):
        found = row(costs(limiter_100000=50.0, mutex_map_100000=150.0), "check, 100,000 keys")
        self.assertEqual(found, figures.Row("check, 100,000 keys", "50.0 ns", "mutex+map 150 ns", "3.00x as fast",
                                            ">= 3x, aim 50 ns", "met, aim reached", (3.0,)))

    def test_a_check_slower_than_that_is_marked_missed_and_its_aim_is_judged_by_itself(self):
        self.assertEqual(row(costs(limiter_100000=50.0, mutex_map_100000=149.0), "check, 100,000 keys").verdict, "MISSED, aim reached")
        self.assertEqual(row(costs(limiter_100000=51.0, mutex_map_100000=153.0), "check, 100,000 keys").verdict, "met, above aim")

    def test_an_aim_alone_is_never_a_missed_target(self):
        self.assertEqual(row(costs(limiter_1000=31.0, mutex_map_1000=20.0), "check, 1,000 keys").verdict, "above aim")

    def test_a_cost_is_what_was_measured_over_what_it_stands_beside(self):
        found = row(costs(limiter_batch_10000000=161.0, limiter_batch_1000=20.0), "batch of 16, 10,000,000 keys")
        self.assertEqual((found.ratio, found.verdict), ("8.05x the cost", "MISSED"))
        found = row(costs(limiter_three_buckets_1000=90.0, limiter_1000=30.0), "three buckets, 1,000 keys")
        self.assertEqual((found.ratio, found.verdict), ("3.00x the cost", "met"))

    def test_many_rules_are_judged_by_their_cost_beside_few(self):
        for ns, verdict in ((300.0, "met"), (301.0, "MISSED")):
            found = row(costs(match_host_10000=ns, match_host_10=100.0), "10,000 rules, by host")
            self.assertEqual((found.beside, found.verdict), ("10 rules 100 ns", verdict))

    def test_two_threads_are_judged_by_their_total_rate(self):
        for total, verdict in ((17e6, "met"), (16.9e6, "MISSED")):
            samples = {f"limiter_threads/real_time/threads:{n}": {"items_per_second": [rate]} for n, rate in ((1, 10e6), (2, total))}
            found = row(samples, "two threads, different keys")
            self.assertEqual((found.beside, found.verdict), ("one thread 10.0 M/s", verdict))

    def test_memory_and_long_calls_are_judged_as_measured(self):
        samples = {figures.MEMORY: {"resident_bytes_per_key": [48.1], "another_thread_20th_longest_cpu_us": [999.0],
                                    "fill_in_small_pages_20th_longest_cpu_us": [1001.0], "nothing_20th_longest_cpu_us": [80.0]}}
        self.assertEqual(row(samples, "memory, 10,000,000 keys").verdict, "MISSED")
        found = row(samples, "20th longest call of another thread during a fill")
        self.assertEqual((found.beside, found.verdict), ("doing nothing 80.0 us", "met"))
        self.assertEqual(row(samples, "20th longest call of a fill in small pages").verdict, "MISSED")
        self.assertEqual(row(samples, "20th longest call of a fill in huge pages").verdict, "not run")

    def test_what_was_not_measured_says_so(self):
        self.assertEqual(row({}, "check, 1,000 keys").verdict, "not run")
        self.assertEqual(row(costs(limiter_1000=30.0), "check, 1,000 keys").verdict, "not run")
        self.assertEqual(row({}, "admitted of a fixed schedule").verdict, "not run")

    def test_a_benchmark_that_mostly_refuses_is_pointed_out(self):
        _, notes = figures.evaluate({"limiter/1000": {"cpu_time": [9.0], "allowed": [0.4]}})
        self.assertEqual(notes, ["limiter/1000: only 40% of its requests were admitted, so it measures refusals"])


class Ratios(unittest.TestCase):
    NAME = "check, 100,000 keys"

    def row(self, limiter, mutex_map):
        return row({"limiter/100000": {"cpu_time": limiter}, "mutex_map/100000": {"cpu_time": mutex_map}}, self.NAME)

    def test_a_machine_that_gets_twice_as_slow_half_way_changes_no_ratio(self):
        # It does so within the third turn, so that the medians are of a fast machine and of a slow one.
        found = self.row([50.0, 50.0, 50.0, 100.0, 100.0], [150.0, 150.0, 300.0, 300.0, 300.0])
        self.assertEqual((found.measured, found.beside), ("50.0 ns", "mutex+map 300 ns"))
        self.assertEqual((found.ratio, found.verdict), ("3.00x as fast", "met, aim reached"))

    def test_a_lucky_turn_does_not_make_a_target_met_nor_a_slow_one_missed(self):
        self.assertEqual(self.row([50.0] * 3, [145.0, 145.0, 900.0]).verdict, "MISSED, aim reached")
        self.assertEqual(self.row([50.0] * 3, [155.0, 155.0, 20.0]).verdict, "met, aim reached")

    def test_where_one_was_measured_more_often_the_ratio_is_that_of_the_medians(self):
        found = self.row([50.0, 60.0, 70.0], [100.0, 140.0])
        self.assertEqual((found.ratio, found.ratios), ("2.00x as fast", (2.0,)))

    def test_a_cost_is_taken_turn_by_turn_too(self):
        samples = {"match_host/10000": {"cpu_time": [200.0, 900.0, 250.0]}, "match_host/10": {"cpu_time": [100.0, 300.0, 100.0]}}
        self.assertEqual(row(samples, "10,000 rules, by host").ratios, (2.0, 3.0, 2.5))

    def test_the_record_tells_how_far_the_ratios_spread(self):
        kept = record.figure_of(self.row([50.0] * 3, [150.0, 200.0, 175.0]))
        self.assertEqual((kept["ratio"], kept["ratios"]), ("3.50x as fast", {"median": 3.5, "lowest": 3.0, "highest": 4.0}))
        self.assertIsNone(record.figure_of(figures.Row("a", "5.0 ns"))["ratios"])


class Decisions(unittest.TestCase):
    NAME = "admitted of a fixed schedule"

    def samples(self):
        return {name: {"allowed": [float(allowed)] * 2, "checksum": [float(checksum)] * 2}
                for name, (allowed, checksum) in decisions.EXPECTED.items()}

    def test_the_expected_decisions_are_met(self):
        self.assertEqual(row(self.samples(), self.NAME).verdict, "met")

    def test_another_count_another_checksum_and_a_change_between_rounds_are_missed_and_named(self):
        for field, value in (("allowed", [1.0, 1.0]), ("checksum", [1.0, 1.0]), ("checksum", [1.0, 2.0])):
            samples = self.samples()
            samples["three_buckets/iterations:200000"][field] = value
            self.assertEqual(row(samples, self.NAME).verdict, "MISSED")
            _, notes = figures.evaluate(samples)
            self.assertEqual(len(notes), 1)
            self.assertIn("three_buckets", notes[0])

    def test_a_benchmark_of_decisions_that_vanished_is_missed(self):
        samples = self.samples()
        del samples["in_batches/iterations:200000"]
        self.assertEqual(row(samples, self.NAME).verdict, "MISSED")


class Showing(unittest.TestCase):
    GROUPS = [[figures.Row("a", "5.0 ns", "mutex 9 ns", "1.80x as fast", ">= 3x", "MISSED, above aim")],
              [figures.Row("longer name", "1,000 us", verdict="met"), figures.Row("c", "-", verdict="not run")]]

    def test_the_table_lines_its_columns_up(self):
        self.assertEqual(table.text(self.GROUPS).splitlines(), [
            "Figure       Measured  Beside      Ratio          Target  Met?",
            "-----------  --------  ----------  -------------  ------  -----------------",
            "a              5.0 ns  mutex 9 ns  1.80x as fast  >= 3x   MISSED, above aim",
            "-----------  --------  ----------  -------------  ------  -----------------",
            "longer name  1,000 us                                     met",
            "c                   -                                     not run"])

    def test_the_summary_counts_what_was_met_missed_and_not_run(self):
        self.assertEqual(table.summary(self.GROUPS), "Targets: 1 met, 1 MISSED, 1 figures not run.")

    def test_in_markdown_a_missed_target_stands_out(self):
        self.assertIn("| a | 5.0 ns | mutex 9 ns | 1.80x as fast | >= 3x | **MISSED**, above aim |", table.markdown(self.GROUPS))

    def test_every_figure_of_the_report_has_a_name_of_its_own(self):
        names = [figure.name for group in figures.GROUPS for figure in group]
        self.assertEqual(len(names), len(set(names)))


class FakePrograms(unittest.TestCase):
    """The whole command, on programs that print what they are told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for program in runs.PROGRAMS:
            self.program(program, printed())
        self.program("limiter_bench", printed(run_of("limiter/100000", cpu_time=50.0), run_of("mutex_map/100000", cpu_time=60.0)))
        self.program("memory_bench", '{"keys": 10000000, "resident_bytes_per_key": 44.0}')

    def program(self, name, text, then="exit 0"):
        path = self.root / name
        path.write_text(f"#!/bin/sh\ncase $1 in *list*) echo one; exit;; esac\ncat <<'END'\n{text}\nEND\n{then}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def report(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = report.main(["--programs", str(self.root), "--rounds", "2", "--results", str(self.root / "results"), *arguments])
        return status, out.getvalue(), err.getvalue()

    def test_a_missed_target_is_told_and_fails_only_a_strict_run(self):
        status, out, err = self.report()
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"check, 100,000 keys +50.0 ns +mutex.map 60.0 ns +1.20x as fast +>= 3x, aim 50 ns +MISSED")
        self.assertRegex(out, r"memory, 10,000,000 keys +44.0 bytes/key +<= 48 bytes/key +met")
        self.assertIn("round 2 of 2: memory_bench", err)
        self.assertFalse((self.root / "results").exists())
        self.assertEqual(self.report("--strict")[0], 1)

    def test_a_recorded_run_names_commit_machine_and_command_and_keeps_all_medians(self):
        self.assertEqual(self.report("--record")[0], 0)
        page = (self.root / "results/latest.md").read_text()
        [path] = (self.root / "results").glob("*.json")
        kept = json.loads(path.read_text())
        self.assertIn(path.name, page)
        self.assertIn("**MISSED**", page)
        self.assertEqual(kept["measurements"]["limiter/100000"]["cpu_time"], {"median": 50.0, "lowest": 50.0, "highest": 50.0})
        self.assertEqual(kept["rounds"], 2)
        self.assertNotIn("not to be kept", path.read_text())
        for name in ("commit", "dirty", "command", "date", "load_before", "load_after"):
            self.assertIn(name, kept)
        for name in ("cpu", "cores", "kernel", "transparent_huge_pages", "compiler"):
            self.assertIn(name, kept["machine"])

    def test_results_of_a_changed_tree_never_replace_those_of_the_commit(self):
        run = {"date": "2024-05-01", "commit": "abc", "dirty": False}
        self.assertEqual(record.file_name(run), "2024_05_01_abc.json")
        self.assertEqual(record.file_name({**run, "dirty": True}), "2024_05_01_abc_dirty.json")

    def test_a_program_that_fails_is_named_with_its_message(self):
        self.program("token_bucket_bench", "", "echo no room >&2; exit 3")
        status, out, err = self.report()
        self.assertEqual((status, out), (1, ""))
        self.assertIn("token_bucket_bench: exit status 3: no room", err)

    def test_a_program_that_is_not_built_is_named_with_what_to_do(self):
        (self.root / "memory_bench").unlink()
        status, _, err = self.report()
        self.assertEqual(status, 1)
        self.assertRegex(err, r"memory_bench: No such file or directory; `make bench` builds it")

    def test_a_program_that_hangs_is_stopped_when_the_time_is_up(self):
        self.program("limiter_bench", "", "exec sleep 100")
        with self.assertRaisesRegex(runs.OutOfTime, "limiter_bench: stopped, the time was up"):
            runs.Runner(self.root, progress.Progress(io.StringIO())).rounds(2, seconds=0)


class SlowRunner(runs.Runner):
    """Each program of a round takes what is given for that round, on a clock of its own, and is stopped at the deadline."""

    def __init__(self, *seconds_of_rounds):
        super().__init__("", None, now=lambda: self.time)
        self.time = 0
        self.left = [seconds for seconds in seconds_of_rounds for _ in runs.PROGRAMS]

    def run(self, program, stage, deadline):
        self.time += self.left.pop(0)
        if self.time > deadline:
            raise runs.OutOfTime(program)
        return {program: {"x": self.time}}


class Rounds(unittest.TestCase):
    ROUND = 10 * len(runs.PROGRAMS)

    def test_a_round_that_would_end_too_late_is_not_begun(self):
        runner = SlowRunner(10, 10, 10)
        samples, done = runner.rounds(3, seconds=2.9 * self.ROUND)
        self.assertEqual((done, runner.time), (2, 2 * self.ROUND))
        self.assertEqual(len(samples[runs.PROGRAMS[0]]["x"]), 2)

    def test_a_round_that_was_stopped_counts_for_nothing(self):
        samples, done = SlowRunner(10, 30).rounds(2, seconds=2.5 * self.ROUND)
        self.assertEqual(done, 1)
        self.assertEqual({len(fields["x"]) for fields in samples.values()}, {1})

    def test_a_first_round_that_was_stopped_is_an_error(self):
        with self.assertRaises(runs.OutOfTime):
            SlowRunner(10).rounds(1, seconds=self.ROUND - 1)

    def test_fewer_rounds_than_wanted_are_told(self):
        options = report.parse_arguments(["--rounds", "7", "--seconds", "60"])
        run = {"rounds": 3, "machine": {"cores": 2}, "load_before": 0.1}
        self.assertEqual(report.notes_on(run, options), ["Only 3 of 7 rounds fitted into 60 s."])


if __name__ == "__main__":
    unittest.main()
