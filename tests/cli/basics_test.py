"""What every command shares: help, exit codes, one clear line of error, and a reader that may leave."""

import re
import signal
import subprocess
import unittest

from program import SLUICE, environment, run


class Basics(unittest.TestCase):
    def test_version_is_one_line(self):
        for arguments in (["version"], ["--version"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stdout, r"\Asluice \d+\.\d+\.\d+\n\Z")
            self.assertEqual(result.stderr, "")

    def test_help_lists_every_command_and_each_has_its_own(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        listed = result.stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        commands = [line.split()[0] for line in listed.splitlines()]
        self.assertLessEqual({"simulate", "version"}, set(commands))
        for command in commands:
            own = run(command, "--help")
            self.assertEqual(own.returncode, 0, command)
            self.assertIn("--help", own.stdout)
            self.assertEqual(own.stderr, "")

    def test_help_teaches_by_examples_that_run(self):
        examples = re.findall(r"^  sluice (simulate .*)$", run("simulate", "--help").stdout, re.M)
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            command = f"'{SLUICE}' {example.split(' > ')[0]}"
            result = subprocess.run(["sh", "-c", command], capture_output=True, env=environment(), timeout=60)
            self.assertEqual(result.returncode, 0, example)

    def test_bad_usage_is_exit_2_and_one_line_with_a_hint(self):
        for arguments, expected in (
            ([], "sluice: a command is missing"),
            (["frobnicate"], "sluice: there is no command 'frobnicate'"),
            (["frobnicate", "--help"], "sluice: there is no command 'frobnicate'"),
            (["top", "--help"], "sluice: there is no command 'top'"),
            (["--frobnicate"], "sluice: there is no option '--frobnicate'"),
            (["simulate", "--frobnicate"], "sluice simulate: there is no option '--frobnicate'"),
            (["version", "extra"], "sluice version: did not expect 'extra'"),
        ):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stdout, "")
            lines = result.stderr.splitlines()
            self.assertEqual(lines[0], expected)
            self.assertEqual(len(lines), 2)
            self.assertTrue(lines[1].startswith("  hint: 'sluice"), lines[1])

    def test_a_reader_that_leaves_is_no_error(self):
        command = [SLUICE, "simulate", "--rate", "1", "--burst", "1", "--arrivals", "300000 at once", "--csv"]
        for disposition in (signal.SIG_DFL, signal.SIG_IGN):
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(),
                preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition),
                restore_signals=False,
            )
            self.assertTrue(process.stdout.readline().startswith(b"algorithm,"))
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertIn(process.wait(timeout=60), (0, -signal.SIGPIPE))
            self.assertEqual(errors, b"")

    def test_a_full_disk_is_a_failure_that_is_told(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run(
                [SLUICE, "version"], stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60
            )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, b"cannot write the output: No space left on device\n")


if __name__ == "__main__":
    unittest.main()
