"""`sluice check`: a decision without a server, and how it came about."""

import json
import pathlib
import re
import shlex
import tempfile
import unittest

from program import run

RULES = {
    "policies": [
        {
            "id": "api",
            "selector": {"pathPrefix": "/v1", "methods": ["GET"]},
            "rules": [
                {"name": "pro", "limit_keys": ["header:x-api-key"], "match": {"attr:plan": "pro"},
                 "algorithm_config": {"rps": 100, "burst": 200}},
                {"name": "free", "limit_keys": ["header:x-api-key"], "algorithm_config": {"rps": 10, "burst": 20}},
                {"name": "trial", "limit_keys": ["ip:address"], "mode": "shadow",
                 "algorithm_config": {"rps": 1, "burst": 1}},
            ],
        }
    ]
}
REQUEST = {"method": "GET", "path": "/v1/x", "ip": "203.0.113.7", "headers": {"X-Api-Key": "abc"}}


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.rules = pathlib.Path(folder.name) / "rules.json"
        self.rules.write_text(json.dumps(RULES))

    def check(self, *options, request=REQUEST):
        text = request if isinstance(request, str) else json.dumps(request)
        return run("check", "--rules", str(self.rules), "--request", text, *options)

    def decision(self, *options, request=REQUEST):
        result = self.check("--json", *options, request=request)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_an_allowed_request_shows_buckets_and_headers(self):
        result = self.check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("allowed\n"))
        self.assertRegex(result.stdout, r"(?m)^api/free +10/s, 20 at once +20 +19 +100ms$")
        self.assertIn('RateLimit: "free";r=19;t=1\n', result.stdout)
        self.assertIn("shadow bucket", result.stdout)
        self.assertNotIn("trial\"", result.stdout)

    def test_a_folder_of_rules_is_one_set(self):
        folder = self.rules.parent
        (folder / "more.yaml").write_text(
            "policies: [{id: all, rules: [{name: everyone, limit_keys: [], algorithm_config: {rps: 1, burst: 7}}]}]")
        self.rules = folder
        decision = self.decision()
        self.assertEqual([bucket["policy"] for bucket in decision["buckets"]], ["all", "api"])
        self.assertEqual((decision["rule"], decision["limit"]), ("everyone", 7))
        (folder / "more.yaml").write_text("polices: []")
        result = self.check()
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{folder}/more.yaml:1:1: polices: 'polices' is no field of the file", result.stderr)

    def test_a_rejected_request_says_why_and_for_how_long(self):
        result = self.check("--times", "21")
        self.assertEqual(result.returncode, 0)
        first = result.stdout.splitlines()[0]
        self.assertEqual(first, "rejected: token_bucket_exceeded, rule 'free' of policy 'api'; passes in 100ms")
        self.assertRegex(result.stdout, r"(?m)^Retry-After: \d+$")
        self.assertIn("X-Sluice-Reason: token_bucket_exceeded\n", result.stdout)

    def test_a_request_that_no_rule_is_for_passes(self):
        result = self.check(request={"method": "GET", "path": "/v2"})
        self.assertEqual(result.stdout, "allowed: no rule applies\n")

    def test_explain_says_of_every_rule_why_it_did_or_did_not_apply(self):
        result = self.check("--explain", "--times", "3")
        self.assertRegex(result.stdout, r"(?m)^ +no pro: .*attr:plan")
        self.assertRegex(result.stdout, r"(?m)^ +applies free: ")
        self.assertIn("bucket api|free|abc, cost 1\n", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^ +applies trial \(shadow\): ")
        self.assertIn("client: 203.0.113.7", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^api/free .* 18 +17 ")

    def test_explain_says_why_nothing_applies(self):
        result = self.check("--explain", request={"method": "DELETE", "path": "/v1/x"})
        self.assertEqual(len(re.findall(r"(?m)^ +no \w+.*DELETE", result.stdout)), 3)

    def test_explain_names_what_is_not_active(self):
        limit = {"limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}
        policies = [{"id": "old", "is_active": False, "rules": [{"name": "a", **limit}]},
                    {"id": "now", "rules": [{"name": "b", "is_active": False, **limit}, {"name": "c", **limit}]}]
        self.rules.write_text(json.dumps({"policies": policies}))
        self.assertIn("\npolicy old: not active\nrule now/b: not active\n", self.check("--explain").stdout)
        self.assertEqual(self.decision("--explain")["explain"]["not_active"], ["policy old", "rule now/b"])

    def test_json_is_the_body_that_the_server_answers_with(self):
        decision = self.decision()
        self.assertEqual((decision["allowed"], decision["policy"], decision["rule"]), (True, "api", "free"))
        self.assertEqual((decision["limit"], decision["remaining"], decision["reset_after_ms"]), (20, 19, 100))
        self.assertEqual([bucket["key"] for bucket in decision["buckets"]], ["api|free|abc"])
        self.assertEqual([bucket["rule"] for bucket in decision["shadow"]], ["trial"])
        both = self.decision("--explain", "--times", "2")
        self.assertEqual(both["decision"]["remaining"], 18)
        self.assertEqual([(rule["rule"], rule["applies"]) for rule in both["explain"]["rules"]],
                         [("pro", False), ("free", True), ("trial", True)])

    def test_tiers_cost_and_impossible_costs_show(self):
        pro = {**REQUEST, "attributes": {"plan": "pro"}, "cost": 2.5}
        self.assertEqual((self.decision(request=pro)["rule"], self.decision(request=pro)["remaining"]), ("pro", 197.5))
        result = self.check(request={**REQUEST, "cost": 21})
        self.assertEqual(result.stdout.splitlines()[0],
                         "rejected: cost_exceeds_capacity, rule 'free' of policy 'api'; waiting does not help")

    def test_bad_requests_are_one_line_with_a_hint(self):
        for request, expected in (
            ({"methd": "GET"}, "there is no field 'methd'"),
            ({"cost": -1}, "cost must be a number above 0"),
            ('{"method": ', "column"),
            ("", "column"),
            ("[]", "request must be an object"),
        ):
            result = self.check(request=request)
            self.assertEqual((result.returncode, result.stdout), (2, ""), request)
            lines = result.stderr.splitlines()
            self.assertEqual(len(lines), 2, result.stderr)
            self.assertIn("sluice check: --request: ", lines[0])
            self.assertIn(expected, lines[0])
            self.assertTrue(lines[1].startswith("  hint: "))

    def test_bad_rules_are_told_with_their_place(self):
        self.rules.write_text('{"rules": [\n  {"name": "a", "limit_keys": [], "algorithm_config": {"rps": 0, "burst": 1}}\n]}')
        result = self.check()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn(f"{self.rules}:2:", result.stderr)
        self.assertIn("rps", result.stderr)
        self.rules.unlink()
        result = self.check()
        self.assertEqual(result.returncode, 2)
        self.assertIn("No such file", result.stderr)

    def test_the_examples_of_its_help_work(self):
        examples = re.findall(r"(?m)^  sluice (check .*)$", run("check", "--help").stdout)
        self.assertGreaterEqual(len(examples), 3)
        for example in examples:
            arguments = [str(self.rules) if word == "rules.json" else word for word in shlex.split(example)]
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), example)


if __name__ == "__main__":
    unittest.main()
