"""`sluice serve --rules postgres://...`: changes reach every server, and a PostgreSQL that dies takes nobody with it."""

import contextlib
import json
import os
import signal
import threading
import time
import unittest

import cluster
from server import refusing, until
from tables import (RULES, SOON_S, TOKEN, add_rule, admin, check, folder, limits, metrics, readiness, seconds_until,
                    serving_tables, sluice)
from wire import ask_resp

USER = "user:{user_id}"
AWAY = "the database of the rules is away"
BACK = "the database of the rules is back"


class Load:
    """Does something again and again on a thread of its own; what it returned is in `done`, what it raised fails the test."""

    def __init__(self, act):
        self.act = act
        self.done = []
        self.failure = None
        self.is_over = False
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            while not self.is_over:
                self.done.append(self.act(len(self.done)))
                time.sleep(0.001)  # leaves a processor to those who are watched
        except Exception as error:  # told by whoever waits
            self.failure = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        if self.failure:
            raise self.failure

    def goes_on(self, count=20):
        """Until it was done so many times more."""
        target = len(self.done) + count
        until(lambda: len(self.done) >= target or self.failure, "the load to go on")


class Postgres(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(cluster.running())
        cls.databases = 0

    def setUp(self):
        type(self).databases += 1
        self.database = f"d{self.databases}"
        self.url = self.cluster.create_database(self.database)
        self.data = self.enterContext(folder())

    def psql(self, sql):
        return self.cluster.psql(sql, self.database)

    @contextlib.contextmanager
    def away(self, end):
        end()
        try:
            yield
        finally:
            self.cluster.start()

    def serving(self, *arguments, data=None, **options):
        return serving_tables(data or self.data, "--rules", self.url, *arguments, **options)


class Changes(Postgres):
    def acts_soon(self, server, expected, **request):
        took = seconds_until(lambda: limits(server, **request) == expected, f"limits of {expected}")
        self.assertLess(took, SOON_S)

    def test_an_edit_with_psql_acts_within_a_second(self):
        with self.serving() as server:
            self.psql("INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity) "
                      f"VALUES ('{USER}', 'user', 1e-9, 3)")
            self.acts_soon(server, {USER: 3}, user="42")
            self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 200, 429])
            self.psql("UPDATE rate_limit_rule SET burst_capacity = 4")
            self.acts_soon(server, {USER: 4}, user="42")
            self.assertEqual([check(server, "42").status for _ in range(2)], [200, 429])
            self.psql("DELETE FROM rate_limit_rule")
            self.acts_soon(server, {}, user="42")
            self.assertEqual(metrics(server)["sluice_rules_database_up"], 1)

    def test_two_servers_on_one_database_both_see_a_change_of_either(self):
        with folder() as other, self.serving() as first, self.serving(data=other) as second:
            add_rule(first, USER, 5)
            self.acts_soon(second, {USER: 5}, user="42")
            self.acts_soon(first, {USER: 5}, user="42")
            self.assertEqual(admin(second, "PATCH", RULES + "/1", {"burst_capacity": 6}, if_match='"1"').status, 200)
            self.acts_soon(first, {USER: 6}, user="42")
            done = sluice("rules", "set", USER, "--burst", 7, "--admin", f"http://127.0.0.1:{first.admin}",
                          SLUICE_ADMIN_TOKEN=TOKEN)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.acts_soon(second, {USER: 7}, user="42")
            # Buckets are each server's own; rules are not.
            self.assertEqual(admin(first, "PATCH", RULES + "/1", {"burst_capacity": 8}, if_match='"2"').status, 412)

    def test_a_row_that_is_no_rule_is_told_and_mended(self):
        with self.serving() as server:
            server.expect(f"{self.url}:1:")
            add_rule(server, USER, 3)
            until(lambda: limits(server, "42") == {USER: 3}, "the rule")
            self.psql("""INSERT INTO rate_limit_rule (key_pattern, definition) VALUES ('rule:by-hand', '{"limit_keys": 7}')""")
            until(lambda: readiness(server)["status"] == "degraded", "the fault")
            self.assertIn("rule 2 (rule:by-hand)", readiness(server)["checks"]["rules"]["faults"][0])
            self.assertEqual(limits(server, "42"), {USER: 3})
            self.psql("DELETE FROM rate_limit_rule WHERE rule_id = 2")
            until(lambda: readiness(server)["status"] == "ready", "the mended table")


