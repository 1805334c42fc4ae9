"""What nobody should send: every decision is made, every row is as it was sent, and the server lives."""

import contextlib
import json
import re
import unittest
import urllib.parse

import cluster
from server import until
from tables import (RULES, SLOW, add_rule, admin, database, folder, limits, metrics, readiness, request_of, rows,
                    serving_tables, sluice, violations)
from wire import ReplyError, ask_http, ask_resp, command, connect, http_request, read_until_closed

USER = "user:{user_id}"
DROP = "'); DROP TABLE rate_limit_violation; DELETE FROM rate_limit_rule; --"
# What may stand in JSON, and so comes through every door.
TEXTS = [DROP, '"', "''", "\\", "%s%n", "\0", "a\0b", "\n\r\t", "\x1b[2J\x1b]0;title\x07", "ключ", "\U0001f600", "\ufeff", "\u202e",
         " ", "NULL", "1 OR 1=1", "{user_id}", "|", "\\x41", "k" * 1024]
# What may not: no UTF-8, or no character at all.
BYTES = [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"a\xffb", b"\x00\xff", b"\xf5\x80\x80\x80"]


def rejected_key(server, key):
    """A bucket of that name, refused once, over RESP."""
    words = ("CL.THROTTLE", key, 0, 1, 1000000)
    replies = [ask_resp(server.resp, *words) for _ in range(2)]
    return [reply[0] for reply in replies] == [0, 1]


def disturbing(shown):
    """Characters that do more on a terminal than to be seen."""
    return [char for char in shown if ord(char) < 32 and char != "\n" or 127 <= ord(char) < 160]


def recorded(server, count):
    until(lambda: metrics(server)['sluice_violations_recorded_total{in="table"}'] == count, f"{count} rejections in the table")


class Texts(unittest.TestCase):
    def test_keys_are_in_the_table_byte_by_byte(self):
        with folder() as data, serving_tables(data) as server:
            keys = [text.encode() for text in TEXTS] + BYTES
            for key in keys:
                self.assertTrue(rejected_key(server, key), key)
            recorded(server, len(keys))
            found = rows(database(data), "SELECT bucket_key, count FROM rate_limit_violation")
            self.assertEqual(sorted((row["bucket_key"], row["count"]) for row in found), sorted((key, 1) for key in keys))
            # Each is found by its bytes, and the answer is JSON whatever they are.
            for key in keys:
                page = violations(server, "?key=" + urllib.parse.quote_from_bytes(key))["violations"]
                self.assertEqual(len(page), 1, key)
            for text in TEXTS:
                page = violations(server, "?key=" + urllib.parse.quote(text))["violations"]
                self.assertEqual(page[0]["bucket_key"], text)

    def test_users_and_paths_are_in_the_table_byte_by_byte(self):
        with folder() as data, serving_tables(data) as server:
            add_rule(server, USER, 1)
            until(lambda: limits(server, "42") == {USER: 1}, "the rule")
            for text in TEXTS:
                body = {"request": request_of(text, path="/" + urllib.parse.quote(text[:100]))}
                statuses = [ask_http(server.http, "POST", "/v1/check", body).status for _ in range(2)]
                self.assertEqual(statuses, [200, 429], text)
            for text in BYTES:
                words = ("SLUICE.CHECK", "ATTR", "user_id", text)
                replies = [ask_resp(server.resp, *words) for _ in range(2)]
                self.assertEqual([reply[1] for reply in replies], [1, 0], text)
            recorded(server, len(TEXTS) + len(BYTES))
            found = rows(database(data), "SELECT user_id, bucket_key, rule_id FROM rate_limit_violation")
            self.assertEqual(sorted(row["user_id"] for row in found), sorted([text.encode() for text in TEXTS] + BYTES))
            self.assertEqual(len({row["bucket_key"] for row in found}), len(found))
            self.assertEqual({row["rule_id"] for row in found}, {1})
            for text in TEXTS:
                page = violations(server, "?user_id=" + urllib.parse.quote(text))["violations"]
                self.assertEqual([row["user_id"] for row in page], [text])

    def test_the_command_line_shows_them_without_moving_the_cursor(self):
        with folder() as data, serving_tables(data) as server:
            for key in [text.encode() for text in TEXTS] + BYTES:
                rejected_key(server, key)
            recorded(server, len(TEXTS) + len(BYTES))
            for place in (["--rules", f"sqlite:{database(data)}"], ["--admin", f"http://127.0.0.1:{server.admin}"]):
                shown = sluice("violations", "list", *place)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertEqual(len(re.findall(r"^\d{4}-\d\d-\d\dT", shown.stdout, re.MULTILINE)), len(TEXTS) + len(BYTES))
                self.assertFalse(disturbing(shown.stdout))
                told = sluice("violations", "list", "--json", *place)
                self.assertEqual((told.returncode, told.stderr), (0, ""))
                keys = [row["bucket_key"] for row in json.loads(told.stdout)]
                self.assertLessEqual(set(TEXTS), set(keys))

    def test_on_postgres_no_two_keys_become_one_and_all_come_back(self):
        with cluster.running() as postgres, folder() as data:
            with serving_tables(data, "--rules", postgres.url()) as server:
                keys = [text.encode() for text in TEXTS] + BYTES
                for key in keys:
                    self.assertTrue(rejected_key(server, key), key)
                recorded(server, len(keys))
                self.assertEqual(postgres.psql("SELECT count(*), count(DISTINCT bucket_key), sum(count) "
                                               "FROM rate_limit_violation"), f"{len(keys)}|{len(keys)}|{len(keys)}\n")
                for text in TEXTS:
                    page = violations(server, "?key=" + urllib.parse.quote(text))["violations"]
                    self.assertEqual([row["bucket_key"] for row in page], [text])
                for key in BYTES:
                    self.assertEqual(len(violations(server, "?key=" + urllib.parse.quote_from_bytes(key))["violations"]), 1)


