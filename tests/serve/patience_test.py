"""How long the server waits for its clients, and how many of them it takes in."""

import contextlib
import os
import pathlib
import resource
import select
import time
import unittest

from server import serving, until
from wire import ask_http, ask_resp, command, connect, http_request, HttpReader, is_closed, RespReader


class Patience(unittest.TestCase):
    def test_a_header_that_drips_is_cut_off(self):
        with serving("--connections-message-timeout", "300ms") as server:
            for port, drip in ((server.http, b"GET / HTTP/1.1\r\nX: " + b"y" * 400), (server.resp, b"*1\r\n$400\r\n" + b"y" * 400)):
                with connect(port) as slow:
                    begin = time.monotonic()
                    with self.assertRaises(OSError):
                        for byte in drip:
                            slow.send(bytes([byte]))
                            time.sleep(0.02)
                    self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(ask_http(server.http, "GET", "/").status, 200)

    def test_a_first_request_that_begins_late_has_its_whole_time(self):
        with serving("--connections-message-timeout", "1s") as server, connect(server.http) as late:
            time.sleep(1.3)
            request = http_request("GET", "/")
            late.sendall(request[:5])
            time.sleep(0.05)
            late.sendall(request[5:])
            self.assertEqual(HttpReader(late).response().status, 200)

    def test_idle_connections_are_closed_by_http_and_kept_by_resp(self):
        with serving("--http-idle-timeout", "300ms") as server, connect(server.http) as http, connect(server.resp) as resp:
            http.sendall(http_request("GET", "/"))
            self.assertEqual(HttpReader(http).response().status, 200)
            self.assertTrue(is_closed(http))
            with connect(server.http) as silent:
                self.assertTrue(is_closed(silent))
            self.assertFalse(is_closed(resp, 0.1))
            resp.settimeout(20)
            resp.sendall(command("PING"))
            self.assertEqual(RespReader(resp).reply(), "PONG")

    def test_who_takes_no_replies_is_closed(self):
        with serving("--connections-write-timeout", "300ms") as server, connect(server.resp) as deaf:
            deaf.setblocking(False)
            ping = command("ECHO", "x" * 10_000) * 20
            end = time.monotonic() + 20

            def is_gone():
                try:
                    deaf.send(ping)
                except BlockingIOError:
                    return False
                except OSError:
                    return True

            until(is_gone, "the end of the connection")
            self.assertLess(time.monotonic(), end)

    def test_without_descriptors_new_connections_are_closed_and_old_ones_served(self):
        # UBSan looks at memory through a pipe, and takes a sound object for a broken one when it gets none.
        if "undefined" in os.environ.get("SLUICE_SANITIZE", ""):
            return
        few = (60, 60)
        with serving(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few)) as server:
            with contextlib.ExitStack() as stack:
                old = stack.enter_context(connect(server.http))
                old.sendall(http_request("GET", "/"))
                self.assertEqual(HttpReader(old).response().status, 200)
                new = [stack.enter_context(connect(server.http)) for _ in range(100)]
                self.be_served_without_descriptors(server, old, new)
            until(lambda: is_served(server.resp), "room for a new connection")

    def be_served_without_descriptors(self, server, old, new):
        # Loops take connections in each at its own pace, so nobody knows which of the new ones are closed.
        until(lambda: len(select.select(new, [], [], 0)[0]) > 40, "the end of those that are too many")
        before = cpu_seconds(server.pid)
        old.sendall(http_request("GET", "/"))
        self.assertEqual(HttpReader(old).response().status, 200)
        time.sleep(0.5)
        self.assertLess(cpu_seconds(server.pid) - before, 0.1, "it turns in circles")

    def test_beyond_the_most_connections_new_ones_are_closed_and_old_ones_served(self):
        with serving("--connections-max", "3", "--admin", "127.0.0.1:0") as server:
            open_ones = [connect(port) for port in (server.http, server.http, server.resp)]
            for connection in open_ones[:2]:
                connection.sendall(http_request("GET", "/"))
                self.assertEqual(HttpReader(connection).response().status, 200)
            open_ones[2].sendall(command("PING"))
            self.assertEqual(RespReader(open_ones[2]).reply(), "PONG")
            for port in (server.http, server.resp):
                with connect(port) as refused:
                    self.assertTrue(is_closed(refused))
            with connect(server.admin) as probe:
                probe.sendall(http_request("GET", "/livez"))
                self.assertEqual(HttpReader(probe).response().status, 200, "probes come in all the same")
            open_ones[0].sendall(http_request("GET", "/"))
            self.assertEqual(HttpReader(open_ones[0]).response().status, 200)
            for connection in open_ones:
                connection.close()
            until(lambda: is_served(server.resp), "room for a new connection")


def is_served(port):
    try:
        return ask_resp(port, "PING") == "PONG"
    except (AssertionError, OSError):
        return False


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