class Death(Postgres):
    def edit(self, server, acknowledged):
        """One edit after another: what was acknowledged is noted, whatever else is told must say that nothing was."""
        def act(number):
            burst = 2000 + number
            response = admin(server, "PATCH", RULES + "/1", {"burst_capacity": burst}, if_match="*")
            if response.status == 200:
                acknowledged.append(burst)
            else:
                assert (response.status, response.fields["retry-after"]) == (503, "1"), (response.status, response.body)
            return response.status
        return act

    def test_killed_under_load_it_takes_no_decision_and_no_edit_with_it(self):
        acknowledged = []
        with self.serving() as server:
            server.expect("the database of")
            add_rule(server, USER, 1000)
            add_rule(server, "endpoint:/few", 3)
            until(lambda: len(limits(server, "42", path="/few")) == 2, "the rules")
            with Load(lambda _: check(server, "42", path="/few").status) as decisions:
                with Load(self.edit(server, acknowledged)) as edits:
                    until(lambda: len(acknowledged) >= 20, "edits")
                    with self.away(self.cluster.kill):
                        until(lambda: readiness(server)["status"] == "degraded", "that it is away")
                        until(lambda: 503 in edits.done, "an edit that is refused")
                        decisions.goes_on(200)
                        self.assertEqual(metrics(server)["sluice_rules_database_up"], 0)
                        self.assertEqual(metrics(server)["sluice_rules_current"], 0)
                        rules = readiness(server)["checks"]["rules"]
                        self.assertEqual((rules["status"], rules["faults"]), ("degraded", []))
                        self.assertRegex(rules["away"], "PostgreSQL")
                        self.assertEqual(len(limits(server, "42", path="/few")), 2)
                    until(lambda: readiness(server)["status"] == "ready", "it to be back by itself")
                    count = len(acknowledged)
                    until(lambda: len(acknowledged) > count, "an edit after it was back")
            self.assertEqual(decisions.done[:3], [200, 200, 200])
            self.assertEqual(set(decisions.done[3:]), {429})
            until(lambda: limits(server, "42") == {USER: acknowledged[-1]}, "the last edit in force")
            self.assertEqual(metrics(server)["sluice_rules_database_up"], 1)
            self.psql("UPDATE rate_limit_rule SET burst_capacity = 7 WHERE rule_id = 1")
            self.assertLess(seconds_until(lambda: limits(server, "42") == {USER: 7}, "an edit with psql"), SOON_S)
            self.assertEqual((server.messages().count(AWAY), server.messages().count(BACK)), (1, 1))
        kept = self.psql("SELECT after->>'burst_capacity' FROM rate_limit_change WHERE rule_id = 1 AND kind = 'changed'")
        kept = [float(burst) for burst in kept.split()]
        self.assertEqual(len(kept), len(set(kept)))
        self.assertLessEqual(set(acknowledged), set(kept))

    def test_a_server_that_starts_while_it_is_away_serves_from_its_copy(self):
        with self.serving() as server:
            add_rule(server, USER, 3)
            until(lambda: USER in (self.data / "rules.cache.json").read_text(), "the copy")
            server.signal(signal.SIGKILL)
            server.wait()
            server.end()
        with contextlib.ExitStack() as stack:
            with self.away(self.cluster.kill):
                server = stack.enter_context(self.serving())
                server.expect("the database of")
                self.assertEqual(limits(server, "42"), {USER: 3})
                self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 200, 429])
                self.assertEqual(readiness(server)["status"], "degraded")
                self.assertEqual(metrics(server)["sluice_rules_database_up"], 0)
                self.assertEqual(admin(server, "GET", RULES).status, 503)
                self.assertEqual(server.messages().count(AWAY), 1)
            until(lambda: readiness(server)["status"] == "ready", "the database")
            # What was consumed meanwhile is not given back.
            self.assertEqual(check(server, "42").status, 429)
            self.psql("UPDATE rate_limit_rule SET burst_capacity = 5")
            until(lambda: limits(server, "42") == {USER: 5}, "a change")

    def test_a_server_that_starts_with_a_bad_row_serves_from_its_copy_and_tells_it(self):
        with self.serving() as server:
            add_rule(server, USER, 3)
            until(lambda: USER in (self.data / "rules.cache.json").read_text(), "the copy")
        self.psql("INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES ('nonsense', 1, 1)")
        with self.serving() as server:
            server.expect(f"{self.url}: rule 2")
            self.assertEqual(limits(server, "43"), {USER: 3})
            rules = readiness(server)["checks"]["rules"]
            self.assertEqual(rules["status"], "degraded")
            self.assertIn("rule 2 (nonsense)", rules["faults"][0])
            self.psql("DELETE FROM rate_limit_rule WHERE rule_id = 2")
            until(lambda: readiness(server)["status"] == "ready", "the mended table")

    def test_without_a_copy_it_does_not_start_and_says_why(self):
        with self.away(self.cluster.stop):
            ended = refusing("--rules", self.url, "--data-dir", str(self.data), "--http", "127.0.0.1:0", "--resp", "off",
                             "--admin", "off", "--log-format", "json")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        last = [line for line in ended.stderr.splitlines() if line.startswith("sluice serve: ")]
        self.assertEqual(len(last), 1, ended.stderr)
        self.assertRegex(last[0], "^sluice serve: cannot connect to PostgreSQL at ")
        self.assertIn("there is no copy of its rules in " + str(self.data), ended.stderr)
        logged = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
        self.assertEqual([line for line in logged if line["level"] in ("warn", "error")], [])

    def test_a_copy_of_another_database_is_not_taken_for_its_own(self):
        with self.serving() as server:
            add_rule(server, USER, 3)
        other = self.cluster.create_database("another")
        with self.away(self.cluster.stop):
            ended = refusing("--rules", other, "--data-dir", str(self.data), "--http", "127.0.0.1:0", "--resp", "off",
                             "--admin", "off")
        self.assertEqual(ended.returncode, 1, ended.stderr)


