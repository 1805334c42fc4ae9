"""Every rejection is told in a row: counts add up to what clients saw, whatever ends the server or the database."""

import contextlib
import json
import signal
import time
import unittest

import cluster
from server import until
from tables import (SLOW, add_rule, admin, check, database, folder, limits, metrics, peek, rejections, request_of, rows,
                    serving_tables, sluice, sqlite, violations)
from wire import HttpReader, RespReader, ask_http, command, connect, http_request

USER = "user:{user_id}"


def checks(server, bodies):
    """One request of HTTP after another on one connection, pipelined; how many were refused."""
    with connect(server.http) as connection:
        connection.sendall(b"".join(http_request("POST", "/v1/check", body) for body in bodies))
        reader = HttpReader(connection)
        return sum(reader.response().status == 429 for _ in bodies)


def throttles(server, commands, is_refused=lambda reply: reply[0] == 1):
    with connect(server.resp) as connection:
        connection.sendall(b"".join(command(*words) for words in commands))
        reader = RespReader(connection)
        return sum(is_refused(reader.reply()) for _ in commands)


def by_user(user, **fields):
    return {"request": request_of(user, **fields)}


def is_denied(reply):
    return dict(zip(reply[::2], reply[1::2]))[b"allowed"] == 0


def noted(server, name):
    return metrics(server)["sluice_violations_" + name]


def settled(server):
    """Until all that was noted is in the table."""
    until(lambda: noted(server, 'recorded_total{in="table"}') == noted(server, "noted_total"), "the rows")


