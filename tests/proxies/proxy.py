"""Runs an example of examples/proxies: a proxy between a client and a small app, with Sluice beside it.

The files are those of the examples, but for the addresses and folders in them.
"""

import contextlib
import http.client
import http.server
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time

from server import environment, serving, until

EXAMPLES = pathlib.Path(os.environ["SLUICE_SOURCE"]) / "examples" / "proxies"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class App(http.server.BaseHTTPRequestHandler):
    """Says what reached it. `/api/forbidden` is a 403 of its own."""

    protocol_version = "HTTP/1.1"
    seen = []

    def answer(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        type(self).seen.append((self.command, self.path, body, self.headers.get("X-Forwarded-For")))
        text = b"the app\n"
        self.send_response(403 if self.path == "/api/forbidden" else 200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_POST = do_HEAD = do_PUT = answer

    def log_message(self, *arguments):
        pass


class AppServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # proxies reset connections that they kept


@contextlib.contextmanager
def app():
    App.seen = []
    with AppServer(("127.0.0.1", 0), App) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def proxy(files, command, sluice_port, edits):
    """Yields the port of the proxy. `command` may have {folder} in it; `edits` are what a reader may change."""
    with tempfile.TemporaryDirectory() as folder, app() as app_port:
        os.chmod(folder, 0o755)  # nginx started by root works as nobody
        port = free_port()
        places = {"127.0.0.1:8000": f"127.0.0.1:{port}", "127.0.0.1:8080": f"127.0.0.1:{sluice_port}",
                  "127.0.0.1:9000": f"127.0.0.1:{app_port}", "/tmp/sluice-example": folder}
        for name in files:
            text = (EXAMPLES / name).read_text()
            for before, after in edits.items():
                text = text.replace(before, after)
            for default, own in places.items():
                text = text.replace(default, own)
            (pathlib.Path(folder) / name).write_text(text)
        log = open(pathlib.Path(folder) / "log", "w+")
        process = subprocess.Popen([word.format(folder=folder) for word in command], cwd=folder, stdout=log,
                                   stderr=subprocess.STDOUT, env=environment(HOME=folder))
        try:
            until(lambda: listens(port) or process.poll() is not None, "the proxy to listen")
            if process.poll() is not None:
                raise AssertionError(f"the proxy ended: {pathlib.Path(log.name).read_text()}")
            yield port
            if process.poll() is not None:
                raise AssertionError(f"the proxy ended: {pathlib.Path(log.name).read_text()}")
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)
            log.close()


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_stopped(pid):
    """Every thread of it."""
    states = [path.read_text().rpartition(")")[2].split()[0] for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
    return set(states) == {"T"}


class Answer:
    def __init__(self, response):
        self.status, self.fields, self.body = response.status, response.headers, response.read()


def ask(port, path, method="GET", body=None, headers=None, client="127.0.0.2"):
    """One request from an address of loopback."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(client, 0))
    try:
        connection.request(method, path, body, headers or {})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def ask_with_fields(port, path, fields):
    """The status of a request whose fields may come twice."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=("127.0.0.2", 0))
    try:
        connection.putrequest("GET", path)
        for name, value in fields:
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


class Started:
    """How a proxy is started; each test case says so."""

    files, command, arguments = (), (), ()
    edits = {}
    more_rules = ""

    def setUp(self):
        rules = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "rules.yaml"
        rules.write_text(self.more_rules + (EXAMPLES / "rules.yaml").read_text())
        self.server = self.enterContext(serving("--rules", str(rules), "--resp", "off", *self.arguments))
        self.port = self.enterContext(proxy(self.files, self.command, self.server.http, self.edits))


class Away(Started):
    """What a proxy does while Sluice is away."""

    while_away = 200
    while_stuck = (200,)

    def test_while_sluice_is_away_it_does_what_the_page_says(self):
        self.assertEqual(ask(self.port, "/api/orders").status, 200)
        self.server.end()
        begin = time.monotonic()
        for _ in range(10):
            self.assertEqual(ask(self.port, "/api/orders").status, self.while_away)
        self.assertLess(time.monotonic() - begin, 6)

    def test_a_sluice_that_hangs_is_waited_for_only_a_moment(self):
        self.assertEqual(ask(self.port, "/api/orders").status, 200)
        self.server.signal(signal.SIGSTOP)
        until(lambda: is_stopped(self.server.pid), "the server to stand still")
        try:
            begin = time.monotonic()
            self.assertIn(ask(self.port, "/api/orders").status, self.while_stuck)
            self.assertLess(time.monotonic() - begin, 6)
        finally:
            self.server.signal(signal.SIGCONT)


class Contract(Away):
    """What every proxy of the examples must do besides."""

    def test_allowed_requests_reach_the_app_and_tell_their_limits(self):
        answer = ask(self.port, "/api/orders?page=2")
        self.assertEqual((answer.status, answer.body), (200, b"the app\n"))
        self.assertEqual(App.seen, [("GET", "/api/orders?page=2", b"", "127.0.0.2")])
        self.assertEqual(answer.fields["RateLimit-Policy"], '"per-address";q=5;w=50')
        self.assertEqual(answer.fields["RateLimit"], '"per-address";r=4;t=10')
        self.assertEqual((answer.fields["RateLimit-Limit"], answer.fields["RateLimit-Remaining"]), ("5", "4"))
        self.assertEqual(len(answer.fields.get_all("RateLimit")), 1)

    def test_where_no_limit_applies_requests_reach_the_app_and_none_is_told(self):
        for _ in range(10):
            answer = ask(self.port, "/elsewhere")
            self.assertEqual((answer.status, answer.body), (200, b"the app\n"))
        self.assertEqual([path for _, path, _, _ in App.seen], ["/elsewhere"] * 10)
        self.assertEqual([name for name in answer.fields if name.lower().startswith("ratelimit")], [])

    def test_the_429_reaches_the_client_with_its_fields_and_the_app_sees_nothing(self):
        statuses = [ask(self.port, "/api/orders").status for _ in range(6)]
        self.assertEqual(statuses, [200] * 5 + [429])
        self.assertEqual(len(App.seen), 5)
        answer = ask(self.port, "/api/orders")
        self.assertEqual(answer.status, 429)
        self.assertIn(int(answer.fields["Retry-After"]), range(9, 16))
        self.assertEqual(answer.fields["X-Sluice-Reason"], "token_bucket_exceeded")
        self.assertEqual(answer.fields["RateLimit-Remaining"], "0")
        self.assertEqual(answer.fields["RateLimit-Policy"], '"per-address";q=5;w=50')
        self.assertEqual(answer.fields["Content-Type"], "application/problem+json")
        self.assertIn(b'"status":429', answer.body)

    def test_the_clients_address_is_the_key_and_it_cannot_choose_another(self):
        for i in range(5):
            lie = {"X-Forwarded-For": f"203.0.113.{i}", "Forwarded": f"for=203.0.113.{i}", "X-Original-URI": "/elsewhere",
                   "X-Original-Method": "PUT", "X-Forwarded-Uri": "/elsewhere", "X-Original-Host": "other"}
            self.assertEqual(ask(self.port, "/api/orders", headers=lie).status, 200)
        self.assertEqual(ask(self.port, "/api/orders", headers=lie).status, 429)
        self.assertEqual(ask(self.port, "/api/orders", client="127.0.0.3").status, 200)

    def test_a_client_that_says_twice_what_only_a_proxy_may_say_is_limited_all_the_same(self):
        lies = [(name, value) for name in ("X-Original-Method", "X-Original-URI", "X-Original-Host", "X-Forwarded-Method",
                                           "X-Forwarded-Uri", "X-Forwarded-Host") for value in ("/elsewhere", "", "other")]
        statuses = [ask_with_fields(self.port, "/api/orders", lies) for _ in range(6)]
        self.assertEqual(statuses, [200] * 5 + [429])

    def test_a_header_of_any_size_is_limited_or_refused(self):
        for _ in range(5):
            ask(self.port, "/api/orders")
        many = [[("X-Field", "x")] * count for count in (40, 90, 96, 97, 98, 99, 100, 120, 300)]
        long = [[(f"X-{i}", "x" * 1000) for i in range(count)] for count in (3, 9, *range(12, 18), 24, 30)]
        statuses = [ask_with_fields(self.port, "/api/orders", fields) for fields in (*many, *long)]
        self.assertEqual((statuses[0], statuses[len(many)]), (429, 429))
        self.assertLessEqual(set(statuses), {429, 431, 400}, statuses)

    def test_a_query_string_does_not_get_around_a_path(self):
        statuses = [ask(self.port, f"/login{query}").status for query in ("", "?a=1", "?b=2", "?")]
        self.assertEqual(statuses, [200, 200, 429, 429])

    def test_bodies_reach_the_app_whole(self):
        body = b"x" * 300_000
        self.assertEqual(ask(self.port, "/api/upload", "POST", body).status, 200)
        self.assertEqual(App.seen[-1][:3], ("POST", "/api/upload", body))

    def test_a_403_of_the_app_itself_stays_a_403(self):
        answer = ask(self.port, "/api/forbidden")
        self.assertEqual((answer.status, answer.body), (403, b"the app\n"))