class Hang(Postgres):
    """A PostgreSQL that neither answers nor goes, as behind a network that swallows everything."""

    @contextlib.contextmanager
    def hanging(self):
        pids = [self.cluster.process.pid, *self.cluster._children()]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def test_probes_and_decisions_are_answered_while_an_edit_waits(self):
        with self.serving() as server:
            server.expect("the database of")
            add_rule(server, USER, 3)
            until(lambda: limits(server, "42") == {USER: 3}, "the rule")
            edit = threading.Thread(target=admin, args=(server, "PATCH", RULES + "/1", {"burst_capacity": 7}),
                                    kwargs={"if_match": "*"})
            with self.hanging():
                edit.start()
                began = time.monotonic()
                self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 200, 429])
                self.assertEqual(admin(server, "GET", "/livez").status, 200)
                self.assertEqual(admin(server, "GET", "/metrics").status, 200)
                took = time.monotonic() - began
            edit.join()
            self.assertLess(took, SOON_S)

    def test_a_stop_does_not_wait_for_it(self):
        with self.serving() as server:
            server.expect("the database of", "violations")
            with self.hanging():
                # Both threads that ask it have something to ask.
                self.assertEqual([ask_resp(server.resp, "CL.THROTTLE", "k", 0, 1, 1000000)[0] for _ in range(2)], [0, 1])
                server.signal(signal.SIGHUP)
                began = time.monotonic()
                server.signal(signal.SIGTERM)
                self.assertEqual(server.wait(), 0)
                took = time.monotonic() - began
            server.end()
            # The time to drain is two seconds, and nobody is connected.
            self.assertLess(took, 4)
        with self.serving() as server:
            until(lambda: self.psql("SELECT sum(count) FROM rate_limit_violation") == "1\n", "what was spilled")


if __name__ == "__main__":
    unittest.main()
