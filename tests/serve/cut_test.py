"""However bytes are cut on their way, the answers are the same."""

import re
import unittest

from server import serving
from wire import ask_resp, check, command, connect, http_request, read_until_closed

RULES = {"rules": [{"name": "api", "limit_keys": ["header:x-api-key"], "algorithm_config": {"rps": 1e-6, "burst": 2}}]}

HTTP = b"".join([
    http_request("GET", "/"),
    http_request("HEAD", "/"),
    *[http_request("POST", "/v1/check", check("k", burst=2))] * 3,
    http_request("POST", "/v1/check/batch", [check("b"), check("b"), {"key": 7}]),
    http_request("POST", "/v1/peek", check("k", burst=2)),
    http_request("POST", "/v1/refund", check("k", burst=2)),
    http_request("POST", "/v1/reserve", check("r", burst=2)),
    http_request("POST", "/v1/settle", {"handle": "none-such", "cost": 1}),
    *[http_request("GET", "/v1/decision", headers={"X-Api-Key": "a", "X-Original-URI": "/a?b=c"})] * 3,
    http_request("POST", "/v1/check", b"4\r\n{\"ke\r\nf;x=y\r\ny\": \"c\", \"rate\"\r\n10\r\n: 1, \"burst\": 9}\r\n0\r\n\r\n",
                 {"Transfer-Encoding": "chunked", "Content-Length": ""}).replace(b"Content-Length: \r\n", b""),
    http_request("POST", "/v1/check", b"{not json"),
    http_request("DELETE", "/v1/check"),
    http_request("GET", "/none"),
    http_request("GET", "/", headers={"Connection": "close"}),
])

RESP = b"".join([
    command("PING"),
    b"PING inline\r\n",
    command("ECHO", b"\x00\r\n\xff"),
    *[command("CL.THROTTLE", "k", 1, 1, 1_000_000)] * 3,
    command("THROTTLE", "t", 2, 1, 1_000_000),
    command("CL.THROTTLE", "k", "x", 1, 60),
    *[command("SLUICE.CHECK", "PATH", "/", "HEADER", "X-Api-Key", "a")] * 3,
    command("SLUICE.PEEK", "KEY", "k", "RATE", "0.000001", "BURST", 2),
    command("SLUICE.RESET", "KEY", "k"),
    command("SLUICE.REFUND", "KEY", "k", "RATE", "0.000001", "BURST", 2),
    command("SLUICE.RESERVE", "KEY", "r", "RATE", "0.000001", "BURST", 2, "TTL", 5000),
    command("SLUICE.SETTLE", "none-such", 1),
    command("AUTH", "nobody", "nothing"),
    command("CLIENT", "SETNAME", "cut"), command("CLIENT", "GETNAME"),
    command("COMMAND", "LIST"), command("CONFIG", "GET", "save"), command("INFO", "keyspace"), command("SELECT", 0),
    command("RESET"),
    command("HELLO", 3),
    command("SLUICE.CHECK", '{"path": "/", "headers": {"x-api-key": "b"}}'),
    command("NONE", "SUCH"),
    command("QUIT"),
])

# Waits are told in milliseconds and seconds, and ids differ from one connection to the next.
MOVING = re.compile(rb"(_ms\":|-After: |-Reset: |;t=|_ms\r\n:| passes in |\r\nid\r\n:)\d+|(?<=\r\n):\d{6,}")
HANDLE = re.compile(rb"(handle\r\n\$\d+\r\n|\"handle\":\")[^\r\"]+")
LENGTH = re.compile(rb"Content-Length: \d+")


def fixed(answers):
    return LENGTH.sub(b"Content-Length: #", HANDLE.sub(b"handle #", MOVING.sub(b"#", answers)))


def talk(port, pieces):
    with connect(port) as connection:
        for piece in pieces:
            connection.sendall(piece)
        return fixed(read_until_closed(connection))


def in_pieces(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


class Cut(unittest.TestCase):
    def test_every_command_is_among_those_that_are_cut(self):
        with serving(rules=RULES) as server:
            names = ask_resp(server.resp, "COMMAND", "LIST")
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertIn(f"${len(name)}\r\n".encode() + name.upper() + b"\r\n", RESP)

    def compare(self, door, data, markers):
        answers = {}
        for size in (len(data), 1, 7, 100):
            with serving(rules=RULES) as server:
                answers[size] = talk(getattr(server, door), in_pieces(data, size))
        whole = answers.pop(len(data))
        for marker, count in markers.items():
            self.assertEqual(whole.count(marker), count, (marker, whole))
        for size, answer in answers.items():
            self.assertEqual(answer, whole, f"in pieces of {size}")

    def test_http_byte_by_byte_is_http_at_once(self):
        self.compare("http", HTTP, {b"HTTP/1.1 200 OK": 11, b"HTTP/1.1 429 ": 3, b"HTTP/1.1 400 ": 1, b"HTTP/1.1 405 ": 1,
                                    b"HTTP/1.1 404 ": 2})

    def test_resp_byte_by_byte_is_resp_at_once(self):
        self.compare("resp", RESP, {b"PONG": 1, b"-ERR ": 3, b"token_bucket_exceeded": 2, b"+OK\r\n": 5})


if __name__ == "__main__":
    unittest.main()
