"""wrk at full speed for a second: every answer is a 200, and none is missing."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from server import environment, serving
from wire import ask_http

SCRIPT = """
wrk.method = "POST"
wrk.body = '{"key": "wrk", "rate": 1e9, "burst": 1e9}'
done = function(summary, latency, requests)
  local e = summary.errors
  print(string.format("requests %d faults %d", summary.requests, e.connect + e.read + e.write + e.status + e.timeout))
end
"""


class Wrk(unittest.TestCase):
    def run_wrk(self, url, *arguments):
        command = ["wrk", "-t1", "-c16", "-d1s", "--timeout", "10s", *arguments, url]
        result = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_checks_are_all_answered(self):
        with tempfile.TemporaryDirectory() as folder, serving() as server:
            script = pathlib.Path(folder) / "check.lua"
            script.write_text(SCRIPT)
            requests, faults = re.search(r"requests (\d+) faults (\d+)", self.run_wrk(server.url("/v1/check"), "-s", str(script))).groups()
            self.assertEqual(faults, "0")
            self.assertGreater(int(requests), 1000)

    def test_decisions_are_all_answered_and_all_counted(self):
        rules = {"rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1e-6, "burst": 1_000_000}}]}
        with serving(rules=rules) as server:
            output = self.run_wrk(server.url("/v1/decision"))
            self.assertNotRegex(output, "Socket errors|Non-2xx")
            told = int(re.search(r"(\d+) requests in", output).group(1))
            left = ask_http(server.http, "POST", "/v1/peek", {"request": {"path": "/"}}).json()["remaining"]
            taken = 1_000_000 - int(left)  # a millionth may have come back
            # Those that wrk had under way when it stopped were decided too.
            self.assertTrue(told <= taken <= told + 16, (told, taken))


if __name__ == "__main__":
    unittest.main()
