"""Clients that ask for too much: each is told so, and costs the server little."""

import threading
import time
import unittest

from server import serving
from wire import (ask_http, check, command, connect, http_request, HttpReader, is_closed, read_until_closed, ReplyError,
                  RespReader)

MIB = 1 << 20


class Abuse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(serving("--http-max-body-bytes", "64k", "--resp-max-command-bytes", "64k"))

    def refused_http(self, status, data):
        with connect(self.server.http) as connection:
            try:
                connection.sendall(data)
            except OSError:
                pass  # it need not read to the end
            self.assertEqual(HttpReader(connection).response().status, status)
            self.assertTrue(is_closed(connection))

    def refused_resp(self, word, data):
        with connect(self.server.resp) as connection:
            try:
                connection.sendall(data)
            except OSError:
                pass
            reply = RespReader(connection).reply()
            self.assertIsInstance(reply, ReplyError)
            self.assertIn(word, str(reply))
            self.assertTrue(is_closed(connection))

    def test_http_that_is_too_large_is_refused_and_closed(self):
        self.refused_http(431, http_request("GET", "/", headers={"X-Large": "x" * 20_000}))
        self.refused_http(431, http_request("GET", "/", headers={f"X-{i}": "y" for i in range(200)}))
        self.refused_http(414, http_request("GET", "/" + "x" * 9000))
        self.refused_http(413, http_request("POST", "/v1/check", b" " * 65_537))
        self.refused_http(413, http_request("POST", "/v1/check", headers={"Content-Length": "99999999999"}))
        chunks = http_request("POST", "/v1/check", headers={"Transfer-Encoding": "chunked"}) + b"8000\r\n" + b" " * 32768 + b"\r\n"
        self.refused_http(413, chunks + b"8001\r\n" + b" " * 32769 + b"\r\n0\r\n\r\n")

    def test_a_body_that_is_just_small_enough_is_read(self):
        self.assertEqual(ask_http(self.server.http, "POST", "/v1/check", b'{"key":"k","rate":1,"burst":1}' + b" " * 65_506).status, 200)

    def test_resp_that_is_too_large_is_refused_and_closed(self):
        self.refused_resp("invalid multibulk length", b"*1025\r\n")
        self.refused_resp("invalid bulk length", b"*1\r\n$99999999\r\n")
        self.refused_resp("Protocol error", command(*["x" * 1000] * 100))
        self.refused_resp("too big inline request", b"PING " + b"x" * 70_000)

    def test_a_client_that_sends_and_does_not_read_is_held_back(self):
        # 30 MB: more than the buffers of both sockets take.
        server = self.server
        before = server.memory()
        with connect(server.resp, patience=60) as greedy:
            data = command("ECHO", "x" * 280) * 100_000
            sender = threading.Thread(target=lambda: greedy.sendall(data))
            sender.start()
            peak = 0
            end = time.monotonic() + 1
            while time.monotonic() < end:
                peak = max(peak, server.memory() - before)
                time.sleep(0.01)
            self.assertTrue(sender.is_alive(), "the server took everything in, and so must hold it somewhere")
            reader = RespReader(greedy)
            for _ in range(100_000):
                self.assertEqual(len(reader.reply()), 280)
            sender.join()
            peak = max(peak, server.memory() - before)
        print(f"grew by {peak >> 10} KiB", flush=True)
        self.assertLess(peak, 16 * MIB)

    def test_the_same_over_http(self):
        server = self.server
        before = server.memory()
        with connect(server.http, patience=60) as greedy:
            data = http_request("POST", "/v1/peek", check(), {"X-Padding": "x" * 500}) * 40_000
            sender = threading.Thread(target=lambda: greedy.sendall(data))
            sender.start()
            time.sleep(0.5)
            peak = server.memory() - before
            self.assertTrue(sender.is_alive(), "the server took everything in, and so must hold it somewhere")
            reader = HttpReader(greedy)
            for _ in range(40_000):
                self.assertEqual(reader.response().status, 200)
            sender.join()
        self.assertLess(peak, 16 * MIB)

    def test_pipelines_that_are_broken_off_leave_nothing_behind(self):
        before = self.server.memory()
        for _ in range(50):
            with connect(self.server.resp) as connection:
                connection.setblocking(False)
                try:
                    connection.send(command("ECHO", "x" * 1000) * 500)
                except BlockingIOError:
                    pass
        with connect(self.server.resp) as connection:
            connection.sendall(command("QUIT"))
            self.assertEqual(read_until_closed(connection), b"+OK\r\n")
        self.assertLess(self.server.memory() - before, 16 * MIB)


if __name__ == "__main__":
    unittest.main()
