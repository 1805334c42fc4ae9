"""Encrypted doors: proper clients are served, others are not, and a new certificate is shown without a restart."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from certificates import Authority
from server import environment, serving, until
from wire import check, http_request, HttpReader, is_closed


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority = Authority(cls.folder)
        cls.first = cls.authority.issue("first.test")
        cls.second = cls.authority.issue("second.test")

    def setUp(self):
        self.certificate, self.key = self.folder / "live.pem", self.folder / "live.key"
        self.put(self.first)

    def put(self, pair):
        """As certbot and cert-manager do it: one file replaces the other, the key first."""
        for source, target in ((pair[1], self.key), (pair[0], self.certificate)):
            fresh = target.with_suffix(".new")
            shutil.copy(source, fresh)
            os.replace(fresh, target)

    def serving(self, *arguments):
        return serving("--http-tls", "--resp-tls", "--tls-certificate", str(self.certificate), "--tls-key", str(self.key),
                       *arguments)

    def curl(self, *arguments):
        command = ["curl", "-sS", "--max-time", "10", "--cacert", str(self.authority.certificate), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=30)

    def handshake(self, port):
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        connection = socket.create_connection(("127.0.0.1", port), timeout=20)
        return context.wrap_socket(connection, server_hostname="127.0.0.1")

    def shown_name(self, port):
        with self.handshake(port) as connection:
            return dict(pair[0] for pair in connection.getpeercert()["subject"])["commonName"]

    def test_curl_trusts_the_certificate_and_keeps_the_connection(self):
        with self.serving() as server:
            url = server.url("/v1/check", "https")
            body = '{"key": "k", "rate": 1e-9, "burst": 5}'
            result = self.curl("-w", "%{num_connects} %{http_code}\n", "-o", "/dev/null", "-d", body, url,
                               "-o", "/dev/null", url)
            self.assertEqual((result.stdout, result.stderr), ("1 200\n0 200\n", ""))

    def test_who_does_not_trust_the_authority_is_not_served(self):
        with self.serving() as server:
            result = subprocess.run(["curl", "-sS", "--max-time", "10", server.url("/", "https")], capture_output=True,
                                    env=environment(), timeout=30)
            self.assertEqual(result.returncode, 60)

    def test_redis_cli_speaks_tls(self):
        with self.serving() as server:
            command = ["redis-cli", "-p", str(server.resp), "--tls", "--cacert", str(self.authority.certificate)]
            for remaining in (4, 3):
                result = subprocess.run([*command, "CL.THROTTLE", "k", "4", "1", "1000000"], capture_output=True, text=True,
                                        env=environment(), timeout=30)
                self.assertEqual(result.stdout.split()[:4], ["0", "5", str(remaining), "-1"])

    def test_plain_text_at_an_encrypted_door_gets_no_answer(self):
        with self.serving() as server:
            with socket.create_connection(("127.0.0.1", server.http), timeout=20) as connection:
                connection.sendall(http_request("GET", "/"))
                self.assertTrue(is_closed(connection))

    def test_old_versions_of_tls_are_refused(self):
        with self.serving() as server:
            for version, code in (("1.1", 35), ("1.2", 0), ("1.3", 0)):
                result = self.curl("--tlsv1.0", "--tls-max", version, "--ciphers", "DEFAULT@SECLEVEL=0", "-o", "/dev/null",
                                   server.url("/", "https"))
                self.assertEqual(result.returncode, code, version)

    def test_a_large_pipeline_is_answered_whole(self):
        with self.serving() as server, self.handshake(server.http) as connection:
            count = 2000
            connection.sendall(http_request("POST", "/v1/peek", check()) * count)
            reader = HttpReader(connection)
            self.assertEqual([reader.response().status for _ in range(count)], [200] * count)

    def test_who_pipelines_without_pause_delays_neither_others_nor_the_end(self):
        with self.serving("--loops", "1", "--drain-timeout", "1s") as server, contextlib.ExitStack() as ends:
            enough = threading.Event()
            for _ in range(3):
                flood = threading.Thread(target=self.flood, args=(server.resp, enough))
                flood.start()
                ends.callback(flood.join)
            ends.callback(enough.set)
            waits = []
            for _ in range(5):
                begin = time.monotonic()
                with self.handshake(server.resp) as connection:
                    connection.sendall(b"PING\r\n")
                    self.assertEqual(connection.recv(100), b"+PONG\r\n")
                waits.append(time.monotonic() - begin)
            self.assertLess(max(waits), 1.5, waits)
            server.expect("some connections did not end in time")
            begin = time.monotonic()
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            self.assertLess(time.monotonic() - begin, 3)
            server.was_ended = True

    def flood(self, port, enough):
        """Pipelines PINGs and reads their answers, until it is told to stop or is sent away."""
        with contextlib.suppress(OSError), self.handshake(port) as connection:
            connection.setblocking(False)
            pings, waiting = b"PING\r\n" * 2000, b""
            while not enough.is_set():
                waiting = waiting or pings
                with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    waiting = waiting[connection.send(waiting):]
                with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    if not connection.recv(1 << 16):
                        return

    def test_a_new_certificate_is_shown_to_new_connections_within_three_seconds(self):
        with self.serving() as server:
            with self.handshake(server.http) as early:
                self.assertEqual(self.shown_name(server.http), "first.test")
                server.expect("the key")  # for the moment between one file and the other
                self.put(self.second)
                until(lambda: self.shown_name(server.http) == "second.test", "the new certificate", 3)
                self.assertEqual(self.shown_name(server.resp), "second.test")
                early.sendall(http_request("GET", "/"))
                self.assertEqual(HttpReader(early).response().status, 200)

    def test_sighup_reads_the_certificate_again(self):
        with self.serving() as server:
            server.signal(signal.SIGHUP)
            server.wait_for("certificate in force")
            self.assertEqual(self.shown_name(server.http), "first.test")

    def test_garbage_disturbs_nobody(self):
        with self.serving() as server:
            source = random.Random(7)
            for i in range(300):
                with socket.create_connection(("127.0.0.1", server.http if i % 2 else server.resp), timeout=20) as connection:
                    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" if i % 3 else b""
                    connection.sendall(hello + source.randbytes(source.randint(1, 600)))
            self.assertEqual(self.shown_name(server.http), "first.test")

    def test_a_bad_certificate_keeps_the_last_good_one(self):
        with self.serving() as server:
            server.expect("cannot use the certificate")
            self.certificate.write_text("junk")
            until(lambda: server.messages("error"), "word of it")
            self.assertEqual(self.shown_name(server.http), "first.test")

    def test_a_client_that_shakes_no_hands_is_closed(self):
        with self.serving("--connections-message-timeout", "200ms") as server:
            with socket.create_connection(("127.0.0.1", server.http), timeout=20) as silent:
                self.assertTrue(is_closed(silent))

    def test_who_has_shaken_hands_may_wait_before_the_first_request(self):
        with self.serving("--connections-message-timeout", "1s") as server, self.handshake(server.http) as connection:
            self.assertFalse(is_closed(connection, 1.5))
            connection.settimeout(20)
            connection.sendall(http_request("GET", "/"))
            self.assertEqual(HttpReader(connection).response().status, 200)


if __name__ == "__main__":
    unittest.main()
