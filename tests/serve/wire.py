"""HTTP and the Redis protocol byte by byte, for what no proper client would send."""

import json
import socket

from server import PATIENCE


def connect(port, patience=PATIENCE):
    return socket.create_connection(("127.0.0.1", port), timeout=patience)


def read_until_closed(connection):
    """All that still comes. A connection that is reset has come to its end too."""
    received = b""
    while True:
        try:
            piece = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not piece:
            return received
        received += piece


def is_closed(connection, patience=PATIENCE):
    """Whether the other end closes within that time; what it sends before is dropped."""
    connection.settimeout(patience)
    try:
        read_until_closed(connection)
        return True
    except TimeoutError:
        return False


class Response:
    def __init__(self, status, version, fields, body):
        self.status, self.version, self.fields, self.body = status, version, fields, body

    def json(self):
        return json.loads(self.body)


class HttpReader:
    """Reads one response after another off a connection. `head_only` for answers to HEAD."""

    def __init__(self, connection):
        self.file = connection.makefile("rb")

    def response(self, head_only=False):
        line = self.file.readline().decode()
        if not line:
            raise AssertionError("the connection was closed instead of answered")
        version, status = line.split()[:2]
        fields = {}
        while (field := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode().partition(":")
            fields[name.lower()] = value.strip()
        size = 0 if head_only or status in ("100", "204", "304") else int(fields["content-length"])
        return Response(int(status), version, fields, self.file.read(size))


def http_request(method, path, body=None, headers=None, version="1.1"):
    fields = {"Host": "localhost", **(headers or {})}
    if body is not None:
        body = json.dumps(body).encode() if not isinstance(body, bytes) else body
        fields.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def ask_http(port, *arguments, **options):
    """One request on a connection of its own."""
    with connect(port) as connection:
        connection.sendall(http_request(*arguments, **options))
        return HttpReader(connection).response()


# So slow that no test sees a token come back.
def check(key="k", rate=1e-9, burst=5, cost=1):
    return {"key": key, "rate": rate, "burst": burst, "cost": cost}


def command(*words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class ReplyError(Exception):
    pass


class RespReader:
    """Reads one reply after another off a connection: RESP2, and the maps and booleans of RESP3."""

    def __init__(self, connection):
        self.file = connection.makefile("rb")

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise AssertionError(f"the connection was closed instead of answered, after {line!r}")
        kind, text = line[:1], line[1:-2]
        if kind == b"+":
            return text.decode()
        if kind == b"-":
            return ReplyError(text.decode())
        if kind == b":":
            return int(text)
        if kind in (b"$", b"="):
            return None if text == b"-1" else self.file.read(int(text) + 2)[:-2]
        if kind in (b"*", b"~", b">"):
            return None if text == b"-1" else [self.reply() for _ in range(int(text))]
        if kind == b"%":
            return {self.reply(): self.reply() for _ in range(int(text))}
        if kind == b"#":
            return text == b"t"
        if kind == b"_":
            return None
        if kind == b",":
            return float(text)
        raise AssertionError(f"no such reply: {line!r}")


def ask_resp(port, *words):
    with connect(port) as connection:
        connection.sendall(command(*words))
        return RespReader(connection).reply()
