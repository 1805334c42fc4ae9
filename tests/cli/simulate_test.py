"""`sluice simulate` from the command line: what it says, to people and to programs, and what it refuses."""

import csv
import io
import json
import os
import pathlib
import pty
import shlex
import unittest
from fractions import Fraction

from program import SLUICE, environment, run, simulate

ALGORITHMS = [
    "token_bucket",
    "leaky_bucket",
    "leaky_queue",
    "fixed_window",
    "sliding_window_log",
    "sliding_window_counter",
]


def on_a_terminal(*arguments, **extra_environment):
    """What the program prints when its output is a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(SLUICE, [SLUICE, *arguments], environment(TERM="xterm", **extra_environment))
    chunks = []
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return b"".join(chunks).decode("utf-8")


class Json(unittest.TestCase):
    def test_agrees_with_exact_arithmetic_on_the_worked_example(self):
        result = simulate("--json", arrivals="60/s for 2s, idle 5s, 100 at once")
        self.assertEqual(result.returncode, 0)
        data = json.loads(result.stdout, parse_float=Fraction)
        (algorithm,) = data["algorithms"]
        tokens, last = Fraction(50), Fraction(0)
        times = [Fraction(k * 10**9 // 60, 10**6) for k in range(120)] + [Fraction(7000)] * 100
        self.assertEqual([request["at_ms"] for request in algorithm["requests"]], times)
        for request in algorithm["requests"]:
            now = request["at_ms"]
            tokens, last = min(Fraction(50), tokens + (now - last) / 100), now
            self.assertEqual(request["allowed"], tokens >= 1)
            if tokens >= 1:
                tokens -= 1
                self.assertEqual(request["retry_after_ms"], 0)
            else:
                wait_ns = (1 - tokens) * 100 * 10**6
                self.assertEqual(request["retry_after_ms"] * 10**6, -(-wait_ns // 1))
            self.assertEqual(request["remaining"] * 10**6, tokens * 10**6 // 1)
        summary = algorithm["summary"]
        self.assertEqual((summary["requests"], summary["allowed"], summary["rejected"]), (220, 119, 101))
        self.assertEqual(summary["longest_wait_ms"], 100)

    def test_says_which_config_and_limits_were_used(self):
        data = json.loads(simulate("--json", "--algorithm", "all", "--cost", "0.5").stdout)
        self.assertEqual(
            data["config"],
            {"rate": 10, "burst": 50, "cost": 0.5, "arrivals": "60/s for 2s", "duration_ms": 2000},
        )
        self.assertEqual([entry["algorithm"] for entry in data["algorithms"]], ALGORITHMS)
        limits = {entry["algorithm"]: entry["limit"] for entry in data["algorithms"]}
        self.assertEqual(limits["token_bucket"], {"capacity": 50, "rate": 10})
        self.assertEqual(limits["fixed_window"], {"capacity": 50, "window_ms": 5000})

    def test_a_given_window_holds_rate_times_window(self):
        data = json.loads(simulate("--json", "--algorithm", "fixed_window", "--window", "1.5s").stdout)
        self.assertEqual(data["algorithms"][0]["limit"], {"capacity": 15, "window_ms": 1500})

    def test_what_can_never_pass_has_no_retry_after(self):
        data = json.loads(simulate("--json", "--cost", "51", arrivals="1 at once").stdout)
        (algorithm,) = data["algorithms"]
        self.assertIsNone(algorithm["requests"][0]["retry_after_ms"])
        self.assertIsNone(algorithm["summary"]["longest_wait_ms"])
        self.assertEqual(algorithm["summary"]["cost_exceeds_capacity"], 1)

    def test_without_requests_is_still_json(self):
        data = json.loads(simulate("--json", "--algorithm", "all", arrivals="idle 1s").stdout)
        for entry in data["algorithms"]:
            self.assertEqual(entry["requests"], [])
            self.assertIsNone(entry["summary"]["allowed_percent"])


class Csv(unittest.TestCase):
    def test_has_a_header_and_a_row_per_request_and_algorithm(self):
        result = simulate("--csv", "--algorithm", "token_bucket,leaky_queue")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual(len(rows), 240)
        self.assertEqual(
            rows[1],
            {
                "algorithm": "token_bucket",
                "at_ms": "16.666666",
                "cost": "1",
                "allowed": "true",
                "remaining": "48.166666",
                "retry_after_ms": "0",
                "delay_ms": "0",
            },
        )
        self.assertEqual([row["allowed"] for row in rows[:60]], ["true"] * 59 + ["false"])
        self.assertEqual(rows[121]["delay_ms"], "83.333334")

    def test_tells_the_same_as_json(self):
        options = ["--algorithm", "all", "--demo"]
        rows = list(csv.DictReader(io.StringIO(run("simulate", "--csv", *options).stdout)))
        data = json.loads(run("simulate", "--json", *options).stdout, parse_float=str, parse_int=str)
        requests = [
            {"algorithm": entry["algorithm"], **request, "allowed": str(request["allowed"]).lower()}
            for entry in data["algorithms"]
            for request in entry["requests"]
        ]
        self.assertEqual(rows, requests)


class ForPeople(unittest.TestCase):
    def test_the_demo_explains_itself_and_its_next_commands_run(self):
        result = run("simulate", "--demo")
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith("A full bucket of 50 tokens"))
        for algorithm in ALGORITHMS:
            self.assertRegex(result.stdout, rf"(?m)^{algorithm}  +\d+ ")
            self.assertRegex(result.stdout, rf"(?m)^{algorithm}  (rate|capacity) ")
        before, following = result.stdout.split("What to try next:\n")
        self.assertLessEqual(max(map(len, before.splitlines())), 80)
        for line in following.splitlines():
            command = line.split("#")[0].strip()
            self.assertTrue(command.startswith(f"{SLUICE} simulate"), command)
            self.assertEqual(os.system(f"{command} >/dev/null"), 0, command)

    def test_the_table_shows_the_worked_example(self):
        table = simulate(arrivals="60/s for 2s, idle 5s, 100 at once").stdout
        self.assertRegex(table, r"(?m)^token_bucket +119 +101 +54\.0% +983\.3ms +100ms$")

    def test_a_leaky_queue_shows_its_longest_delay(self):
        text = simulate("--algorithm", "leaky_queue", arrivals="100 at once").stdout
        self.assertIn("longest delay 4.9s", text)

    def test_says_which_window_was_used(self):
        text = simulate("--algorithm", "fixed_window").stdout
        self.assertIn("Window algorithms: capacity 50 (burst) per window of 5s (burst / rate)", text)
        text = simulate("--algorithm", "fixed_window", "--window", "1s").stdout
        self.assertIn("Window algorithms: capacity 10 (rate x window) per window of 1s (--window)", text)

    def test_draws_in_ascii_where_the_locale_is_not_utf8(self):
        self.assertTrue(simulate(LC_ALL="C").stdout.isascii())
        self.assertIn("█", simulate(LC_ALL="C.UTF-8").stdout)

    def test_takes_its_width_from_the_option_or_columns(self):
        def width(text):
            return max(map(len, text.splitlines()))

        for columns in (60, 80, 160):
            by_option = simulate("--width", str(columns), "--algorithm", "all").stdout
            by_environment = simulate("--algorithm", "all", COLUMNS=str(columns)).stdout
            self.assertEqual(by_option, by_environment)
            self.assertLessEqual(width(by_option), columns)
            self.assertGreater(width(by_option), columns * 0.75)

    def test_has_colors_on_a_terminal_only_and_never_against_ones_will(self):
        command = ["simulate", "--rate", "10", "--burst", "50", "--arrivals", "60/s for 2s"]
        colored = on_a_terminal(*command)
        self.assertIn("\x1b[32m", colored)
        self.assertIn("\x1b[31m", colored)
        self.assertNotIn("\x1b", on_a_terminal(*command, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_a_terminal(*command, "--no-color"))
        self.assertNotIn("\x1b", run(*command).stdout)


class Documentation(unittest.TestCase):
    def test_shows_what_the_program_prints(self):
        page = pathlib.Path(__file__).parents[2] / "docs" / "simulate.md"
        example = page.read_text(encoding="utf-8").split("```console\n$ ")[1].split("```")[0]
        command, output = example.split("\n", 1)
        self.assertEqual(run(*shlex.split(command)[1:]).stdout, output)


class Refusals(unittest.TestCase):
    def assert_refused(self, result, message, hint=None):
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        self.assertEqual(lines[0], message)
        self.assertEqual(lines[1:], [] if hint is None else [f"  hint: {hint}"])

    def test_numbers_that_are_none(self):
        for name, largest in (
            ("rate", "1e9 tokens per second"),
            ("burst", "1e9 tokens"),
            ("cost", "1e12 tokens"),
        ):
            for text, what in (
                ("0", "greater than 0"),
                ("-1", "greater than 0"),
                ("nan", "a finite number"),
                ("inf", "a finite number"),
                ("abc", "a finite number"),
                ("1x", "a finite number"),
                ("0x10", "a finite number"),
                ("1e999", "a finite number"),
                ("1e300", f"at most {largest}"),
            ):
                with self.subTest(name=name, text=text):
                    numbers = {"--rate": "10", "--burst": "50", f"--{name}": text}
                    options = [part for pair in numbers.items() for part in pair]
                    result = run("simulate", *options, "--arrivals", "1 at once")
                    self.assert_refused(result, f"--{name} '{text}': {name} must be {what}")

    def test_arrivals_that_are_not_understood(self):
        self.assert_refused(
            simulate(arrivals="   60/x"),
            "arrivals: at character 7: expected 's', 'min', 'h' or 'd' after '60/', but found 'x'",
            "e.g. '60/s for 2s, idle 5s, 100 at once'",
        )

    def test_more_work_than_is_sensible(self):
        self.assert_refused(
            simulate(arrivals="1000000/s for 1d"),
            "arrivals: at character 1: more than 10000000 requests in all; lower this rate or shorten the phase",
            "e.g. '60/s for 2s, idle 5s, 100 at once'",
        )

    def test_what_is_missing(self):
        self.assert_refused(
            run("simulate", "--rate", "10", "--arrivals", "1 at once"),
            "sluice simulate: --burst is missing",
            "sluice simulate --rate 10 --burst 50 --arrivals '60/s for 2s', or --demo",
        )

    def test_algorithms_that_do_not_exist(self):
        self.assert_refused(
            simulate("--algorithm", "token_bucket,tokens"),
            "--algorithm: there is no algorithm 'tokens'",
            f"choose from {', '.join(ALGORITHMS)}, or all",
        )

    def test_windows_that_cannot_be(self):
        self.assert_refused(
            simulate("--window", "5s"),
            "--window 5s: none of the chosen algorithms has a window",
            "add --algorithm fixed_window, or leave --window out",
        )
        self.assert_refused(
            simulate("--algorithm", "fixed_window", "--window", "5"),
            "window: at character 2: expected 'ns', 'us', 'ms', 's', 'm', 'min', 'h' or 'd' after '5', "
            "but the text ends there",
            "e.g. '5s'",
        )
        result = simulate("--algorithm", "all", rate="1000000")
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("fixed_window: burst / rate = 50us: window must be between 1 "))

    def test_combinations_that_contradict(self):
        self.assertEqual(simulate("--json", "--csv").returncode, 2)
        self.assertEqual(simulate("--demo").returncode, 2)

    def test_widths_that_cannot_be_drawn(self):
        for width in ("0", "39", "501", "wide", "-1"):
            self.assert_refused(
                simulate("--width", width), f"--width '{width}': must be a number of columns from 40 to 500"
            )


if __name__ == "__main__":
    unittest.main()