class Counts(unittest.TestCase):
    def test_the_rows_stand_for_exactly_what_clients_of_both_doors_saw(self):
        with folder() as data, serving_tables(data) as server:
            add_rule(server, USER, 2)
            until(lambda: limits(server, "1") == {USER: 2}, "the rule")
            refused = checks(server, [by_user(f"{number % 7}", path="/orders") for number in range(100)])
            self.assertEqual(refused, 100 - 14)
            refused += checks(server, [{"key": f"http:{number % 3}", "rate": SLOW, "burst": 1} for number in range(30)])
            refused += throttles(server, [("CL.THROTTLE", f"resp:{number % 3}", 0, 1, 1000000) for number in range(30)])
            refused += throttles(server, [("SLUICE.CHECK", "ATTR", "user_id", "3") for _ in range(10)], is_denied)
            refused += throttles(server, [("SLUICE.CHECK", "KEY", "http:1", "RATE", SLOW, "BURST", 1)] * 5, is_denied)
            refused += throttles(server, [("THROTTLE", "crab", 1, 1, 1000000)] * 5, lambda reply: reply[0] == 0)
            refused += sum(item["status"] == 429 for item in ask_http(
                server.http, "POST", "/v1/check/batch", [by_user("5"), by_user("new"), {"key": "http:2", "rate": SLOW,
                                                                                        "burst": 1}]).json())
            refused += ask_http(server.http, "POST", "/v1/reserve", by_user("6")).status == 429
            refused += ask_http(server.http, "GET", "/v1/decision", headers={"X-Original-URI": "/x"}).status == 429
            # Who only looks was refused nothing.
            self.assertFalse(peek(server, "1")["allowed"])
            throttles(server, [("CL.THROTTLE", "resp:0", 0, 1, 1000000, 0)])
            self.assertEqual(refused, 86 + 27 + 27 + 10 + 5 + 4 + 2 + 1)
            settled(server)
            self.assertEqual(noted(server, "noted_total"), refused)
            self.assertEqual(rejections(database(data)), refused)
            self.assertEqual(rejections(database(data), "rule_id = 1"), 86 + 10 + 1 + 1)
            self.assertEqual(rejections(database(data), "rule_id IS NULL AND bucket_key LIKE 'resp:%'"), 27)
            self.assertEqual(rejections(database(data), "bucket_key = 'crab'"), 4)

    def test_the_columns_say_who_was_refused_what(self):
        with folder() as data, serving_tables(data) as server:
            rule = add_rule(server, USER, 2.5)
            until(lambda: limits(server, "42") == {USER: 2.5}, "the rule")
            began = time.time_ns() // 1000
            request = {"path": "/api//search/?q=1", "ip": "203.0.113.7"}
            self.assertEqual([check(server, "42", **request).status for _ in range(5)], [200, 200, 429, 429, 429])
            self.assertEqual(ask_http(server.http, "POST", "/v1/check", {**by_user("42", **request), "cost": 9}).status, 429)
            settled(server)
            # Each event loop has rows of its own, and they are not written in the order of time.
            found = rows(database(data), "SELECT * FROM rate_limit_violation ORDER BY requested_at")
            first = next(row for row in found if row["reason"] == b"token_bucket_exceeded")
            self.assertEqual({name: first[name] for name in ("user_id", "ip_address", "endpoint", "policy", "rule", "rule_id",
                                                             "reason", "is_shadow", "cost")},
                             {"user_id": b"42", "ip_address": b"203.0.113.7", "endpoint": b"/api/search", "policy": b"default",
                              "rule": USER.encode(), "rule_id": rule["rule_id"], "reason": b"token_bucket_exceeded",
                              "is_shadow": 0, "cost": 1})
            self.assertEqual(first["bucket_key"], b"default|user:{user_id}|42")
            self.assertAlmostEqual(first["tokens_at_time"], 0.5, places=6)
            # The doors' clock is precise to some milliseconds.
            self.assertTrue(began - 50_000 <= first["requested_at"] <= first["last_at"] <= time.time_ns() // 1000 + 50_000)
            dear = [row for row in found if row["reason"] == b"cost_exceeds_capacity"]
            self.assertEqual([(row["cost"], row["count"]) for row in dear], [(9, 1)])
            self.assertEqual(sum(row["count"] for row in found), 4)

    def test_shadow_rules_are_recorded_and_marked_though_the_request_passes(self):
        with folder() as data, serving_tables(data) as server:
            rule = {"name": "tried", "mode": "shadow", "limit_keys": ["attr:user_id"],
                    "algorithm_config": {"rps": SLOW, "burst": 1}}
            made = admin(server, "POST", "/admin/v1/rules", rule)
            self.assertEqual(made.status, 201, made.body)
            add_rule(server, USER, 4)
            until(lambda: limits(server, "42") == {USER: 4}, "the rules")
            self.assertEqual([check(server, "42").status for _ in range(6)], [200] * 4 + [429] * 2)
            settled(server)
            self.assertEqual(rejections(database(data), "is_shadow = 0 AND rule_id = 2"), 2)
            self.assertEqual(rejections(database(data), "is_shadow = 1 AND rule_id = 1 AND rule = 'tried'"), 5)
            self.assertEqual(rejections(database(data)), 7)

    def test_kill_switches_and_missing_keys_are_recorded_without_a_bucket(self):
        with folder() as data, serving_tables(data) as server:
            self.assertEqual(admin(server, "PUT", "/admin/v1/rules/top-level/kill_switches",
                                   [{"key": "attr:user_id", "value": "bad"}], if_none_match="*").status, 204)
            rule = {"name": "keyed", "limit_keys": ["header:x-api-key"], "on_missing_key": "deny",
                    "algorithm_config": {"rps": 1, "burst": 1}}
            self.assertEqual(admin(server, "POST", "/admin/v1/rules", rule).status, 201)
            until(lambda: not any(peek(server, user)["allowed"] for user in ("bad", "good")), "both of them")
            statuses = [check(server, "bad", ip="203.0.113.9").status for _ in range(3)]
            statuses += [check(server, "good", ip="203.0.113.9").status for _ in range(2)]
            self.assertNotIn(200, statuses)
            settled(server)
            found = rows(database(data), "SELECT user_id, reason, bucket_key, sum(count) AS n FROM rate_limit_violation "
                                         "GROUP BY 1, 2, 3 ORDER BY 4 DESC")
            self.assertEqual([(row["user_id"], row["bucket_key"], row["n"]) for row in found],
                             [(b"bad", b"", 3), (b"good", b"", 2)])
            self.assertEqual([row["reason"] for row in found], [b"kill_switch", b"missing_key"])

    def test_a_flood_of_one_key_makes_few_rows_with_an_exact_count(self):
        with folder() as data, serving_tables(data, "--violations-interval", "1s") as server:
            add_rule(server, USER, 1)
            until(lambda: limits(server, "1") == {USER: 1}, "the rule")
            began = time.monotonic()
            refused = sum(throttles(server, [("SLUICE.CHECK", "ATTR", "user_id", "42")] * 2000, is_denied) for _ in range(5))
            took = time.monotonic() - began
            self.assertEqual(refused, 9999)
            settled(server)
            self.assertEqual(rejections(database(data), "user_id = '42'"), refused)
            # Two event loops, and a row on each for every second that it took.
            count = len(rows(database(data), "SELECT 1 FROM rate_limit_violation"))
            self.assertLessEqual(count, 2 * (took + 2))


class Reading(unittest.TestCase):
    """The command line and the admin door read what is there, and say the same."""

    @classmethod
    def setUpClass(cls):
        cls.data = cls.enterClassContext(folder())
        cls.server = cls.enterClassContext(serving_tables(cls.data))
        add_rule(cls.server, USER, 1)
        add_rule(cls.server, "endpoint:/few", 1)
        until(lambda: len(limits(cls.server, "1", path="/few")) == 2, "the rules")
        for user in range(40, 50):
            checks(cls.server, [by_user(f"{user}", path=f"/p{user % 2}", ip=f"203.0.113.{user}")] * 3)
        checks(cls.server, [by_user(f"few{number}", path="/few", ip="2001:db8::7") for number in range(4)])
        settled(cls.server)

    def command(self, *arguments):
        done = sluice("violations", "list", "--json", "--rules", f"sqlite:{database(self.data)}", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        through = sluice("violations", "list", "--json", "--admin", f"http://127.0.0.1:{self.server.admin}", *arguments)
        self.assertEqual((through.returncode, through.stdout), (0, done.stdout), through.stderr)
        return json.loads(done.stdout)

    def same(self, arguments, query, condition):
        found = self.command(*arguments)
        self.assertEqual(violations(self.server, query)["violations"], found)
        self.assertEqual(sum(row["count"] for row in found), rejections(database(self.data), condition))
        self.assertGreater(len(found), 0, arguments)
        return found

    def test_filters_agree(self):
        found = self.same(["--user", "42", "--since", "1h"], "?user_id=42&since=1h", "user_id = '42'")
        self.assertEqual({(row["user_id"], row["endpoint"], row["ip_address"], row["rule_id"], row["is_shadow"])
                          for row in found}, {("42", "/p0", "203.0.113.42", 1, False)})
        self.assertEqual(sum(row["count"] for row in found), 2)
        self.same(["--ip", "203.0.113.44"], "?ip=203.0.113.44", "ip_address = '203.0.113.44'")
        self.same(["--ip", "2001:db8::7"], "?ip=2001:db8::7", "ip_address = '2001:db8::7'")
        self.same(["--endpoint", "/p1"], "?endpoint=/p1", "endpoint = '/p1'")
        self.same(["--rule", "2"], "?rule_id=2", "rule_id = 2")
        self.same(["--key", "default|user:{user_id}|43"], "?key=default%7Cuser%3A%7Buser_id%7D%7C43", "user_id = '43'")
        self.same(["--shadow", "false"], "?shadow=false", "1")
        self.same(["--since", "2020-01-01T00:00:00Z", "--until", "2100-01-01T00:00:00Z"],
                  "?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z", "1")
        self.assertEqual(self.command("--until", "1h"), [])
        self.assertEqual(self.command("--user", "nobody"), [])
        self.assertEqual(self.command("--shadow", "true"), [])

    def test_pages_are_all_rows_once_the_newest_first(self):
        whole = violations(self.server, "?limit=1000")
        self.assertIsNone(whole["next"])
        pages, after = [], ""
        while after is not None:
            page = violations(self.server, f"?limit=3{after}")
            self.assertLessEqual(len(page["violations"]), 3)
            pages += page["violations"]
            after = page["next"] and "&after=" + page["next"]
        self.assertEqual(pages, whole["violations"])
        times = [row["requested_at"] for row in pages]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(self.command("--limit", "5"), pages[:5])

    def test_the_table_for_people_says_it_too(self):
        done = sluice("violations", "list", "--user", "42", "--since", "1h", "--rules", f"sqlite:{database(self.data)}",
                      COLUMNS="200")
        self.assertRegex(done.stdout.splitlines()[0], "when +user +address +endpoint +bucket +left +times")
        self.assertRegex(done.stdout, r"42 +203\.0\.113\.42 +/p0 +default\|user:\{user_id\}\|42 +\d\S* +\d")
        self.assertIn("203.0.113.42", sqlite(database(self.data),
                                             "SELECT * FROM rate_limit_violation_readable WHERE user_id = '42'"))
        nobody = sluice("violations", "list", "--user", "nobody", "--rules", f"sqlite:{database(self.data)}")
        self.assertEqual((nobody.returncode, nobody.stdout), (0, "nobody was refused\n"))

    def test_what_is_asked_wrongly_is_told(self):
        for query, message in (("?since=soon", "since must be a time"), ("?limit=0", "limit must be a number from 1"),
                               ("?limit=9999999", "limit must be"), ("?rule_id=x", "rule_id must be a whole number"),
                               ("?shadow=maybe", "shadow must be true or false"), ("?after=x", "after must be"),
                               ("?user=42", "there is no parameter 'user'")):
            response = admin(self.server, "GET", "/admin/v1/violations" + query)
            self.assertEqual(response.status, 400, query)
            self.assertIn(message, response.json()["detail"])
        done = sluice("violations", "list", "--since", "soon", "--rules", f"sqlite:{database(self.data)}")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("since must be a time", done.stderr)
        done = sluice("violations", "list", "--since", "soon", "--admin", f"http://127.0.0.1:{self.server.admin}")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^sluice violations: .* says 400: since must be a time")


class Endings(unittest.TestCase):
    def reject(self, server, number, count=200):
        return throttles(server, [("CL.THROTTLE", f"{number}:{one % 20}", 0, 1, 1000000) for one in range(count)])

    def test_a_stop_loses_nothing(self):
        with folder() as data:
            refused = 0
            for number in range(3):
                with serving_tables(data, "--violations-interval", "1m") as server:
                    refused += self.reject(server, number)
                    self.assertEqual(rejections(database(data)), refused - 180)
                self.assertEqual(rejections(database(data)), refused)

    def test_a_kill_loses_no_row_that_was_there_and_doubles_none(self):
        with folder() as data:
            refused, kept = 0, 0
            for number in range(3):
                with serving_tables(data) as server:
                    while rejections(database(data)) <= kept:
                        refused += self.reject(server, number)
                    kept = rejections(database(data))
                    refused += self.reject(server, number)
                    server.signal(signal.SIGKILL)
                    self.assertEqual(server.wait(), -signal.SIGKILL)
                    server.end()
                after = rejections(database(data))
                self.assertTrue(kept <= after <= refused, (kept, after, refused))
                self.assertEqual(sqlite(database(data), "PRAGMA integrity_check"), "ok\n")
                kept = after
            with serving_tables(data) as server:
                before = rejections(database(data))
                again = self.reject(server, "again")
                settled(server)
                self.assertEqual(rejections(database(data)), before + again)


class Retention(unittest.TestCase):
    OLD = ("INSERT INTO rate_limit_violation (bucket_key, requested_at, last_at, tokens_at_time, cost, count, policy, rule, "
           "reason, is_shadow) VALUES ('{key}', {at}, {at}, 0, 1, 1, '', '', 'token_bucket_exceeded', 0)")

    def filled(self, data, ages_s):
        """A database with a violation of each age."""
        with serving_tables(data):
            pass
        now = time.time_ns() // 1000
        for age in ages_s:
            sqlite(database(data), self.OLD.format(key=f"age:{age}", at=now - age * 1_000_000))

    def left(self, data):
        return {row["bucket_key"].decode() for row in rows(database(data), "SELECT bucket_key FROM rate_limit_violation")}

    def test_rows_beyond_the_most_are_removed_the_oldest_first(self):
        with folder() as data:
            self.filled(data, range(100, 130))
            with serving_tables(data, "--violations-max-rows", "10") as server:
                until(lambda: len(self.left(data)) == 10, "ten rows")
                self.assertEqual(self.left(data), {f"age:{age}" for age in range(100, 110)})
                until(lambda: noted(server, "removed_rows_total") == 20, "the metric")

    def test_rows_that_are_too_old_are_removed(self):
        with folder() as data:
            self.filled(data, [10, 3500, 3700, 86400 * 365])
            with serving_tables(data, "--violations-keep", "1h") as server:
                until(lambda: self.left(data) == {"age:10", "age:3500"}, "two rows")
                until(lambda: noted(server, "removed_rows_total") == 2, "the metric")

    def test_where_nothing_bounds_them_all_stay(self):
        with folder() as data:
            self.filled(data, [10, 86400 * 365])
            with serving_tables(data, "--violations-keep", "0", "--violations-max-rows", "0") as server:
                refused = throttles(server, [("CL.THROTTLE", "k", 0, 1, 1000000)] * 3)
                settled(server)
                self.assertEqual((refused, rejections(database(data))), (2, 4))
                self.assertEqual(noted(server, "removed_rows_total"), 0)


class OnPostgres(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(cluster.running())

    def rejections(self, database):
        return int(self.cluster.psql("SELECT coalesce(sum(count), 0) FROM rate_limit_violation", database))

    def reject(self, server, name, count=50):
        return throttles(server, [("CL.THROTTLE", f"{name}:{one % 5}", 0, 1, 1000000) for one in range(count)])

    def test_rules_in_one_database_and_violations_in_another(self):
        url = self.cluster.create_database("apart")
        with folder() as data, serving_tables(data, "--violations-in", url) as server:
            add_rule(server, USER, 1)
            until(lambda: limits(server, "42") == {USER: 1}, "the rule")
            self.assertEqual([check(server, "42", ip="203.0.113.7", path="/x").status for _ in range(3)], [200, 429, 429])
            settled(server)
            row = self.cluster.psql("SELECT user_id, ip_address, endpoint, bucket_key, sum(count), rule_id, policy "
                                    "FROM rate_limit_violation GROUP BY 1, 2, 3, 4, 6, 7", "apart")
            self.assertEqual(row, "42|203.0.113.7|/x|default|user:{user_id}|42|2|1|default\n")
            self.assertEqual(rows(database(data), "SELECT * FROM rate_limit_violation"), [])
            found = violations(server, "?user_id=42&since=1h")["violations"]
            self.assertEqual(sum(one["count"] for one in found), 2)

    def test_while_it_is_away_rows_wait_on_disk_and_are_there_once_when_it_is_back(self):
        url = self.cluster.create_database("away")
        with folder() as data, contextlib.ExitStack() as stack:
            server = stack.enter_context(serving_tables(data, "--rules", url))
            server.expect("the database of")
            refused = self.reject(server, "before")
            settled(server)
            self.assertEqual(self.rejections("away"), refused)
            self.cluster.kill()
            try:
                refused += self.reject(server, "meanwhile")
                until(lambda: noted(server, 'recorded_total{in="spill"}') == 45, "rows in the spill")
                self.assertEqual(noted(server, "database_up"), 0)
                self.assertGreater(noted(server, "waiting_rows"), 0)
                self.assertGreater(noted(server, "spill_bytes"), 0)
                refused += self.reject(server, "later")
                until(lambda: noted(server, 'recorded_total{in="spill"}') == 90, "further rows in the spill")
                self.assertEqual(admin(server, "GET", "/admin/v1/violations").status, 503)
            finally:
                self.cluster.start()
            settled(server)
            self.assertEqual((noted(server, "waiting_rows"), noted(server, "database_up")), (0, 1))
            self.assertEqual((noted(server, "noted_total"), self.rejections("away")), (refused, refused))
            self.assertEqual(sum(value for name, value in metrics(server).items()
                                 if name.startswith("sluice_violations_dropped_total")), 0)
            self.assertEqual(violations(server, "?key=later:1")["violations"][0]["count"], 9)

    def test_what_was_spilled_outlives_the_server_that_is_killed(self):
        url = self.cluster.create_database("outlived")
        with folder() as data:
            with serving_tables(data, "--rules", url) as server:
                server.expect("the database of")
                refused = self.reject(server, "a")
                settled(server)
                self.cluster.kill()
                try:
                    refused += self.reject(server, "b")
                    until(lambda: noted(server, 'recorded_total{in="spill"}') == 45, "rows in the spill")
                    server.signal(signal.SIGKILL)
                    server.wait()
                    server.end()
                finally:
                    self.cluster.start()
            with serving_tables(data, "--rules", url) as server:
                until(lambda: self.rejections("outlived") == refused, "the rows of the one before")
                refused += self.reject(server, "c")
                until(lambda: self.rejections("outlived") == refused, "its own")
            self.assertEqual(self.rejections("outlived"), refused)


if __name__ == "__main__":
    unittest.main()
