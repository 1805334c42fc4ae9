"""Many who edit one rule at once through the admin door: nobody undoes what another has changed."""

import concurrent.futures
import itertools
import json
import sqlite3
import threading
import unittest

from server import until
from tables import RULES, TOKEN, add_rule, admin, database, folder, limits, rows, serving_tables
from wire import HttpReader, connect, http_request

EDITORS = 100
USER = "user:{user_id}"


class Editor:
    """One who keeps a connection, and a name that the history knows."""

    def __init__(self, server, token):
        self.connection = connect(server.admin)
        self.reader = HttpReader(self.connection)
        self.token = token

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.reader.file.close()
        self.connection.close()

    def send(self, method, path, body=None, **fields):
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        self.connection.sendall(http_request(method, path, body, {"Authorization": f"Bearer {self.token}", **headers}))
        return self.reader.response()


def increment(editor, path):
    """Reads, adds one, and writes what it read with one more; again from the start if somebody was quicker."""
    response = editor.send("GET", path)
    for tries in itertools.count(1):
        burst = response.json().get("current", response.json())["burst_capacity"]
        response = editor.send("PATCH", path, {"burst_capacity": burst + 1}, if_match=response.fields["etag"])
        if response.status == 200:
            return tries, response.json()["burst_capacity"]
        assert response.status == 412, response.body


def all_at_once(act, count=EDITORS):
    """All begin together; what each returns."""
    barrier = threading.Barrier(count)

    def wait_and_act(number):
        barrier.wait()
        return act(number)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(wait_and_act, range(count)))


def names():
    return {"SLUICE_ADMIN_TOKENS": ",".join(f"editor{number}:token-{number}" for number in range(EDITORS))}


class Editors(unittest.TestCase):
    def test_every_increment_of_a_hundred_editors_is_there_exactly_once(self):
        with folder() as data, serving_tables(data, variables=names()) as server:
            path = f"{RULES}/{add_rule(server, USER, 1)['rule_id']}"

            def act(number):
                with Editor(server, f"token-{number}") as editor:
                    return increment(editor, path)

            done = all_at_once(act)
            # Each was told a value of its own, and together they are all that there are.
            self.assertEqual(sorted(burst for _, burst in done), list(range(2, EDITORS + 2)))
            self.assertGreater(max(tries for tries, _ in done), 1, "nobody was ever in another's way")
            rule = admin(server, "GET", path).json()
            self.assertEqual((rule["burst_capacity"], rule["version"]), (EDITORS + 1, EDITORS + 1))
            changes = admin(server, "GET", path + "/history?limit=1000").json()["changes"]
            self.assertEqual([change["after"]["burst_capacity"] for change in changes], list(range(EDITORS + 1, 0, -1)))
            self.assertEqual([change["before"]["burst_capacity"] for change in changes[:-1]], list(range(EDITORS, 0, -1)))
            self.assertEqual({change["changed_by"] for change in changes},
                             {"admin", *(f"editor{number}" for number in range(EDITORS))})
            until(lambda: limits(server, "42") == {USER: EDITORS + 1}, "the last of the changes in force")

    def test_patches_for_any_version_of_different_fields_are_all_there(self):
        with folder() as data, serving_tables(data, variables=names()) as server:
            definition = {"name": "many", "limit_keys": [], "match": {"method": "GET"},
                          "algorithm_config": {"rps": 1, "burst": 1}}
            response = admin(server, "POST", RULES, definition)
            self.assertEqual(response.status, 201, response.body)
            path = f"{RULES}/{response.json()['rule_id']}"

            def act(number):
                with Editor(server, f"token-{number}") as editor:
                    return editor.send("PATCH", path, {"match": {f"header:x-{number}": "yes"}}, if_match="*").status

            self.assertEqual(set(all_at_once(act)), {200})
            rule = admin(server, "GET", path).json()
            self.assertEqual(rule["match"], {"method": "GET", **{f"header:x-{number}": "yes" for number in range(EDITORS)}})
            self.assertEqual(rule["version"], EDITORS + 1)
            self.assertEqual(len(rows(database(data), "SELECT 1 FROM rate_limit_change")), EDITORS + 1)

    def test_of_many_who_add_the_same_rule_one_has_added_it(self):
        with folder() as data, serving_tables(data) as server:
            rule = {"key_pattern": USER, "rate_per_second": 1, "burst_capacity": 1}

            def act(_):
                with Editor(server, TOKEN) as editor:
                    return editor.send("POST", RULES, rule).status

            self.assertEqual(sorted(all_at_once(act, 20)), [201] + [409] * 19)

    def test_edits_by_hand_and_by_the_door_do_not_lose_one_another(self):
        with folder() as data, serving_tables(data) as server:
            path = f"{RULES}/{add_rule(server, USER, 1)['rule_id']}"

            def by_hand():
                connection = sqlite3.connect(database(data), timeout=20, isolation_level=None)
                for _ in range(20):
                    connection.execute("UPDATE rate_limit_rule SET burst_capacity = burst_capacity + 1")
                connection.close()

            def act(number):
                if number % 2:
                    return by_hand()
                with Editor(server, TOKEN) as editor:
                    for _ in range(20):
                        increment(editor, path)

            all_at_once(act, 4)
            rule = admin(server, "GET", path).json()
            self.assertEqual((rule["burst_capacity"], rule["version"]), (81, 81))


class Preconditions(unittest.TestCase):
    def test_who_names_no_version_is_asked_for_one(self):
        with folder() as data, serving_tables(data) as server:
            path = f"{RULES}/{add_rule(server, USER, 1)['rule_id']}"
            for method, body in (("PATCH", {"burst_capacity": 2}), ("PUT", {"burst_capacity": 2}), ("DELETE", None)):
                response = admin(server, method, path, body)
                self.assertEqual(response.status, 428, method)
                self.assertIn("If-Match", response.json()["detail"])
            stale = admin(server, "PATCH", path, {"burst_capacity": 2}, if_match='"7"')
            self.assertEqual((stale.status, stale.fields["etag"], stale.json()["current"]["burst_capacity"]), (412, '"1"', 1))
            self.assertEqual(admin(server, "PATCH", path, {"burst_capacity": 2}, if_match="seven").status, 400)
            self.assertEqual(admin(server, "PATCH", RULES + "/99", {"burst_capacity": 2}, if_match="*").status, 404)
            self.assertEqual(admin(server, "GET", path).json()["version"], 1)

    def test_who_has_no_token_changes_nothing(self):
        rule = {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1}
        with folder() as data, serving_tables(data) as server:
            add_rule(server, USER, 1)
            before = admin(server, "GET", RULES).json()
            for token in (None, "wrong", TOKEN + "x", TOKEN[:-1]):
                self.assertEqual(admin(server, "POST", RULES, rule, token=token).status, 401)
                for method in ("PATCH", "PUT", "DELETE"):
                    self.assertEqual(admin(server, method, RULES + "/1", rule, token=token, if_match="*").status, 401)
                self.assertEqual(admin(server, "GET", RULES + "/history", token=token).status, 401)
                self.assertEqual(admin(server, "PUT", RULES + "/file", {"rules": []}, token=token).status, 401)
                self.assertEqual(admin(server, "PUT", RULES + "/top-level/headers", [], token=token, if_match="*").status, 401)
            self.assertEqual(admin(server, "GET", RULES).json(), before)
        with folder() as data, serving_tables(data, token=None) as server:
            response = admin(server, "POST", RULES, rule, token="any")
            self.assertEqual(response.status, 403)
            self.assertIn("admin.token", json.dumps(response.json()))


if __name__ == "__main__":
    unittest.main()
