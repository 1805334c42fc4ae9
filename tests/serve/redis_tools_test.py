"""redis-cli and redis-benchmark, as Debian ships them."""

import subprocess
import unittest

from server import environment, serving
from throttle_cases import CASES, differs, FAULTS
from wire import ask_http, ask_resp, check


def run(tool, port, *arguments, given=None):
    command = [tool, "-h", "127.0.0.1", "-p", str(port), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, input=given, env=environment(), timeout=60)


class RedisTools(unittest.TestCase):
    def test_every_answer_of_a_sequence_is_as_expected_in_both_protocols(self):
        for protocol in ("-2", "-3"):
            with serving() as server:
                for arguments, expected in CASES:
                    result = run("redis-cli", server.resp, protocol, "CL.THROTTLE", *arguments)
                    self.assertEqual(result.stderr, "")
                    answer = [int(line) for line in result.stdout.split()]
                    self.assertIsNone(differs(expected, answer), f"{protocol} {arguments}")
                for arguments, word in FAULTS:
                    result = run("redis-cli", server.resp, protocol, "CL.THROTTLE", *arguments)
                    self.assertIn("ERR ", result.stdout)
                    self.assertIn(word, result.stdout)

    def test_decisions_by_rules_are_maps_in_resp3(self):
        rules = {"rules": [{"name": "user", "limit_keys": ["attr:user_id"], "algorithm_config": {"rps": 1e-6, "burst": 2.5}}]}
        with serving(rules=rules) as server:
            check = ("SLUICE.CHECK", "PATH", "/", "ATTR", "user_id", "42")
            result = run("redis-cli", server.resp, "-3", "--json", *check)
            self.assertIn('"allowed":true', result.stdout)
            self.assertIn('"remaining":1.5', result.stdout)
            result = run("redis-cli", server.resp, "-2", *check)
            self.assertEqual(result.stdout.split()[:2], ["allowed", "1"])
            self.assertIn("token_bucket_exceeded", run("redis-cli", server.resp, *check).stdout)

    def test_info_counts_what_the_whole_server_decided(self):
        with serving("--loops", "4") as server:
            for i in range(40):
                self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 29, 1, 1_000_000)[0], int(i >= 30))
            for _ in range(3):
                ask_http(server.http, "POST", "/v1/check", check(key="other", burst=1))
            for _ in range(8):
                self.assertIn("\nallowed:31\nrejected:12\n", run("redis-cli", server.resp, "INFO").stdout.replace("\r", ""))

    def test_many_commands_from_standard_input_are_answered_in_order(self):
        with serving() as server:
            lines = "".join(f"ECHO line-{i}\n" for i in range(2000))
            result = run("redis-cli", server.resp, given=lines)
            self.assertEqual(result.stdout.split(), [f"line-{i}" for i in range(2000)])

    def test_the_pipe_mode_of_redis_cli_loses_nothing(self):
        with serving() as server:
            result = run("redis-cli", server.resp, "--pipe", given="CL.THROTTLE k 999 1 1000000\r\n" * 1000)
            self.assertIn("errors: 0, replies: 1000", result.stdout)
            self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 999, 1, 1_000_000)[:3], [1, 1000, 0])

    def test_redis_benchmark_runs_without_errors_and_every_command_counts(self):
        with serving() as server:
            for depth, count in ((1, 5000), (64, 64000)):
                limit = (f"depth-{depth}", 99_999, 1, 80_000)
                result = run("redis-benchmark", server.resp, "-q", "-n", count, "-c", 16, "-P", depth,
                             "CL.THROTTLE", *limit)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertNotIn("rror", result.stdout + result.stderr)
                self.assertIn("requests per second", result.stdout)
                self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", *limit, 0)[2], 100_000 - count)

    def test_its_own_tests_run_too(self):
        with serving() as server:
            result = run("redis-benchmark", server.resp, "-q", "-n", 2000, "-t", "ping_inline,ping_mbulk", "-P", 16)
            self.assertEqual((result.returncode, result.stdout.count("requests per second")), (0, 2), result.stdout)


if __name__ == "__main__":
    unittest.main()
