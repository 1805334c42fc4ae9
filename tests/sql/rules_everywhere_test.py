"""Rules as rows: whichever way one is changed, the running server has it within a second."""

import json
import signal
import subprocess
import unittest

from server import PATIENCE, environment, until
from tables import (RULES, SLOW, SOON_S, TOKEN, add_rule, admin, check, database, folder, limits, metrics, peek, readiness,
                    rows, seconds_until, serving_tables, sluice, sqlite)

USER = "user:{user_id}"


def curl(server, path, body):
    command = ["curl", "-sS", "--fail-with-body", f"http://127.0.0.1:{server.admin}{path}",
               "-H", f"Authorization: Bearer {TOKEN}", "-d", json.dumps(body)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


class FourWays(unittest.TestCase):
    def acts_soon(self, server, expected, **request):
        took = seconds_until(lambda: limits(server, **request) == expected, f"limits of {expected}")
        self.assertLess(took, SOON_S)

    def test_a_server_makes_its_database_and_every_way_of_adding_a_rule_acts_within_a_second(self):
        with folder() as data, serving_tables(data) as server:
            self.assertTrue(database(data).exists())
            self.assertEqual(check(server, "42").status, 200)

            made = curl(server, RULES, {"key_pattern": USER, "rate_per_second": SLOW, "burst_capacity": 3})
            self.acts_soon(server, {USER: 3}, user="42")
            self.assertEqual(made["rule_id"], 1)

            done = sluice("rules", "add", "endpoint:/search", "--rate", 1, "--burst", 20,
                          "--rules", f"sqlite:{database(data)}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.acts_soon(server, {USER: 3, "endpoint:/search": 20}, user="42", path="/search")

            done = sluice("rules", "add", "global", "--rate", 1, "--burst", 300,
                          "--admin", f"http://127.0.0.1:{server.admin}", SLUICE_ADMIN_TOKEN=TOKEN)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.acts_soon(server, {USER: 3, "global": 300}, user="42")

            sqlite(database(data), "INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity) "
                                   "VALUES ('ip:{ip}', 'ip', 1, 4000)")
            self.acts_soon(server, {USER: 3, "global": 300, "ip:{ip}": 4000}, user="42")

            self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 200, 429])
            history = admin(server, "GET", RULES + "/history").json()["changes"]
            self.assertEqual([change["kind"] for change in history], ["created"] * 4)
            self.assertEqual([history[3]["changed_by"], history[1]["changed_by"], history[0]["changed_by"]],
                             ["admin", "admin", "sql"])

    def test_changing_and_removing_act_within_a_second_too(self):
        with folder() as data, serving_tables(data) as server:
            place = ["--rules", f"sqlite:{database(data)}"]
            rule = add_rule(server, USER, 5)
            self.acts_soon(server, {USER: 5}, user="1")
            self.assertEqual(sluice("rules", "set", USER, "--burst", 6, *place).returncode, 0)
            self.acts_soon(server, {USER: 6}, user="1")
            sqlite(database(data), "UPDATE rate_limit_rule SET burst_capacity = 7")
            self.acts_soon(server, {USER: 7}, user="1")
            self.assertEqual(admin(server, "PATCH", f"{RULES}/{rule['rule_id']}", {"burst_capacity": 8},
                                   if_match="*").status, 200)
            self.acts_soon(server, {USER: 8}, user="1")
            self.assertEqual(sluice("rules", "set", USER, "--inactive", *place).returncode, 0)
            self.acts_soon(server, {}, user="1")
            self.assertEqual(sluice("rules", "set", USER, "--active", *place).returncode, 0)
            self.acts_soon(server, {USER: 8}, user="1")
            sqlite(database(data), "DELETE FROM rate_limit_rule")
            self.acts_soon(server, {}, user="1")


class Meaning(unittest.TestCase):
    def test_changed_rates_keep_what_was_consumed(self):
        with folder() as data, serving_tables(data) as server:
            rule = add_rule(server, USER, 10)
            until(lambda: limits(server, "42") == {USER: 10}, "the rule")
            for _ in range(7):
                self.assertEqual(check(server, "42").status, 200)
            path = f"{RULES}/{rule['rule_id']}"
            self.assertEqual(admin(server, "PATCH", path, {"burst_capacity": 20}, if_match='"1"').status, 200)
            until(lambda: limits(server, "42") == {USER: 20}, "the larger bucket")
            self.assertEqual(peek(server, "42")["remaining"], 13)
            sqlite(database(data), f"UPDATE rate_limit_rule SET burst_capacity = 5, rate_per_second = {SLOW * 2}")
            until(lambda: limits(server, "42") == {USER: 5}, "the smaller bucket")
            self.assertEqual(peek(server, "42")["remaining"], 0)
            self.assertEqual(check(server, "42").status, 429)
            self.assertEqual(check(server, "43").status, 200)

    def test_the_row_of_a_plan_takes_the_place_of_the_one_without(self):
        with folder() as data, serving_tables(data) as server:
            sqlite(database(data), "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity, plan) "
                                   f"VALUES ('{USER}', 1, 500, 'pro'), ('{USER}', 1, 50, NULL), ('{USER}', 1, 9, 'trial')")
            until(lambda: limits(server, "42") == {USER: 50}, "the row without a plan")
            self.assertEqual(limits(server, "42", "pro"), {USER + "@pro": 500})
            self.assertEqual(limits(server, "42", "trial"), {USER + "@trial": 9})
            self.assertEqual(limits(server, "42", "another"), {USER: 50})

    def test_user_endpoint_global_and_address_apply_together_all_or_nothing(self):
        with folder() as data, serving_tables(data) as server:
            for pattern, burst in ((USER, 10), ("endpoint:/search", 3), ("global", 8), ("ip:{ip}", 6)):
                add_rule(server, pattern, burst)
            search = {"user": "42", "path": "/search", "ip": "203.0.113.7"}
            until(lambda: len(limits(server, **search)) == 4, "four rules")
            self.assertEqual([check(server, **search).status for _ in range(5)], [200, 200, 200, 429, 429])
            # What was refused for the endpoint has taken from nobody.
            remaining = {bucket["rule"]: bucket["remaining"] for bucket in peek(server, **search)["buckets"]}
            self.assertEqual(remaining, {USER: 7, "endpoint:/search": 0, "global": 5, "ip:{ip}": 3})
            other = {**search, "path": "/other"}
            refused = [check(server, **other) for _ in range(4)][-1]
            self.assertEqual((refused.status, refused.json()["rule"]), (429, "ip:{ip}"))
            elsewhere = {**other, "ip": "203.0.113.8"}
            refused = [check(server, **elsewhere) for _ in range(3)][-1]
            self.assertEqual((refused.status, refused.json()["rule"]), (429, "global"))
            self.assertEqual(peek(server, **other)["buckets"][0]["remaining"], 2)


