"""From start to end: a server says where it listens, answers what is under way when told to stop, and ends with 0."""

import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from certificates import Authority
from server import environment, Server, serving, SLUICE, started, until
from wire import ask_http, ask_resp, check, command, connect, http_request, HttpReader, is_closed, RespReader


class Life(unittest.TestCase):
    def test_a_server_is_ready_once_it_has_said_where_it_listens(self):
        with serving() as server:
            self.assertEqual(ask_http(server.http, "POST", "/v1/check", check()).status, 200)
            self.assertEqual(ask_resp(server.resp, "PING"), "PONG")

    def test_several_addresses_and_local_sockets_lead_to_one_engine(self):
        with tempfile.TemporaryDirectory() as folder:
            local = f"{folder}/http.sock"
            with serving("--http", f"127.0.0.1:0,unix:{local},[::1]:0", "--resp", "off") as server:
                self.assertEqual(server.ports("resp"), [])
                for remaining, port in enumerate(server.ports("http")):
                    host = "127.0.0.1" if remaining == 0 else "::1"
                    with socket.create_connection((host, port), timeout=5) as connection:
                        connection.sendall(http_request("POST", "/v1/check", check(burst=3)))
                        self.assertEqual(HttpReader(connection).response().json()["remaining"], 2 - remaining)
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(local)
                    connection.sendall(http_request("POST", "/v1/check", check(burst=3)))
                    self.assertEqual(HttpReader(connection).response().json()["remaining"], 0)
            self.assertFalse(pathlib.Path(local).exists(), "the socket file is left behind")

    def test_a_proxy_on_a_local_socket_is_believed_only_where_the_rules_trust_it(self):
        def passed(connection, addresses=("198.51.100.1", "198.51.100.1", "198.51.100.2")):
            reader = HttpReader(connection)
            for address in addresses:
                connection.sendall(http_request("GET", "/v1/decision", headers={"X-Forwarded-For": address}))
                yield reader.response().status

        rule = {"name": "ip", "limit_keys": ["ip:address"], "algorithm_config": {"rps": 1e-6, "burst": 1}}
        for proxies, expected in ((["unix"], [200, 429, 200]), (["127.0.0.0/8"], [200, 429, 429])):
            with tempfile.TemporaryDirectory() as folder:
                rules = {"trusted_proxies": proxies, "rules": [rule]}
                with serving("--http", f"127.0.0.1:0,unix:{folder}/s", rules=rules) as server:
                    with socket.socket(socket.AF_UNIX) as connection:
                        connection.connect(f"{folder}/s")
                        self.assertEqual(list(passed(connection)), expected)
                    if proxies == ["unix"]:
                        with socket.create_connection(("127.0.0.1", server.http), timeout=5) as connection:
                            self.assertEqual(list(passed(connection)), [200, 429, 429])

    def test_a_socket_file_left_behind_by_a_killed_server_is_taken_over(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--http", f"unix:{folder}/s", "--resp", "off", "--admin", "off", "--log-format", "json"]
            first = started(*arguments)
            first.signal(signal.SIGKILL)
            first.wait()
            self.assertTrue(pathlib.Path(f"{folder}/s").exists())
            with serving(*arguments):
                pass

    def test_sigterm_answers_what_is_under_way_closes_the_idle_and_takes_nobody_in(self):
        server = self.started("--drain-timeout", "15s")
        port = server.http
        whole = http_request("POST", "/v1/check", check(burst=7))
        with connect(port) as idle, connect(port) as busy, connect(server.resp) as redis:
            for connection in (idle, busy):
                connection.sendall(http_request("GET", "/"))
                HttpReader(connection).response()
            begun = command("CL.THROTTLE", "k", 6, 1, 1000)
            busy.sendall(whole[:-5])
            redis.sendall(begun[:-3])
            ask_http(port, "GET", "/")  # so that both have been read
            ask_resp(server.resp, "PING")
            time.sleep(0.05)
            server.signal(signal.SIGTERM)
            self.assertTrue(is_closed(idle))
            until(lambda: refuses(port), "the door to close")
            busy.sendall(whole[-5:])
            redis.sendall(begun[-3:])
            self.assertEqual(HttpReader(busy).response().json()["limit"], 7)
            self.assertEqual(RespReader(redis).reply()[1], 7)
            self.assertTrue(is_closed(busy))
            self.assertTrue(is_closed(redis))
        self.assertEqual(server.wait(), 0)
        self.assertEqual(server.messages()[-2:], ["stopping", "stopped"])

    def test_a_request_that_never_ends_holds_the_end_up_only_for_the_drain_timeout(self):
        server = self.started("--drain-timeout", "300ms")
        with connect(server.http) as busy:
            busy.sendall(b"POST /v1/check HTTP/1.1\r\n")
            time.sleep(0.05)
            begin = time.monotonic()
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            self.assertGreater(time.monotonic() - begin, 0.25)
            self.assertIn("some connections did not end in time", server.messages("warn"))

    def test_a_second_sigterm_ends_at_once(self):
        server = self.started("--drain-timeout", "1m")
        with connect(server.http) as busy:
            busy.sendall(b"POST /v1/check HTTP/1.1\r\n")
            time.sleep(0.05)
            server.signal(signal.SIGTERM)
            server.wait_for("stopping")
            begin = time.monotonic()

            def again():
                server.signal(signal.SIGTERM)
                return server.process.poll() is not None

            until(again, "the end")
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(server.wait(), -signal.SIGTERM)

    def test_sighup_while_it_drains_does_not_end_it(self):
        server = self.started("--drain-timeout", "1m")
        with connect(server.http) as busy:
            request = http_request("POST", "/v1/check", check(burst=7))
            busy.sendall(request[:-1])
            time.sleep(0.05)
            server.signal(signal.SIGTERM)
            server.wait_for("stopping")
            server.signal(signal.SIGHUP)
            time.sleep(0.1)
            busy.sendall(request[-1:])
            self.assertEqual(HttpReader(busy).response().status, 200)
        self.assertEqual(server.wait(), 0)

    def test_sigint_stops_it_too(self):
        server = self.started()
        server.signal(signal.SIGINT)
        self.assertEqual(server.wait(), 0)
        self.assertEqual([line["signal"] for line in server.lines if line["message"] == "stopping"], ["SIGINT"])

    def test_the_log_is_json_or_text_on_stderr_and_stdout_stays_empty(self):
        with serving() as server:
            for line in server.lines:
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                self.assertIn(line["level"], ("info", "warn"))
        self.assertEqual(server.printed, [])
        text = Server(["--http", "127.0.0.1:0", "--resp", "off", "--admin", "off", "--log-format", "text"])
        until(lambda: any("listening" in line for line in text.raw), "the log")
        text.signal(signal.SIGTERM)
        self.assertEqual(text.wait(), 0)
        line = next(line for line in text.raw if "listening" in line)
        self.assertRegex(line, r"^\S+Z info  listening door=http address=127\.0\.0\.1:\d+ tls=false\n$")

    def test_the_demo_prints_commands_that_work(self):
        with serving("--demo") as server:
            guide = until(lambda: "".join(server.printed) if server.printed[-1:] == ["Ctrl-C stops it.\n"] else "", "it")
            loop = re.search(r"(?m)^    (for i in .*)$", guide).group(1)
            result = subprocess.run(["sh", "-c", loop], capture_output=True, text=True, env=environment(), timeout=30)
            self.assertEqual([line.split()[1] for line in result.stdout.splitlines()], ["200"] * 5 + ["429"])
            throttle = re.search(r"(?m)^    (redis-cli .*)$", guide).group(1)
            result = subprocess.run(throttle.split(), capture_output=True, text=True, env=environment(), timeout=30)
            self.assertEqual(result.stdout.split(), ["0", "5", "4", "-1", "1"])

    def test_what_the_demo_prints_works_where_doors_are_encrypted_and_want_tokens(self):
        tokens = {f"SLUICE_{door}_TOKEN": f"secret-of-{door}" for door in ("HTTP", "RESP", "ADMIN")}
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = Authority(folder).issue("another.test")
            arguments = ["--http-tls", "--resp-tls", "--admin-tls", "--tls-certificate", str(certificate), "--tls-key",
                         str(key), "--admin", "0.0.0.0:0"]
            with serving("--demo", *arguments, variables=tokens) as server:
                guide = until(lambda: "".join(server.printed) if server.printed[-1:] == ["Ctrl-C stops it.\n"] else "", "it")
                for name, token in tokens.items():
                    self.assertIn(name, guide)
                    self.assertNotIn(token, guide)

                def typed(line):
                    result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environment(**tokens),
                                            timeout=30)
                    self.assertEqual(result.returncode, 0, (line, result))
                    return result.stdout

                loop, *_ = re.findall(r"(?m)^    (for i in .*)$", guide)
                self.assertEqual([line.split()[1] for line in typed(loop).splitlines()], ["200"] * 5 + ["429"])
                throttle, = re.findall(r"(?m)^    (.*redis-cli .*)$", guide)
                self.assertEqual(typed(throttle).split(), ["0", "5", "4", "-1", "1"])
                lines = re.findall(r"(?m)^    (curl .*)$", guide)
                self.assertEqual(len(lines), 5)
                for line in lines:
                    answer = typed(line.replace("curl ", "curl -so /dev/null -w '%{http_code}' ", 1).replace(" -i ", " "))
                    self.assertIn(answer, ("200", "201"), line)

    def test_what_the_demo_prints_about_rules_works_at_every_start(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                with serving("--demo", "--data-dir", folder, "--admin", "127.0.0.1:0") as server:
                    guide = until(lambda: "".join(server.printed) if server.printed[-1:] == ["Ctrl-C stops it.\n"] else "",
                                  "it")
                    for line in re.findall(r"(?m)^    ((?:\S*sluice rules (?:remove|add)|curl .*/admin/v1/rules|sqlite3) .*)$",
                                           guide):
                        result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environment(),
                                                timeout=30)
                        self.assertEqual((result.returncode, "problem" in result.stdout), (0, False), (line, result))
                    loop = re.search(r"(?m)^    (for path in .*)$", guide).group(1)
                    time.sleep(1)
                    result = subprocess.run(["sh", "-c", loop], capture_output=True, text=True, env=environment(), timeout=30)
                    passed = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("200")]
                    self.assertEqual(passed, ["/search"] + ["/export"] * 2 + ["/login"] * 3)

    def test_the_demo_promises_no_refusal_where_others_rules_are_in_force(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SLUICE, "rules", "add", "user:{user_id}", "--rate", "10", "--burst", "50", "--data-dir", folder],
                           check=True, capture_output=True, env=environment(), timeout=30)
            with serving("--demo", "--data-dir", folder) as server:
                guide = until(lambda: "".join(server.printed) if server.printed[-1:] == ["Ctrl-C stops it.\n"] else "", "it")
                self.assertNotIn("the sixth is refused", guide)
                self.assertIn("serve --demo --data-dir FOLDER", guide)

    def test_help_and_print_config_need_no_server(self):
        for flag, expected in (("--help", "--http-listen"), ("--print-config", 'listen: "127.0.0.1:8080"')):
            result = subprocess.run([SLUICE, "serve", flag], capture_output=True, text=True, env=environment(), timeout=30)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(expected, result.stdout)

    def started(self, *arguments):
        server = started(*arguments)
        self.addCleanup(server.end)
        return server


def refuses(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


if __name__ == "__main__":
    unittest.main()
