"""Every rules file in examples/ is without faults and does what it says it does."""

import json
import os
import pathlib
import unittest

from program import run

EXAMPLES = pathlib.Path(os.environ["SLUICE_EXAMPLES"])


def decide(name, request, times=1):
    result = run("check", "--rules", str(EXAMPLES / name), "--request", json.dumps(request), "--times", str(times), "--json")
    assert (result.returncode, result.stderr) == (0, ""), f"{name}: {result.stderr}"
    return json.loads(result.stdout)


def outcome(decision):
    return decision["allowed"], decision["rule"], decision["remaining"], decision["retry_after_ms"]


class Examples(unittest.TestCase):
    def expect(self, name, request, times, expected):
        self.assertEqual(outcome(decide(name, request, times)), expected, f"{name}: {request} x {times}")

    def test_each_is_without_faults_and_exercised_here(self):
        files = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".json", ".yaml")}
        for name in files:
            result = run("rules", "lint", str(EXAMPLES / name))
            self.assertEqual(result.returncode, 0, result.stderr)
        tested = {method.removeprefix("test_example_") for method in dir(self) if method.startswith("test_example_")}
        self.assertEqual({pathlib.Path(name).stem for name in files}, tested)

    def test_example_tiers_by_plan(self):
        def of(user, plan):
            return {"path": "/v1/x", "host": "api.example.com", "attributes": {"user_id": user, "plan": plan}}

        self.expect("tiers_by_plan.json", of("1", "enterprise"), 2000, (True, "enterprise", 0, 0))
        self.expect("tiers_by_plan.json", of("1", "team"), 201, (False, "pro", 0, 10))
        self.expect("tiers_by_plan.json", of("1", "free"), 21, (False, "free", 0, 100))
        rules = [bucket["rule"] for bucket in decide("tiers_by_plan.json", of("1", "pro"))["buckets"]]
        self.assertEqual(rules, ["pro", "global"])
        self.assertEqual(decide("tiers_by_plan.json", {"path": "/v2", "host": "api.example.com"})["buckets"], [])

    def test_example_per_ip(self):
        behind_proxy = {"ip": "10.1.2.3", "headers": {"X-Forwarded-For": "203.0.113.7, 192.168.0.9"}}
        self.expect("per_ip.yaml", behind_proxy, 31, (False, "per-address", 0, 200))
        keys = [bucket["key"] for bucket in decide("per_ip.yaml", behind_proxy)["buckets"]]
        self.assertEqual(keys, ["default|per-address|203.0.113.7", "default|per-network|203.0.113.0/24"])
        liar = {"ip": "198.51.100.1", "headers": {"X-Forwarded-For": "203.0.113.7"}}
        self.assertIn("198.51.100.1", decide("per_ip.yaml", liar)["buckets"][0]["key"])

    def test_example_weighted_costs(self):
        def of(cost):
            return {"path": "/v1/x", "headers": {"X-Api-Key": "k", "X-Request-Cost": cost}}

        self.expect("weighted_costs.json", of("30"), 2, (True, "work", 440, 0))
        self.expect("weighted_costs.json", of("lots"), 1, (True, "work", 499, 0))
        self.expect("weighted_costs.json", of("9999"), 1, (True, "work", 250, 0))
        export = {"method": "POST", "path": "/v1/export", "headers": {"X-Api-Key": "k"}}
        self.expect("weighted_costs.json", export, 3, (False, "exports", 0, 10000))

    def test_example_login_protection(self):
        attempt = {"method": "POST", "path": "/login", "ip": "203.0.113.7", "attributes": {"account": "ann"}}
        self.expect("login_protection.yaml", attempt, 6, (False, "per-address", 0, 10000))
        nameless = decide("login_protection.yaml", {"method": "POST", "path": "/login", "ip": "203.0.113.7"})
        self.assertEqual((nameless["allowed"], nameless["reason"]), (False, "missing_key"))
        self.assertTrue(decide("login_protection.yaml", {"method": "GET", "path": "/login"})["allowed"])

    def test_example_llm_tokens(self):
        def of(tokens):
            return {"headers": {"X-Api-Key": "k", "X-LLM-Tokens": tokens}}

        self.expect("llm_tokens.json", of("20000"), 3, (True, "llm-tokens", 0, 0))
        self.expect("llm_tokens.json", of("20000"), 4, (False, "llm-tokens", 0, 20000))
        self.expect("llm_tokens.json", of("1000000"), 1, (True, "llm-tokens", 28000, 0))
        both = decide("llm_tokens.json", of("500"))["buckets"]
        self.assertEqual([(bucket["limit"], bucket["remaining"]) for bucket in both], [(60000, 59500), (2000000, 1999500)])
        self.assertEqual(decide("llm_tokens.json", {})["reason"], "missing_key")

    def test_example_burst_credit(self):
        read = {"attributes": {"tenant": "t", "table": "orders"}, "headers": {"X-Read-Units": "30000"}}
        self.expect("burst_credit.json", read, 1, (True, "table-reads", 0, 0))
        self.expect("burst_credit.json", read, 2, (False, "table-reads", 0, 300000))

    def test_example_shadow_rollout(self):
        search = {"path": "/v1/search", "headers": {"X-Api-Key": "k"}}
        decision = decide("shadow_rollout.yaml", search, 41)
        self.assertEqual((decision["allowed"], decision["policy"], decision["remaining"]), (True, "search", 159))
        self.assertEqual([(bucket["policy"], bucket["allowed"]) for bucket in decision["shadow"]], [("search-next", False)])

    def test_example_kill_switch(self):
        leaked = decide("kill_switch.json", {"headers": {"X-Api-Key": "key_3f9a1c"}})
        self.assertEqual((leaked["allowed"], leaked["reason"]), (False, "kill_switch"))
        for address in ("198.51.100.77", "2001:db8:dead::1"):
            self.assertEqual(decide("kill_switch.json", {"ip": address})["reason"], "kill_switch")
        self.expect("kill_switch.json", {"ip": "203.0.113.1", "headers": {"X-Api-Key": "good"}}, 1, (True, "per-key", 19, 0))


if __name__ == "__main__":
    unittest.main()