class Faults(unittest.TestCase):
    def test_a_row_that_is_no_rule_leaves_the_last_good_rules_in_force_until_it_is_mended(self):
        with folder() as data, serving_tables(data) as server:
            server.expect(f"sqlite:{database(data)}:1:")  # line 1 of the definition
            add_rule(server, USER, 2)
            until(lambda: limits(server, "42") == {USER: 2}, "the rule")
            until(lambda: readiness(server)["status"] == "ready", "word of it")
            sqlite(database(data), """INSERT INTO rate_limit_rule (key_pattern, definition)
                                      VALUES ('rule:by-hand', '{"limit_keys": 7}')""")
            until(lambda: readiness(server)["status"] == "degraded", "the fault")
            checks = readiness(server)["checks"]["rules"]
            self.assertEqual(checks["status"], "degraded")
            self.assertIn("rule 2 (rule:by-hand)", checks["faults"][0])
            until(lambda: server.messages("error"), "a line of the log")
            self.assertIn("rule 2 (rule:by-hand)", server.messages("error")[0])
            self.assertEqual(metrics(server)["sluice_rules_current"], 0)
            self.assertEqual(metrics(server)["sluice_rules_database_up"], 1)
            self.assertEqual([check(server, "42").status for _ in range(3)], [200, 200, 429])
            # Good rows beside it wait for it.
            sqlite(database(data), "UPDATE rate_limit_rule SET burst_capacity = 5 WHERE rule_id = 1")
            until(lambda: metrics(server)['sluice_rules_reloads_total{result="refused"}'] >= 2, "another look")
            self.assertEqual(limits(server, "42"), {USER: 2})
            sqlite(database(data), """UPDATE rate_limit_rule SET definition = '{"limit_keys": [],
                                      "algorithm_config": {"rps": 1, "burst": 70}}' WHERE rule_id = 2""")
            took = seconds_until(lambda: limits(server, "42") == {USER: 5, "by-hand": 70}, "the mended rules")
            self.assertLess(took, SOON_S)
            # Rules are in force a moment before it is told that they are.
            until(lambda: readiness(server)["status"] == "ready", "word of it")
            self.assertEqual(readiness(server)["checks"]["rules"]["faults"], [])
            self.assertEqual(metrics(server)["sluice_rules_current"], 1)

    def test_the_api_mends_a_row_that_was_broken_by_hand(self):
        with folder() as data, serving_tables(data) as server:
            server.expect(f"sqlite:{database(data)}:1:")  # line 1 of the definition
            sqlite(database(data), """INSERT INTO rate_limit_rule (key_pattern, definition) VALUES ('rule:by-hand', '{}')""")
            until(lambda: readiness(server)["status"] == "degraded", "the fault")
            good = {"name": "by-hand", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 70}}
            self.assertEqual(admin(server, "PUT", RULES + "/1", good, if_match='"1"').status, 200)
            until(lambda: readiness(server)["status"] == "ready", "the mended rule")
            until(lambda: limits(server, "42") == {"by-hand": 70}, "its limit")

    def test_what_no_rule_could_mean_is_refused_by_the_table_itself(self):
        with folder() as data, serving_tables(data):
            for rate in ("0", "-1", "1e400", "'fast'", "NULL"):
                with self.assertRaisesRegex(AssertionError, "rate_per_second|cannot store TEXT"):
                    sqlite(database(data), "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) "
                                           f"VALUES ('{USER}', {rate}, 5)")
            self.assertEqual(rows(database(data), "SELECT * FROM rate_limit_rule"), [])


class Restart(unittest.TestCase):
    def test_rules_are_there_again_after_a_stop_and_after_a_kill(self):
        with folder() as data:
            with serving_tables(data) as server:
                add_rule(server, USER, 5)
            with serving_tables(data) as server:
                self.assertEqual(limits(server, "42"), {USER: 5})
                add_rule(server, "global", 99)
                server.signal(signal.SIGKILL)
                self.assertEqual(server.wait(), -signal.SIGKILL)
                server.end()
            with serving_tables(data) as server:
                self.assertEqual(limits(server, "42"), {USER: 5, "global": 99})


if __name__ == "__main__":
    unittest.main()
