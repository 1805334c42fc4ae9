"""What a running server answers is what docs/openapi.json says: every status, its body and its fields."""

import contextlib
import http.client
import json
import pathlib
import signal
import socket
import sqlite3
import unittest

from openapi_document import DOCUMENT, METHODS, REFUSED, Answer, Operation, faults_of, operations
from serving import Server

OPERATIONS = {one.id: one for one in operations()}
RULES = [name for name, one in OPERATIONS.items() if one.parts["tags"] == ["rules"]]
DECISIONS = [f"decision{method.capitalize()}" for method in METHODS]
NEED_TOKEN = [name for name, one in OPERATIONS.items() if one.parts["security"] == [{"adminToken": []}]]
MAY_NEED_TOKEN = [name for name, one in OPERATIONS.items() if {} in one.parts["security"] and "admin" in one.doors]

# What is described and cannot be brought about here, and why.
NEVER = {
    "the store in memory is never away": {
        (name, 503) for name in ("check", "peek", "refund", "bucket", "resetBucket", *DECISIONS)
    },
    "that many reservations take too long": {("reserve", 503)},
    "the admin door of a test does not listen beyond this machine; src/doors/admin/gate_test.cc has it": {
        (name, 401) for name in MAY_NEED_TOKEN if name != "openapi"
    },
    "a root that tests run as may write every file": {("validateRule", 403)},
    "no rule needs another, and no field of the top level is needed": {("removeRule", 422), ("removeTopLevelField", 422)},
}

# A database in a folder that can be swapped for another.
DATABASE = "sqlite:current/rules.db"
USER = {"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 5}
FULL = {"key": "full", "rate": 1, "burst": 1, "cost": 2}


def policy(path, limit_keys=(), **rule):
    """A policy of one rule for a path and all below it."""
    rules = [{"name": "r", "limit_keys": list(limit_keys), **rule}]
    return {"id": path.strip("/") or "all", "selector": {"pathPrefix": path}, "rules": rules}


def answer_of(response):
    fields = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, fields, response.read().decode())


