"""How it gets on with systemd: word of its state, and sockets that were opened for it."""

import contextlib
import os
import signal
import socket
import tempfile
import unittest

from server import Server, serving
from wire import ask_http, ask_resp, check


class Supervisor(unittest.TestCase):
    def test_it_says_when_it_is_ready_and_when_it_stops(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(f"{folder}/notify")
            notified.settimeout(10)
            with serving(variables={"NOTIFY_SOCKET": f"{folder}/notify"}) as server:
                self.assertEqual(notified.recv(4096), b"READY=1")
                self.assertEqual(ask_http(server.http, "GET", "/").status, 200)
            self.assertEqual(notified.recv(4096), b"STOPPING=1")

    def test_an_abstract_notify_socket_is_found_too(self):
        name = f"sluice-test-{os.getpid()}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind("\0" + name)
            notified.settimeout(10)
            with serving(variables={"NOTIFY_SOCKET": "@" + name}):
                self.assertEqual(notified.recv(4096), b"READY=1")

    def test_sockets_handed_over_are_listened_on_by_their_names(self):
        with handed_over(2) as (sockets, start):
            server = start("http:resp", "--http", "127.0.0.1:0", "--resp", "127.0.0.1:0")
            self.addCleanup(server.end)
            server.wait_for("listening", 2)
            ports = [one.getsockname()[1] for one in sockets]
            self.assertEqual([server.ports("http"), server.ports("resp")], [[ports[0]], [ports[1]]])
            self.assertEqual(ask_http(ports[0], "POST", "/v1/check", check()).status, 200)
            self.assertEqual(ask_resp(ports[1], "PING"), "PONG")
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            # Whoever opened them still has them: a connection waits for the next server, and is answered by it.
            with socket.create_connection(("127.0.0.1", ports[0]), timeout=20) as early:
                early.sendall(b"GET / HTTP/1.0\r\n\r\n")
                after = start("http:resp", "--http", "127.0.0.1:0", "--resp", "127.0.0.1:0")
                self.addCleanup(after.end)
                self.assertTrue(early.recv(4096).startswith(b"HTTP/1.1 200 "))

    def test_sockets_meant_for_another_process_are_not_touched(self):
        with serving(variables={"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "http"}) as server:
            self.assertEqual(ask_http(server.http, "GET", "/").status, 200)

    def test_a_socket_of_an_unknown_name_is_told(self):
        with handed_over(1) as (_, start):
            server = start("sluice.socket", "--http", "127.0.0.1:0", "--resp", "off")
            self.addCleanup(server.end)
            server.wait_for("listening")
            warnings = [line for line in server.lines if line["level"] == "warn" and "name" in line]
            self.assertEqual([line["name"] for line in warnings], ["sluice.socket"])
            self.assertIn("FileDescriptorName=", warnings[0]["hint"])


@contextlib.contextmanager
def handed_over(count):
    """Listening sockets, and a function that starts a server which finds them as its descriptors 3, 4 and so on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]

        def start(names, *arguments):
            # As systemd does it: the shell's pid stays that of the program which it becomes.
            moves = " ".join(f"{3 + i}<&{one.fileno()}" for i, one in enumerate(sockets))
            inherited = [one.fileno() for one in sockets]
            return Server([*arguments, "--admin", "off", "--log-format", "json"],
                          {"LISTEN_FDS": str(count), "LISTEN_FDNAMES": names}, pass_fds=inherited,
                          through=["/bin/sh", "-c", f'LISTEN_PID=$$ exec "$@" {moves}', "sh"])

        yield sockets, start


if __name__ == "__main__":
    unittest.main()
