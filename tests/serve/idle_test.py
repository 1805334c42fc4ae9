"""Ten thousand connections that say nothing cost next to nothing, and disturb nobody."""

import resource
import socket
import unittest

from server import serving
from wire import ask_resp, command, connect, http_request, HttpReader

CONNECTIONS = 10_000
# 40 MB in all.
MOST_BYTES_EACH = 4000


class Idle(unittest.TestCase):
    def test_ten_thousand_idle_connections_cost_little(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        # Both ends need a descriptor for each. With fewer of them, fewer connections must cost less.
        count = min(CONNECTIONS, hard - 100)
        with serving("--connections-max", str(count + 10), "--http-idle-timeout", "0") as server:
            before = server.memory()
            idle = []
            try:
                for i in range(count):
                    # From several addresses of loopback, as one has not enough ports on a busy machine.
                    idle.append(socket.create_connection(("127.0.0.1", server.http if i % 2 else server.resp), timeout=20,
                                                         source_address=(f"127.0.0.{2 + i % 8}", 0)))
                for i, connection in enumerate(idle):  # each has spoken once
                    connection.sendall(http_request("GET", "/") if i % 2 else command("PING"))
                for i, connection in enumerate(idle):
                    self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200" if i % 2 else b"+PONG"))
                cost = server.memory() - before
                print(f"{count} connections: {cost >> 10} KiB, {cost // count} bytes each", flush=True)
                self.assertLess(cost, MOST_BYTES_EACH * count)
                self.assertEqual(ask_resp(server.resp, "CL.THROTTLE", "k", 4, 1, 1_000_000)[:3], [0, 5, 4])
            finally:
                for connection in idle:
                    connection.close()
            with connect(server.http) as connection:
                connection.sendall(http_request("GET", "/"))
                self.assertEqual(HttpReader(connection).response().status, 200)


if __name__ == "__main__":
    unittest.main()
