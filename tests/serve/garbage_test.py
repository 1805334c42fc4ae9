"""Thousands of connections that send anything at all: the server lives, stays small, and serves others meanwhile."""

from concurrent.futures import ThreadPoolExecutor
import os
import random
import socket
import struct
import threading
import unittest

from server import serving
from wire import ask_http, ask_resp, check, command, connect, http_request

CONNECTIONS = 2000
MOST_GROWTH = 24 << 20
# Another one is tried by setting the variable.
SEED = int(os.environ.get("SLUICE_TEST_SEED", "20240229"))


def damaged(random_source, data):
    data = bytearray(data)
    for _ in range(random_source.randint(1, 8)):
        data[random_source.randrange(len(data))] = random_source.randrange(256)
    return bytes(data[:random_source.randint(1, len(data))])


def garbage(seed):
    """What one connection sends."""
    source = random.Random(seed)
    kind = source.randrange(6)
    if kind == 0:
        return source.randbytes(source.randint(1, 2000))
    if kind == 1:  # the start of a TLS handshake, and nonsense behind it
        return b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + source.randbytes(source.randint(0, 600))
    if kind == 2:
        return damaged(source, http_request("POST", "/v1/check", check()) * source.randint(1, 5))
    if kind == 3:
        return damaged(source, command("CL.THROTTLE", "k", 4, 1, 1000) * source.randint(1, 20))
    if kind == 4:  # lengths that promise too much
        return source.choice([b"*%d\r\n", b"*1\r\n$%d\r\n", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"]) % (
            source.choice([-1, 2**31, 2**63, 10**6, 10**30]))
    return source.choice([b"\r\n", b"\x00", b"*", b"$", b"GET ", b"\xff"]) * source.randint(1, 3000)


def throw(port, seed):
    source = random.Random(seed)
    with connect(port) as connection:
        try:
            connection.sendall(garbage(seed))
            ending = source.randrange(4)
            if ending == 0:
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(0.2)
                connection.recv(4096)
            elif ending == 1:  # reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif ending == 2:
                connection.settimeout(0.02)
                connection.recv(4096)
        except OSError:
            pass  # the server may have had enough


class Garbage(unittest.TestCase):
    def test_garbage_disturbs_nobody(self):
        print(f"seed {SEED}", flush=True)
        with serving("--connections-message-timeout", "2s") as server:
            ask_http(server.http, "GET", "/")
            before = server.memory()
            is_over = threading.Event()
            with ThreadPoolExecutor(9) as pool:
                normal = pool.submit(self.be_served, server, is_over)
                seeds = random.Random(SEED)
                jobs = [pool.submit(throw, port, seeds.getrandbits(64))
                        for _ in range(CONNECTIONS) for port in (server.http, server.resp)]
                try:
                    for job in jobs:
                        job.result()
                finally:
                    is_over.set()
                self.assertGreater(normal.result(), 10)
            server.must_be_alive()
            growth = server.memory() - before
            print(f"grew by {growth >> 10} KiB", flush=True)
            self.assertLess(growth, MOST_GROWTH, f"seed {SEED}")

    def be_served(self, server, is_over):
        served = 0
        while not is_over.is_set():
            self.assertEqual(ask_http(server.http, "POST", "/v1/peek", check("somebody else")).status, 200, f"seed {SEED}")
            self.assertEqual(ask_resp(server.resp, "PING"), "PONG", f"seed {SEED}")
            served += 1
        return served


if __name__ == "__main__":
    unittest.main()
