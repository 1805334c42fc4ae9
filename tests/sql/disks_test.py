"""Disks that nobody should have: full, not to be written, held by others, gone. Decisions go on, and nothing is lost unseen."""

import contextlib
import os
import pathlib
import sqlite3
import subprocess
import unittest

from server import until
from tables import (RULES, add_rule, admin, check, database, folder, limits, metrics, readiness, rejections, serving_tables,
                    sluice, violations)
from wire import RespReader, command, connect

USER = "user:{user_id}"
NOT_PERMITTED = "no namespace of mounts may be made here"


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
                self.assertTrue(self.reject_many(server))
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
            until(lambda: admin(server, "PATCH", RULES + "/1", {"burst_capacity": 7}, if_match="*").status == 200,
                  "the edit, once nobody holds it")
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
