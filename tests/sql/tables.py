"""A server whose rules and violations are rows of a database, and what is asked of it: at its doors, on its command line
and in SQL."""

import contextlib
import pathlib
import sqlite3
import subprocess
import tempfile
import time

from server import PATIENCE, SLUICE, environment, serving, until
from wire import ask_http

TOKEN = "a-token-of-the-tests"
RULES = "/admin/v1/rules"
# So slow that no test sees a token come back.
SLOW = 1e-9
# A change acts within a second; a machine that is busy with other things gets another.
SOON_S = 2


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="sluice_sql_") as path:
        yield pathlib.Path(path)


def serving_tables(data, *arguments, token=TOKEN, variables=None, **popen):
    """A server with an admin door and its token, that writes violations often."""
    given = ["--admin", "127.0.0.1:0", "--data-dir", str(data), "--loops", "2", *arguments]
    if "--violations-interval" not in given:
        given += ["--violations-interval", "100ms"]
    secret = {"SLUICE_ADMIN_TOKEN": token} if token else {}
    return serving(*given, variables={**secret, **(variables or {})}, **popen)


def database(data):
    return pathlib.Path(data) / "sluice.db"


def admin(server, method, path, body=None, token=TOKEN, **fields):
    """The response of the admin door; fields such as if_match are header fields."""
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return ask_http(server.admin, method, path, body=body, headers=headers)


def add_rule(server, pattern, burst, rate=SLOW, **fields):
    """The new rule, as the admin door shows it."""
    rule = {"key_pattern": pattern, "rate_per_second": rate, "burst_capacity": burst, **fields}
    response = admin(server, "POST", RULES, rule)
    assert response.status == 201, response.body
    return response.json()


def readiness(server):
    return admin(server, "GET", "/readyz").json()


def metrics(server):
    """Every sample by its name and labels, as they are written."""
    lines = admin(server, "GET", "/metrics").body.decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def request_of(user=None, plan=None, **fields):
    given = {"user_id": user, "plan": plan}
    return {"attributes": {name: value for name, value in given.items() if value is not None}, **fields}


def check(server, *arguments, **fields):
    """Decides and takes."""
    return ask_http(server.http, "POST", "/v1/check", {"request": request_of(*arguments, **fields)})


def peek(server, *arguments, **fields):
    return ask_http(server.http, "POST", "/v1/peek", {"request": request_of(*arguments, **fields)}).json()


def limits(server, *arguments, **fields):
    """The limits of the rules that apply to a request, by their names."""
    return {bucket["rule"]: bucket["limit"] for bucket in peek(server, *arguments, **fields)["buckets"]}


def seconds_until(condition, what):
    """How long it took to come true."""
    start = time.monotonic()
    until(condition, what)
    return time.monotonic() - start


def sluice(*arguments, text=None, cwd="/", **variables):
    return subprocess.run([SLUICE, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8", cwd=cwd,
                          env=environment(**variables), timeout=PATIENCE)


def sqlite(file, sql):
    """As a person types it; fails as that does."""
    done = subprocess.run(["sqlite3", "-bail", "-cmd", ".timeout 10000", str(file), sql], capture_output=True,
                          encoding="utf-8", timeout=PATIENCE)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def rows(file, sql, *values):
    """Rows as dictionaries. Texts are any bytes, and read as such."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as connection:
        connection.text_factory = bytes
        cursor = connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


def rejections(file, condition="1"):
    """How many rejections the rows stand for."""
    return rows(file, f"SELECT coalesce(sum(count), 0) AS n FROM rate_limit_violation WHERE {condition}")[0]["n"]


def violations(server, query=""):
    return admin(server, "GET", "/admin/v1/violations" + query).json()
