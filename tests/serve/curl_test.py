"""curl at every route, and what of HTTP/1.1 clients rely on: kept connections, HEAD, chunks, 100-continue, HTTP/1.0."""

import json
import subprocess
import unittest

from server import environment, serving
from wire import check, connect, http_request, HttpReader, read_until_closed

RULES = {"rules": [{"name": "api", "limit_keys": ["header:x-api-key"], "algorithm_config": {"rps": 1e-6, "burst": 2}}]}


class Curl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(serving(rules=RULES))

    def curl(self, path, *arguments, given=None):
        """Status and body."""
        command = ["curl", "-sS", "--max-time", "20", "-w", "\n%{http_code}", *arguments, self.server.url(path)]
        result = subprocess.run(command, capture_output=True, input=given, env=environment(), timeout=30)
        self.assertEqual((result.returncode, result.stderr), (0, b""), path)
        body, _, status = result.stdout.decode().rpartition("\n")
        return int(status), body

    def post(self, path, body):
        status, text = self.curl(path, "-d", json.dumps(body))
        return status, json.loads(text)

    def test_every_route_answers(self):
        self.assertEqual(self.curl("/")[0], 200)
        self.assertEqual(self.post("/v1/check", check("routes", burst=2, cost=2))[0], 200)
        status, told = self.post("/v1/check", check("routes", burst=2))
        self.assertEqual((status, told["reason"]), (429, "token_bucket_exceeded"))
        self.assertEqual(self.post("/v1/peek", check("routes", burst=2))[0], 429)
        self.assertEqual(self.post("/v1/refund", check("routes", burst=2)), (200, {"refunded": True}))
        self.assertEqual(self.post("/v1/peek", check("routes", burst=2))[0], 200)
        status, items = self.post("/v1/check/batch", [check("batch", burst=1), check("batch", burst=1), {"key": "x"}])
        self.assertEqual((status, [item["status"] for item in items]), (200, [200, 429, 400]))
        statuses = [self.curl("/v1/decision", "-H", "X-Api-Key: routes", "-H", "X-Original-URI: /a?b=c")[0] for _ in range(3)]
        self.assertEqual(statuses, [200, 200, 429])
        self.assertEqual(self.curl("/none")[0], 404)
        self.assertEqual(self.curl("/v1/check")[0], 405)

    def test_a_rejection_tells_how_long_to_wait(self):
        for _ in range(3):
            status, text = self.curl("/v1/decision", "-i", "-H", "X-Api-Key: waits")
        head, _, body = text.partition("\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.splitlines()[1:])
        self.assertEqual(status, 429)
        self.assertGreaterEqual(int(fields["Retry-After"]), 999_000)
        self.assertEqual(fields["RateLimit-Limit"], "2")
        self.assertEqual(fields["X-Sluice-Reason"], "token_bucket_exceeded")
        self.assertEqual(fields["Content-Type"], "application/problem+json")
        self.assertEqual(json.loads(body)["rule"], "api")

    def test_one_connection_serves_many_requests(self):
        url = self.server.url("/")
        command = ["curl", "-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{num_connects}", url]
        for _ in range(4):
            command += ["-o", "/dev/null", url]
        result = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=30)
        self.assertEqual(result.stdout, "10000")

    def test_head_is_get_without_its_body(self):
        status, text = self.curl("/", "--head")
        length = next(line for line in text.splitlines() if line.lower().startswith("content-length:"))
        self.assertEqual(status, 200)
        self.assertEqual(int(length.split(":")[1]), len(self.curl("/")[1]))
        self.assertEqual(text.partition("\r\n\r\n")[2].strip(), "")

    def test_a_large_body_waits_for_100_continue(self):
        batch = json.dumps([check(f"large-{i}") for i in range(1000)]) + " " * 900_000
        status, text = self.curl("/v1/check/batch", "-H", "Expect: 100-continue", "--expect100-timeout", "15", "-v",
                                 "--stderr", "-", "--data-binary", "@-", given=batch.encode())
        self.assertEqual(status, 200)
        self.assertIn("HTTP/1.1 100 Continue", text)

    def test_a_body_in_chunks_is_read(self):
        status, _ = self.curl("/v1/check", "-H", "Transfer-Encoding: chunked", "--data-binary", "@-",
                              given=json.dumps(check("chunks")).encode())
        self.assertEqual(status, 200)

    def test_http_1_0_is_answered_and_closed(self):
        self.assertEqual(self.curl("/v1/check", "--http1.0", "-d", json.dumps(check("old")))[0], 200)
        with connect(self.server.http) as connection:
            connection.sendall(http_request("GET", "/", version="1.0"))
            reader = HttpReader(connection)
            self.assertEqual(reader.response().status, 200)
            self.assertEqual(reader.file.read(), b"")

    def test_pipelined_requests_are_answered_in_order(self):
        with connect(self.server.http) as connection:
            keys = [f"pipe-{i}" for i in range(500)]
            for burst, key in enumerate(keys, 1):
                connection.sendall(http_request("POST", "/v1/check", check(key, burst=burst)))
            reader = HttpReader(connection)
            self.assertEqual([reader.response().json()["limit"] for _ in keys], list(range(1, 501)))

    def test_what_was_asked_before_a_half_close_is_answered(self):
        with connect(self.server.http) as connection:
            connection.sendall(http_request("GET", "/") * 3)
            connection.shutdown(1)
            self.assertEqual(read_until_closed(connection).count(b"HTTP/1.1 200 OK"), 3)


if __name__ == "__main__":
    unittest.main()
