"""The report on the real programs, run small: it finds every benchmark it has a figure for, and decisions are as ever."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class SmallRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = [sys.executable, "-B", HERE / "report.py", "--small", "--programs", os.environ["SLUICE_BENCH_PROGRAMS"]]
        cls.done = subprocess.run(command, capture_output=True, text=True)

    def lines(self, pattern):
        return [line for line in self.done.stdout.splitlines() if re.search(pattern, line)]

    def test_it_succeeds_and_says_that_it_is_small(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("a small run", self.done.stdout)

    def test_only_figures_of_a_million_keys_and_more_are_not_run(self):
        left_out = self.lines("not run$")
        self.assertEqual(len(left_out), 8, self.done.stdout)
        for line in left_out:
            self.assertRegex(line, r"0,000,000 keys|1,000,000 keys|20th longest call")

    def test_the_decisions_are_the_expected_ones(self):
        self.assertEqual(len(self.lines(r"^admitted of a fixed schedule .* met$")), 1, self.done.stdout)

    def test_every_request_of_the_keyed_benchmarks_is_admitted(self):
        self.assertEqual(self.lines("were admitted"), [])


if __name__ == "__main__":
    unittest.main()