def send(port, operation, path, token="secret", body=None, fields=()):
    """One request on a connection of its own, with what the operation needs."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        text = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
        connection.putrequest(operation.method.upper(), path)
        given = [("Authorization", f"Bearer {token}")] if token else []
        for name, value in [*given, *fields, *([("Content-Length", str(len(text)))] if text is not None else [])]:
            connection.putheader(name, value)
        connection.endheaders(text.encode() if isinstance(text, str) else text)
        response = connection.getresponse()
        return answer_of(response)


class Answers(unittest.TestCase):
    """All in one, for in the end it is asked what has never been answered."""

    def setUp(self):
        self.seen = set()

    @contextlib.contextmanager
    def server(self, rules=None, source=None, arguments=(), token="secret", **environment):
        given = [*arguments, *(["--rules", source] if source else [])]
        tokens = {"SLUICE_ADMIN_TOKEN": token} if token else {}
        server = Server(rules, given, **tokens, **environment)
        folder = pathlib.Path(server.folder.name)
        (folder / "good").mkdir()
        (folder / "current").symlink_to("good")
        with server:
            yield server

    def ask(self, server, name, status, path=None, door=None, **how):
        """Asks, and holds the answer against the document."""
        one: Operation = OPERATIONS[name]
        answer = send(server.ports[door or one.doors[-1]], one, path or one.url(), **how)
        self.assertEqual(answer.status, status, f"{name} {path}: {answer}")
        self.assertEqual(one.faults(answer), [], answer)
        self.seen.add((name, status))
        return answer

    def test_answers_are_those_that_are_described(self):
        self.examples_work()
        self.bodies_that_are_not_understood()
        self.decisions()
        self.rejections_as_nginx_wants_them()
        self.more_limits_than_a_request_may_have()
        self.doors_with_tokens()
        self.tokens_that_are_not_set()
        self.figures_and_buckets()
        self.rules_of_a_table()
        self.top_level()
        self.rules_of_a_file()
        self.a_database_that_is_away()
        self.a_database_that_is_broken()
        self.a_server_that_stops()
        described = {(name, status) for name, one in OPERATIONS.items() for status in one.statuses}
        never = set().union(*NEVER.values())
        self.assertEqual(never - described, set(), "no longer described")
        self.assertEqual(self.seen & never, set(), "can be brought about after all")
        self.assertEqual(described - self.seen - never, set(), "described, but never answered")

    def examples_work(self):
        """Whoever sends the examples, rules first, is answered with success."""
        first = ["replaceRules", "addRule"]
        ranks = {"post": 0, "put": 1, "patch": 2, "delete": 4}
        rest = [one for one in OPERATIONS.values() if one.id not in first]
        rest.sort(key=lambda one: ranks.get(one.method, 3))
        with self.server(source=DATABASE) as server:
            handle = None
            for one in [*(OPERATIONS[name] for name in first), *rest]:
                for media_type, body in list(one.bodies()) or [(None, None)]:
                    if one.id == "settle":
                        body = {**body, "handle": handle}
                    yaml = {"name": "rules.yaml"} if media_type == "application/yaml" else {}
                    path = one.url(query={**one.examples("query"), **yaml})
                    for door in one.doors:
                        fields = list(one.examples("header").items())
                        answer = send(server.ports[door], one, path, body=body, fields=fields)
                        self.assertIn(answer.status, (200, 201, 204), f"{one.id} {path}: {answer}")
                        self.assertEqual(one.faults(answer), [], answer)
                        self.seen.add((one.id, answer.status))
                    if one.id == "reserve":
                        handle = answer.json()["handle"]

    def bodies_that_are_not_understood(self):
        with self.server(source=DATABASE) as server:
            for name in ("check", "peek", "refund", "reserve", "settle", "checkBatch", "explain"):
                for body in ("", "{", "7", '{"key": 7}', '{"colour": "red"}'):
                    self.ask(server, name, 400, body=body)
            for name in DECISIONS:
                self.ask(server, name, 400, fields=[("X-Original-URI", "/a"), ("X-Original-URI", "/b")])
            for door in ("http", "admin"):
                self.requests_that_are_none(server.ports[door])

    def requests_that_are_none(self, port):
        line = b"GET / HTTP/1.1\r\nHost: x\r\n"
        faulty = {
            400: b"GET / HTTP/1.1\r\n\r\n",
            413: line + b"Content-Length: 9999999\r\n\r\n",
            414: b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n",
            417: line + b"Expect: cake\r\n\r\n",
            431: line + b"A: b\r\n" * 101 + b"\r\n",
            501: line + b"Transfer-Encoding: gzip\r\n\r\n",
            505: b"GET / HTTP/3.0\r\n\r\n",
        }
        self.assertEqual(set(faulty), REFUSED)
        for status, text in faulty.items():
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(text)
                response = http.client.HTTPResponse(connection)
                response.begin()
                answer = answer_of(response)
            self.assertEqual(answer.status, status)
            self.assertEqual(OPERATIONS["index"].faults(answer), [])

    def decisions(self):
        rules = {
            "headers": ["ietf", "legacy", "x"],
            "kill_switches": [{"key": "header:x-api-key", "value": "gone"}],
            "policies": [
                policy("/queue", algorithm="leaky_queue", algorithm_config={"rps": 1, "burst": 9}),
                policy("/window", algorithm="fixed_window", algorithm_config={"limit": 1, "window_seconds": 86400000}),
                policy("/", mode="shadow", algorithm_config={"rps": 0.001, "burst": 1}),
                policy("/key", ["header:x-api-key"], on_missing_key="deny", algorithm_config={"rps": 1, "burst": 1}),
            ],
        }
        with self.server(rules) as server:
            for name in ("check", "peek", "reserve"):
                self.ask(server, name, 200, body={"request": {"path": "/queue"}})
                self.ask(server, name, 200, body={"request": {"path": "/none"}})
                self.ask(server, name, 200 if name == "check" else 429, body={"request": {"path": "/window"}})
                self.ask(server, name, 429, body=FULL)
                gone = self.ask(server, name, 429, body={"request": {"headers": {"x-api-key": "gone"}}})
                self.assertEqual(gone.json()["reason"], "kill_switch")
                missing = self.ask(server, name, 429, body={"request": {"path": "/key"}})
                self.assertEqual(missing.json()["reason"], "missing_key")
            delayed = self.ask(server, "check", 200, body={"request": {"path": "/queue"}})
            self.assertIn("x-sluice-delay-ms", delayed.fields)
            self.assertIs(self.ask(server, "refund", 200, body={"request": {"path": "/key"}}).json()["refunded"], False)
            items = [{"key": "b", "rate": 1, "burst": 5}, FULL, {"request": {"path": "/queue"}}, 7]
            batch = self.ask(server, "checkBatch", 200, body=items).json()
            self.assertEqual([one["status"] for one in batch], [200, 429, 200, 400])
            self.ask(server, "settle", 404, body={"handle": "rsv-0", "cost": 1})
            for name in DECISIONS:
                self.ask(server, name, 200, fields=[("X-Forwarded-Uri", "/none")])
                self.ask(server, name, 429, fields=[("X-Original-URI", "/window")])
            self.assertIn("shadow", self.ask(server, "explain", 200, body={"path": "/queue"}).json()["decision"])

    def rejections_as_nginx_wants_them(self):
        switches = [{"key": "method", "value": list(map(str.upper, METHODS))}]
        rules = {"kill_switches": switches, "rules": [USER]}
        with self.server(rules, arguments=["--http-decision-status", "403"]) as server:
            for name in DECISIONS:
                self.ask(server, name, 403)

    def more_limits_than_a_request_may_have(self):
        limit = {"on_missing_key": "share", "algorithm_config": {"rps": 1, "burst": 1}}
        rules = [{"name": f"r{i}", "limit_keys": [f"query:q{i}"], **limit} for i in range(40)]
        with self.server({"rules": rules}) as server:
            for name in ("check", "peek", "reserve"):
                self.ask(server, name, 500, body={"request": {"path": "/"}})
            for name in DECISIONS:
                self.ask(server, name, 500)

    def doors_with_tokens(self):
        with self.server(source=DATABASE, SLUICE_HTTP_TOKEN="public") as server:
            for name, one in OPERATIONS.items():
                if {"token": []} in one.parts["security"]:
                    self.ask(server, name, 401, door="http", token="wrong")
            self.ask(server, "index", 200, door="http", token=None)
            for name in NEED_TOKEN:
                self.ask(server, name, 401, token="wrong")
                self.ask(server, name, 401, token=None)

    def tokens_that_are_not_set(self):
        with self.server(source=DATABASE, token=None) as server:
            for name in NEED_TOKEN:
                self.ask(server, name, 403)

    def figures_and_buckets(self):
        with self.server({"rules": [USER]}) as server:
            for path in ("/admin/v1/top?by=size", "/admin/v1/top?limit=0"):
                self.ask(server, "top", 400, path)
            self.ask(server, "violations", 409)
            for name in ("bucket", "resetBucket"):
                self.ask(server, name, 400, "/admin/v1/buckets/k?rate=1")
                self.ask(server, name, 404, "/admin/v1/buckets/k")
                self.ask(server, name, 200, "/admin/v1/buckets/k?named=1&rate=1&burst=5")
            self.ask(server, "readyz", 200, token=None)
        with self.server(source=DATABASE, arguments=["--violations-interval", "100ms"]) as server:
            self.ask(server, "violations", 400, "/admin/v1/violations?colour=red")
            self.ask(server, "check", 429, body=FULL)
            server.until(lambda: self.ask(server, "violations", 200, "/admin/v1/violations?limit=1").json()["violations"])
            self.assertIsInstance(self.ask(server, "violations", 200, "/admin/v1/violations?limit=1").json()["next"], str)

    def rules_of_a_table(self):
        with self.server(source=DATABASE) as server:
            for body in (USER, {**USER, "plan": "pro"}, {"id": "p", "rules": [USER]}):
                shown = self.ask(server, "addRule", 201, body=body).json()
                self.assertEqual(faults_of(shown, {"$ref": "#/components/schemas/RuleBody"}), [])
                put = {"path": f"/admin/v1/rules/{shown['rule_id']}", "fields": [("If-Match", '"1"')]}
                self.ask(server, "replaceRule", 200, body=shown, **put)
            self.assertEqual(self.ask(server, "rules", 200, "/admin/v1/rules?limit=1").json()["next"], 1)
            for name in ("rules", "history", "ruleHistory", "validateRule"):
                self.ask(server, name, 400, OPERATIONS[name].url(query={"colour": "red"}), body={})
            for name in ("addRule", "validateRule"):
                self.assertEqual(self.ask(server, name, 409, body=USER).json()["current"]["rule_id"], 1)
                for body in ("{", {**USER, "plan": "x", "rate_per_second": 0}, {"colour": "red"}):
                    self.assertTrue(self.ask(server, name, 422, body=body).json()["faults"])
            self.ask(server, "validateRule", 404, "/admin/v1/rules/validate?rule_id=99", body={**USER, "plan": "x"})
            self.ask(server, "rule", 304, fields=[("If-None-Match", '"1"')])
            self.ask(server, "rule", 404, "/admin/v1/rules/99")
            self.ask(server, "ruleHistory", 404, "/admin/v1/rules/x/history")
            bodies = {"replaceRule": {**USER, "plan": "pro"}, "patchRule": {"burst_capacity": 7}, "removeRule": None}
            for name, body in bodies.items():
                self.ask(server, name, 400, body=body, fields=[("If-Match", "1")])
                self.ask(server, name, 404, "/admin/v1/rules/99", body=body, fields=[("If-Match", "*")])
                self.ask(server, name, 428, body=body)
                changed = self.ask(server, name, 412, body=body, fields=[("If-Match", '"9"')])
                self.assertEqual(changed.fields["etag"], f'"{changed.json()["current"]["version"]}"')
            for name, body in (("replaceRule", USER), ("patchRule", {"plan": None})):
                taken = self.ask(server, name, 409, body=body, fields=[("If-Match", "*")])
                self.assertEqual(taken.json()["current"]["rule_id"], 1)
                self.ask(server, name, 422, body={**body, "burst_capacity": 0, "plan": "x"}, fields=[("If-Match", "*")])
            self.ask(server, "replaceRules", 428, body={})
            for name in ("replaceRules", "mergeRules"):
                faulty = self.ask(server, name, 422, body={"rules": [{"colour": "red"}]}, fields=[("If-Match", "*")])
                self.assertTrue(faulty.json()["faults"])
                self.ask(server, name, 400, body={}, fields=[("If-Match", "seven")])
                changed = self.ask(server, name, 412, body={"rules": []}, fields=[("If-Match", '"9"')])
                self.assertTrue(changed.fields["etag"])
            self.break_by_hand(server)

    def break_by_hand(self, server):
        file = pathlib.Path(server.folder.name) / "good" / "rules.db"
        with contextlib.closing(sqlite3.connect(file, timeout=60)) as database, database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute("INSERT INTO rate_limit_rule (key_pattern) VALUES ('policy:broken')")
            database.execute("INSERT INTO rate_limit_rule (key_pattern) VALUES ('user:{nobody}')")
        self.ask(server, "rules", 200, "/admin/v1/rules")
        self.ask(server, "exportRules", 422)
        self.ask(server, "history", 200, "/admin/v1/rules/history")

    def top_level(self):
        with self.server(source=DATABASE) as server:
            self.ask(server, "topLevelField", 404)
            self.ask(server, "removeTopLevelField", 404, fields=[("If-Match", "*")])
            self.ask(server, "setTopLevelField", 412, body=["x"], fields=[("If-Match", "*")])
            self.ask(server, "setTopLevelField", 422, body=["colour"], fields=[("If-None-Match", "*")])
            self.ask(server, "setTopLevelField", 204, body=["x"], fields=[("If-None-Match", "*")])
            tag = self.ask(server, "topLevelField", 200).fields["etag"]
            self.ask(server, "topLevelField", 304, fields=[("If-None-Match", tag)])
            for name in ("setTopLevelField", "removeTopLevelField"):
                self.ask(server, name, 428, body=["x"])
                self.ask(server, name, 400, body=["x"], fields=[("If-Match", "x")])
                changed = self.ask(server, name, 412, body=["x"], fields=[("If-Match", '"x"')])
                self.assertEqual(changed.fields["etag"], tag)
            self.ask(server, "removeTopLevelField", 204, fields=[("If-Match", tag)])
            changes = self.ask(server, "history", 200, "/admin/v1/rules/history").json()["changes"]
            self.assertIsNone(changes[0]["rule_id"])

    def rules_of_a_file(self):
        with self.server({"rules": [USER]}) as server:
            for name in RULES:
                self.ask(server, name, 409)

    def ask_of_database(self, server, name, status):
        one = OPERATIONS[name]
        body = next(iter(one.bodies()), (None, None))[1]
        self.ask(server, name, status, body=body, fields=list(one.examples("header").items()))

    def swap_folder(self, server, name):
        """In one step, for the server looks at the file again and again."""
        folder = pathlib.Path(server.folder.name)
        (folder / "next").symlink_to(name)
        (folder / "next").rename(folder / "current")

    def a_database_that_is_away(self):
        with self.server(source=DATABASE) as server:
            (pathlib.Path(server.folder.name) / "plain").touch()
            self.swap_folder(server, "plain")
            for name in [*RULES, "violations"]:
                self.ask_of_database(server, name, 503)

    def a_database_that_is_broken(self):
        with self.server(source=DATABASE) as server:
            (pathlib.Path(server.folder.name) / "bad" / "rules.db").mkdir(parents=True)
            self.swap_folder(server, "bad")
            for name in RULES:
                self.ask_of_database(server, name, 500)

    def a_server_that_stops(self):
        with self.server({"rules": [USER]}) as server:
            # A request that is not whole keeps the server from stopping at once.
            with socket.create_connection(("127.0.0.1", server.ports["http"]), timeout=60) as waiting:
                connection = http.client.HTTPConnection("127.0.0.1", server.ports["admin"], timeout=60)
                self.addCleanup(connection.close)
                connection.connect()
                waiting.sendall(b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
                server.until(lambda: 'sluice_connections_open{door="http"} 1' in server.admin("/metrics")[1])
                server.process.send_signal(signal.SIGTERM)
                server.until(lambda: any('"stopping"' in line for line in server.log))
                connection.request("GET", "/readyz")
                answer = answer_of(connection.getresponse())
                self.assertEqual((answer.status, OPERATIONS["readyz"].faults(answer)), (503, []))
                self.seen.add(("readyz", 503))


if __name__ == "__main__":
    unittest.main()