class Length(unittest.TestCase):
    def test_a_long_key_is_cut_and_says_so_and_counts_as_the_whole(self):
        with folder() as data, serving_tables(data) as server:
            longs = [b"k" * 1025, b"k" * 500_000, b"k" * 499_999 + b"x"]
            for key in longs:
                self.assertTrue(rejected_key(server, key))
            body = {"key": "h" * 900_000, "rate": SLOW, "burst": 1}
            self.assertEqual([ask_http(server.http, "POST", "/v1/check", body).status for _ in range(3)], [200, 429, 429])
            recorded(server, 5)
            found = [row["bucket_key"] for row in rows(database(data), "SELECT DISTINCT bucket_key FROM rate_limit_violation")]
            self.assertEqual(len(found), 4)
            for key in found:
                self.assertLessEqual(len(key), 1024)
                self.assertRegex(key, rb"^(k+|h+)\.\.\.\(\d+ bytes, [0-9a-f]{32}\)$")
            self.assertEqual(sum(b"(500000 bytes, " in key for key in found), 2)

    def test_ten_megabytes_are_refused_and_the_server_lives(self):
        with folder() as data, serving_tables(data) as server:
            huge = 10 * 1024 * 1024
            with connect(server.http) as connection:
                with contextlib.suppress(OSError):  # it need not read what it has refused
                    connection.sendall(http_request("POST", "/v1/check", b"{" + b" " * huge))
                self.assertRegex(read_until_closed(connection)[:64], rb"^HTTP/1\.1 413 ")
            with connect(server.admin) as connection:
                with contextlib.suppress(OSError):
                    connection.sendall(http_request("POST", RULES, b"{" + b" " * huge))
                self.assertRegex(read_until_closed(connection)[:64], rb"^HTTP/1\.1 413 ")
            with connect(server.resp) as connection:
                with contextlib.suppress(OSError):
                    connection.sendall(command("CL.THROTTLE", b"k" * huge, 0, 1, 1))
                self.assertRegex(read_until_closed(connection)[:1], rb"^-")
            self.assertTrue(rejected_key(server, "k"))
            recorded(server, 1)


