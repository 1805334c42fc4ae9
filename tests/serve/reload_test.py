"""Rules follow their file, by themselves or on SIGHUP; a file with faults leaves the last good rules in force."""

import json
import os
import signal
import unittest

from server import serving, until
from wire import ask_http


def rules(burst):
    return {"rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1e-6, "burst": burst}}]}


def limit_of(server):
    return ask_http(server.http, "POST", "/v1/peek", {"request": {"path": "/"}}).json()["limit"]


class Reload(unittest.TestCase):
    def test_a_changed_file_is_in_force_within_seconds_and_buckets_keep_what_was_spent(self):
        with serving(rules=rules(10)) as server:
            spent = ask_http(server.http, "POST", "/v1/check", {"request": {"path": "/"}, "cost": 4})
            self.assertEqual(spent.json()["remaining"], 6)
            server.rules.write_text(json.dumps(rules(20)))
            until(lambda: limit_of(server) == 20, "the new rules", 3)
            after = ask_http(server.http, "POST", "/v1/peek", {"request": {"path": "/"}}).json()
            self.assertEqual(int(after["remaining"]), 16)
            server.wait_for("rules in force", 2)

    def test_a_file_that_is_renamed_over_is_noticed(self):
        with serving(rules=rules(10)) as server:
            fresh = server.rules.with_suffix(".new")
            fresh.write_text(json.dumps(rules(30)))
            os.replace(fresh, server.rules)
            until(lambda: limit_of(server) == 30, "the new rules", 3)

    def test_sighup_reads_the_file_again_though_it_did_not_change(self):
        with serving(rules=rules(10)) as server:
            server.signal(signal.SIGHUP)
            server.wait_for("rules in force", 2)
            self.assertEqual(limit_of(server), 10)

    def test_sighup_without_rules_is_nothing_to_die_of(self):
        with serving() as server:
            server.signal(signal.SIGHUP)
            self.assertEqual(ask_http(server.http, "GET", "/").status, 200)

    def test_a_bad_file_keeps_the_last_good_rules_and_every_fault_is_logged(self):
        with serving(rules=rules(10)) as server:
            server.expect(str(server.rules))
            server.rules.write_text('{"rules": [\n{"name": "a", "limit_keys": [], "algorithm_config": {"rps": 0, "burst": 0}}]}')
            until(lambda: server.messages("error")[1:], "both faults")
            errors = [line for line in server.lines if line["level"] == "error"]
            self.assertEqual(len(errors), 2)
            for line, field in zip(errors, ("rps", "burst")):
                self.assertIn(f"{server.rules}:2:", line["message"])
                self.assertIn(field, line["message"])
                self.assertEqual(line["kept"], "the last good rules")
            self.assertEqual(limit_of(server), 10)
            server.rules.write_text(json.dumps(rules(40)))
            until(lambda: limit_of(server) == 40, "the mended rules", 3)

    def test_a_file_that_goes_away_keeps_the_rules(self):
        with serving(rules=rules(10)) as server:
            server.expect(str(server.rules))
            server.rules.unlink()
            server.signal(signal.SIGHUP)
            until(lambda: server.messages("error"), "word of it")
            self.assertEqual(limit_of(server), 10)


if __name__ == "__main__":
    unittest.main()
