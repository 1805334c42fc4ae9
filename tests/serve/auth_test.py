"""Tokens from the environment or from files: without them nothing is decided, and they show nowhere."""

import contextlib
import pathlib
import subprocess
import tempfile
import time
import unittest

from server import environment, serving
from wire import ask_http, ask_resp, check, command, connect, is_closed, read_until_closed, ReplyError, RespReader

TOKEN = "s3cret-of-the-test"


class Auth(unittest.TestCase):
    def test_http_wants_the_bearer_token_on_every_path_but_the_first(self):
        with serving(variables={"SLUICE_HTTP_TOKEN": TOKEN}) as server:
            for path in ("/v1/check", "/v1/check/batch", "/v1/peek", "/v1/refund", "/v1/decision", "/none"):
                for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"},
                                {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Bearer {TOKEN[:-1]}"}):
                    answer = ask_http(server.http, "POST", path, check(), headers=headers)
                    self.assertEqual((answer.status, path), (401, path))
                    self.assertTrue(answer.fields["www-authenticate"].startswith("Bearer"))
            self.assertEqual(ask_http(server.http, "GET", "/").status, 200)
            good = ask_http(server.http, "POST", "/v1/check", check(burst=5), headers={"Authorization": f"Bearer {TOKEN}"})
            self.assertEqual((good.status, good.json()["remaining"]), (200, 4), "who was refused must not have taken")
        self.assertNotIn(TOKEN, "".join(server.raw))

    def test_who_has_no_token_is_told_before_a_body_comes(self):
        with serving("--admin", "127.0.0.1:0", variables={"SLUICE_HTTP_TOKEN": TOKEN, "SLUICE_ADMIN_TOKEN": TOKEN}) as server:
            for port, line in ((server.http, "POST /v1/check"), (server.admin, "DELETE /admin/v1/buckets/k")):
                for fields in ("Content-Length: 1000000", "Transfer-Encoding: chunked",
                               "Content-Length: 1000000\r\nExpect: 100-continue"):
                    with connect(port) as connection:
                        connection.sendall(f"{line} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n\r\n".encode())
                        received = read_until_closed(connection)
                    self.assertTrue(received.startswith(b"HTTP/1.1 401 "), received)
                    self.assertEqual(received.count(b"HTTP/1.1 "), 1)
                    self.assertIn(b"Connection: close\r\n", received)

    def test_who_sends_a_body_all_the_same_still_reads_why_it_was_refused(self):
        with serving(variables={"SLUICE_HTTP_TOKEN": TOKEN}) as server:
            answer = ask_http(server.http, "POST", "/v1/check", b"x" * 1_000_000)
            self.assertEqual((answer.status, answer.fields["connection"]), (401, "close"))

    def test_resp_wants_auth_before_anything_else(self):
        with serving(variables={"SLUICE_RESP_TOKEN": TOKEN}) as server, connect(server.resp) as connection:
            reader = RespReader(connection)

            def ask(*words):
                connection.sendall(command(*words))
                return reader.reply()

            for words in (("PING",), ("CL.THROTTLE", "k", 4, 1, 1000), ("INFO",), ("COMMAND",)):
                self.assertTrue(str(ask(*words)).startswith("NOAUTH "), words)
            self.assertTrue(str(ask("AUTH", "wrong")).startswith("WRONGPASS "))
            self.assertEqual(ask("AUTH", "default", TOKEN), "OK")
            self.assertEqual(ask("CL.THROTTLE", "k", 4, 1, 1_000_000)[:4], [0, 5, 4, -1])
            self.assertEqual(ask("RESET"), "RESET")
            self.assertTrue(str(ask("PING")).startswith("NOAUTH "))
        self.assertNotIn(TOKEN, "".join(server.raw))

    def test_who_does_not_say_the_token_in_time_is_sent_away_whatever_else_he_says(self):
        with serving("--connections-message-timeout", "500ms", variables={"SLUICE_RESP_TOKEN": TOKEN}) as server:
            with connect(server.resp) as known, connect(server.resp) as silent, connect(server.resp) as talker:
                known.sendall(command("AUTH", TOKEN))
                self.assertEqual(RespReader(known).reply(), "OK")
                begin = time.monotonic()
                with contextlib.suppress(ConnectionError):
                    while time.monotonic() < begin + 20:
                        talker.sendall(command("PING"))
                        if not talker.recv(100):
                            break
                self.assertLess(time.monotonic() - begin, 5)
                self.assertTrue(is_closed(silent))
                known.sendall(command("PING"))
                self.assertEqual(RespReader(known).reply(), "PONG")
                known.sendall(command("RESET"))
                self.assertEqual(RespReader(known).reply(), "RESET")
                self.assertTrue(is_closed(known))

    def test_without_a_token_a_client_may_say_nothing_for_long(self):
        with serving("--connections-message-timeout", "200ms") as server, connect(server.resp) as silent:
            self.assertFalse(is_closed(silent, 0.6))

    def test_a_token_may_stand_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "token"
            path.write_text(TOKEN + "\n")
            with serving("--resp-token-file", str(path)) as server:
                self.assertIsInstance(ask_resp(server.resp, "PING"), ReplyError)
                result = subprocess.run(["redis-cli", "-p", str(server.resp), "--no-auth-warning", "-a", TOKEN, "PING"],
                                        capture_output=True, text=True, env=environment(), timeout=20)
                self.assertEqual(result.stdout, "PONG\n")


if __name__ == "__main__":
    unittest.main()