class Bodies(unittest.TestCase):
    BAD = [
        b"", b"{", b"[]", b"7", b"null", b'"' + b"x" * 100, b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000,
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 0, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": -1, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": -0.0, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": NaN, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1e400, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": -1e400}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1e-400, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": "1", "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": null, "burst_capacity": 1}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 2e9}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "rate_per_second": 2}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "unknown": 2}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "rule_id": 99}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "scope": "ip"}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "plan": ""}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "plan": "a\\u0000b"}',
        b'{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 1, "description": "\xff"}',
        b'{"key_pattern": "\'; DROP TABLE rate_limit_rule; --", "rate_per_second": 1, "burst_capacity": 1}',
        b'{"key_pattern": "' + b"u" * 129 + b':{user_id}", "rate_per_second": 1, "burst_capacity": 1}',
        b'{"key_pattern": "", "rate_per_second": 1, "burst_capacity": 1}',
        b'{"name": "x", "limit_keys": ["nothing"], "algorithm_config": {"rps": 1, "burst": 1}}',
        b'{"id": "p", "rules": []}',
    ]

    def test_what_is_no_rule_is_refused_and_changes_nothing(self):
        with folder() as data, serving_tables(data) as server:
            add_rule(server, "global", 99)
            before = admin(server, "GET", RULES).json()
            for body in self.BAD:
                response = admin(server, "POST", RULES, body)
                self.assertIn(response.status, (400, 422), (body[:100], response.body))
                self.assertEqual(response.fields["content-type"], "application/problem+json")
                response.json()
                response = admin(server, "PUT", RULES + "/1", body, if_match="*")
                self.assertIn(response.status, (400, 422), (body[:100], response.body))
            self.assertEqual(admin(server, "GET", RULES).json(), before)
            self.assertEqual(readiness(server)["status"], "ready")

    def test_numbers_out_of_range_are_no_limits_at_any_door(self):
        with folder() as data, serving_tables(data) as server:
            for rate in (b"0", b"-1", b"NaN", b"1e400", b"null", b'"1"'):
                body = b'{"key": "k", "rate": ' + rate + b', "burst": 1}'
                self.assertEqual(ask_http(server.http, "POST", "/v1/check", body).status, 400, rate)
            for rate in ("0", "-1", "nan", "1e400", ""):
                reply = ask_resp(server.resp, "SLUICE.CHECK", "KEY", "k", "RATE", rate, "BURST", 1)
                self.assertIsInstance(reply, ReplyError, rate)
                self.assertIn("RATE", str(reply))

    def test_texts_of_rules_are_kept_as_they_were_sent(self):
        with folder() as data, serving_tables(data) as server:
            rule = {"key_pattern": USER, "rate_per_second": SLOW, "burst_capacity": 1}
            kept = 0
            for text in TEXTS:
                # A plan is ASCII, for it is part of a rule's name; what is not is refused.
                made = admin(server, "POST", RULES, {**rule, "plan": text[:64], "description": text})
                if made.status != 201:
                    self.assertEqual(made.status, 422, made.body)
                    self.assertRegex(made.json()["faults"][0]["field"], "plan|description")
                    continue
                kept += 1
                shown = admin(server, "GET", made.fields["location"]).json()
                self.assertEqual((shown["plan"], shown["description"]), (text[:64], text))
                listed = admin(server, "GET", RULES + "?plan=" + urllib.parse.quote(text[:64])).json()["rules"]
                self.assertEqual([row["rule_id"] for row in listed], [made.json()["rule_id"]])
                until(lambda: limits(server, "42", text[:64]), f"the rule of plan {text[:64]!r}")
            self.assertGreaterEqual(kept, 8)
            self.assertEqual(len(rows(database(data), "SELECT 1 FROM rate_limit_rule")), kept)
            for text in (text for text in TEXTS if "\0" not in text):
                changed = admin(server, "PATCH", RULES + "/1", {"description": text}, if_match="*")
                self.assertEqual((changed.status, changed.json()["description"]), (200, text))
            for shown in (sluice("rules", "list", "--data-dir", data), sluice("rules", "history", "--data-dir", data)):
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertFalse(disturbing(shown.stdout))
            exported = sluice("rules", "export", "--data-dir", data)
            self.assertEqual(len(json.loads(exported.stdout)["rules"]), kept)

    def test_queries_are_no_sql(self):
        with folder() as data, serving_tables(data) as server:
            add_rule(server, "global", 99)
            for text in TEXTS:
                quoted = urllib.parse.quote(text)
                for path in (f"{RULES}?key_pattern={quoted}", f"{RULES}?plan={quoted}", f"{RULES}?after={quoted}",
                             f"{RULES}/{quoted}", f"{RULES}/1/history?before={quoted}", f"{RULES}/top-level/{quoted}",
                             f"/admin/v1/violations?user_id={quoted}&ip={quoted}&endpoint={quoted}&key={quoted}"):
                    response = admin(server, "GET", path)
                    self.assertIn(response.status, (200, 400, 404), path)
                    if response.status == 200:
                        self.assertFalse(response.json().get("rules") or response.json().get("violations"), path)
            self.assertEqual(len(admin(server, "GET", RULES).json()["rules"]), 1)


if __name__ == "__main__":
    unittest.main()
