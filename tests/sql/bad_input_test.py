"""What nobody should send, and disks that nobody should have: every decision is made, every row is as it was sent, and the
server lives."""

import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import unittest
import urllib.parse

import cluster
from server import until
from tables import (RULES, SLOW, add_rule, admin, check, database, folder, limits, metrics, readiness, rejections, request_of,
                    rows, serving_tables, sluice, sqlite, violations)
from wire import RespReader, ReplyError, ask_http, ask_resp, command, connect, http_request, read_until_closed

USER = "user:{user_id}"
DROP = "'); DROP TABLE rate_limit_violation; DELETE FROM rate_limit_rule; --"
# What may stand in JSON, and so comes through every door.
TEXTS = [DROP, '"', "''", "\\", "%s%n", "\0", "a\0b", "\n\r\t", "\x1b[2J\x1b]0;title\x07", "ключ", "\U0001f600", "\ufeff", "\u202e", " ",
         "NULL", "1 OR 1=1", "{user_id}", "|", "\\x41", "k" * 1024]
# What may not: no UTF-8, or no character at all.
BYTES = [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"a\xffb", b"\x00\xff", b"\xf5\x80\x80\x80"]
NOT_PERMITTED = "no namespace of mounts may be made here"


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


def small_disk(place, size):
    """Runs a command with a disk of that size at a folder, which only that command sees; None where that is not permitted."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    mount = f'mount -t tmpfs -o size={size},mode=0777 none "$0" && exec "$@"'
    through = [*unshare, "sh", "-c", mount, str(place)]
    is_permitted = subprocess.run([*through, "true"], capture_output=True, timeout=20).returncode == 0
    return through if is_permitted else None


class Disks(unittest.TestCase):
    def dropped(self, server):
        return sum(value for name, value in metrics(server).items() if name.startswith("sluice_violations_dropped_total"))

    def told(self, server):
        """How many rejections the rows stand for, as the door shows them."""
        count, after = 0, ""
        while after is not None:
            page = violations(server, "?limit=1000" + after)
            count += sum(row["count"] for row in page["violations"])
            after = page["next"] and "&after=" + page["next"]
        return count

    def balance(self, server):
        """Nothing is lost silently: all that was noted is in the table, in the spill, or counted as dropped."""
        figures = metrics(server)
        return figures['sluice_violations_recorded_total{in="table"}'] + self.dropped(server) == \
            figures["sluice_violations_noted_total"] and figures["sluice_violations_waiting_rows"] == 0

    def test_a_full_disk_stops_edits_and_nothing_else(self):
        with folder() as data:
            through = small_disk(data, "4m")
            if through is None:
                self.skipTest(NOT_PERMITTED)
            with serving_tables(data, through=through) as server:
                server.expect("violations", "the database of")
                there = pathlib.Path(f"/proc/{server.pid}/root{data}")  # as the server sees it
                add_rule(server, USER, 3)
                until(lambda: limits(server, "42") == {USER: 3}, "the rule")
                with open(there / "filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
                    while True:
                        filler.write(b"x" * 4096)
                self.assertEqual([check(server, "42").status for _ in range(5)], [200, 200, 200, 429, 429])
                refused = self.until_refused(server)
                self.assertEqual((refused.status, refused.fields["retry-after"]), (503, "1"))
                self.assertIn("there is no room to write", refused.json()["detail"])
                self.assertEqual(limits(server, "43"), {USER: 3})
                away = "the database of the violations is away"
                until(lambda: self.reject_many(server) and away in server.messages("error"), "a line of the log")
                until(lambda: self.reject_many(server) and metrics(server)["sluice_violations_database_up"] == 0, "a metric")
                why = next(line["why"] for line in server.lines if line["message"] == away)
                self.assertRegex(why, "there is no room to write|No space left on device")
                (there / "filler").unlink()
                until(lambda: admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*").status == 200, "room")
                until(lambda: limits(server, "43") == {USER: 7}, "the change")
                self.assertTrue(rejected_key(server, "afterwards"))
                until(lambda: self.balance(server), "an account of all rejections")
                self.assertEqual(self.told(server), metrics(server)["sluice_violations_noted_total"] - self.dropped(server))
                self.assertEqual(readiness(server)["status"], "ready")

    def reject_many(self, server):
        """Rows for a batch that finds no room in pages that are there already."""
        keys = [os.urandom(8).hex() + "x" * 1000 for _ in range(50)]
        with connect(server.resp) as connection:
            connection.sendall(b"".join(command("CL.THROTTLE", key, 0, 1, 1000000) for key in keys * 2))
            reader = RespReader(connection)
            replies = [reader.reply()[0] for _ in keys * 2]
        return replies == [0] * 50 + [1] * 50

    def until_refused(self, server):
        """Pages that are there already may take some edits more."""
        for number in range(2000):
            response = admin(server, "PATCH", RULES + "/1", {"description": f"{number} " + "x" * 4000}, if_match="*")
            if response.status != 200:
                return response
        raise AssertionError("the disk is never full")

    def test_a_database_that_may_only_be_read_serves_its_rules(self):
        with folder() as data, folder() as rights:
            file = rights / "rules.db"
            self.assertEqual(sluice("rules", "add", USER, "--rate", "0.000000001", "--burst", "2", "--rules",
                                    f"sqlite:{file}").returncode, 0)
            file.chmod(0o444)
            rights.chmod(0o555)
            nobody = {}
            if os.geteuid() == 0:  # rights do not hold root back
                os.chown(data, 65534, 65534)
                nobody = {"user": 65534, "group": 65534, "extra_groups": []}
            try:
                with serving_tables(data, "--rules", f"sqlite:{file}", **nobody) as server:
                    server.expect("violations", "the database of")
                    self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 429, 429])
                    self.assertEqual(readiness(server)["status"], "ready")
                    response = admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*")
                    self.assertEqual(response.status, 403, response.body)
                    self.assertIn("may not be", response.json()["detail"])
                    self.assertEqual(admin(server, "GET", RULES + "/1").json()["burst_capacity"], 2)
                    # Violations wait where there is a right to write.
                    until(lambda: metrics(server)['sluice_violations_recorded_total{in="spill"}'] == 2, "the spill")
                    # Whoever gives the right later need not start it again.
                    if nobody:
                        os.chown(file, 65534, 65534)
                    rights.chmod(0o777)
                    file.chmod(0o644)
                    until(lambda: admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*").status == 200,
                          "the right to write")
                    until(lambda: rejections(file) == 2, "the rows")
            finally:
                rights.chmod(0o755)

    def test_whoever_holds_the_database_for_long_holds_up_edits_alone(self):
        with folder() as data, serving_tables(data) as server:
            server.expect("violations", "the database of")
            add_rule(server, USER, 2)
            until(lambda: limits(server, "42") == {USER: 2}, "the rule")
            with contextlib.closing(sqlite3.connect(database(data), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 429, 429])
                response = admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*")
                self.assertEqual((response.status, response.fields["retry-after"]), (503, "1"))
                self.assertIn("is held by another program", response.json()["detail"])
                self.assertEqual(readiness(server)["status"], "ready")
                other.execute("ROLLBACK")
            self.assertEqual(admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*").status, 200)
            until(lambda: rejections(database(data)) == 2, "the rows")
            until(lambda: self.balance(server), "an account of all rejections")
            self.assertEqual(self.dropped(server), 0)

    def test_a_file_that_was_moved_away_is_missed_and_found_again(self):
        with folder() as data, serving_tables(data) as server:
            server.expect("violations", "the database of")
            add_rule(server, USER, 2)
            until(lambda: limits(server, "42") == {USER: 2}, "the rule")
            moved = data / "moved"
            moved.mkdir()
            data_files = sorted(data.glob("sluice.db*"))
            for file in data_files:
                file.rename(moved / file.name)
            until(lambda: readiness(server)["status"] == "degraded", "that it is missed")
            self.assertEqual([check(server, "42").status for _ in range(4)], [200, 200, 429, 429])
            until(lambda: metrics(server)['sluice_violations_recorded_total{in="spill"}'] == 2, "the spill")
            for _ in range(2):
                self.assertEqual(admin(server, "PATCH", RULES + "/1", {"burst_capacity": 9}, if_match="*").status, 503)
            self.assertEqual(admin(server, "GET", RULES).status, 503)
            self.assertEqual(admin(server, "GET", "/admin/v1/violations").status, 503)
            # An empty one in its place would be a table without rules.
            self.assertFalse(database(data).exists())
            self.assertEqual(limits(server, "43"), {USER: 2})
            for file in data_files:
                (moved / file.name).rename(file)
            until(lambda: readiness(server)["status"] == "ready", "it to be found")
            self.assertEqual(limits(server, "43"), {USER: 2})
            until(lambda: rejections(database(data)) == 2, "the rows")

    def test_a_file_that_is_made_anew_is_followed(self):
        with folder() as data, serving_tables(data) as server:
            server.expect("the database of")
            add_rule(server, USER, 2)
            until(lambda: limits(server, "42") == {USER: 2}, "the rule")
            for file in data.glob("sluice.db*"):
                file.unlink()
            until(lambda: readiness(server)["status"] == "degraded", "that it is missed")
            self.assertEqual(sluice("rules", "add", "global", "--rate", 1, "--burst", 9, "--data-dir", data).returncode, 0)
            until(lambda: limits(server, "42") == {"global": 9}, "the rules of the new one")
            # One that has the old file open is told so once.
            until(lambda: admin(server, "PATCH", RULES + "/1", {"burst_capacity": 8}, if_match='"1"').status == 200, "an edit")
            until(lambda: limits(server, "42") == {"global": 8}, "its change")


if __name__ == "__main__":
    unittest.main()
