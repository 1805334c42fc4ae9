"""Starts `sluice serve` for a test: on ports that the system chooses, with a log that is read, stopped by its pid.

A server that dies, or logs a warning or an error that the test did not ask for, fails the test.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

SLUICE = os.environ["SLUICE"]
# Nothing on a loaded machine takes longer, and nothing waits as long when all is well.
PATIENCE = 20


def environment(**extra):
    # Under ASan, memory that was given back must not count for long.
    return {"PATH": os.defpath + ":/usr/sbin", "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "quarantine_size_mb=1", **extra}


def until(condition, what, patience=PATIENCE):
    """The condition's first true value. Looks often, since a test should not wait for nothing."""
    end = time.monotonic() + patience
    while True:
        if found := condition():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience} s for {what}")
        time.sleep(0.01)


def log_line(line):
    """What is no line of the log is an error: a sanitizer's report, or the last words of a server that does not start."""
    try:
        return json.loads(line)
    except ValueError:
        return {"level": "error", "message": line}


class Server:
    """One running server. `lines` are what it has logged so far, as objects."""

    def __init__(self, arguments, variables=None, **popen):
        self._removed = popen.pop("removes", None)
        command = [*popen.pop("through", []), SLUICE, "serve", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=popen.pop("cwd", "/"),
                                        env=environment(**(variables or {})), **popen)
        self.was_ended = False
        self.raw = []
        self.expected = set()
        self._readers = [threading.Thread(target=self._read, args=(self.process.stderr, self.raw))]
        self.printed = []
        self._readers.append(threading.Thread(target=self._read, args=(self.process.stdout, self.printed)))
        for reader in self._readers:
            reader.start()

    def _read(self, pipe, lines):
        for line in pipe:
            lines.append(line.decode())
        pipe.close()

    @property
    def pid(self):
        return self.process.pid

    @property
    def lines(self):
        return [log_line(line) for line in list(self.raw)]

    def messages(self, level=None):
        return [line["message"] for line in self.lines if level in (None, line["level"])]

    def ports(self, door):
        return [int(line["address"].rpartition(":")[2]) for line in self.lines
                if line["message"] == "listening" and line["door"] == door and not line["address"].startswith("unix:")]

    @property
    def http(self):
        return self.ports("http")[0]

    @property
    def resp(self):
        return self.ports("resp")[0]

    @property
    def admin(self):
        return self.ports("admin")[0]

    def url(self, path="", scheme="http"):
        return f"{scheme}://127.0.0.1:{self.http}{path}"

    def wait_for(self, message, count=1):
        """Until it has logged that, and so often."""
        until(lambda: self.messages().count(message) >= count or self.must_be_alive(), f"the log line '{message}'")

    def must_be_alive(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{''.join(self.raw)}")

    def expect(self, *messages):
        """Warnings and errors that are part of the test; the start of each is enough."""
        self.expected.update(messages)

    def memory(self):
        """Bytes of memory that the process holds."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, patience=PATIENCE):
        """Its exit code, once it has ended by itself."""
        code = self.process.wait(patience)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def end(self):
        """Whatever its state: afterwards it is gone."""
        self.was_ended = True
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.wait()
            raise AssertionError("the server did not stop") from None
        finally:
            if self._removed:
                shutil.rmtree(self._removed, ignore_errors=True)

    def complaints(self):
        loud = [line for line in self.lines if line["level"] in ("warn", "error")]
        return [line for line in loud if not any(line["message"].startswith(start) for start in self.expected)]


NO_RULES = "no rules: only requests that bring their own rate and burst are limited"


def places(arguments):
    """At how many addresses a server with these arguments listens: it logs each, and is ready with the last."""
    given = dict(zip(arguments, arguments[1:]))
    listed = [given[flag] for flag in ("--http", "--resp", "--admin")]
    return sum(len(addresses.split(",")) for addresses in listed if addresses != "off")


DEFAULTS = {"--http": "127.0.0.1:0", "--resp": "127.0.0.1:0", "--admin": "off", "--log-format": "json",
            "--drain-timeout": "2s"}


def started(*arguments, variables=None, **popen):
    """A server that is ready, with its doors on loopback. The caller must end() it."""
    given = list(arguments)
    for flag, value in DEFAULTS.items():
        if flag not in given:
            given += [flag, value]
    if "--data-dir" not in given:
        given += ["--data-dir", tempfile.mkdtemp(prefix="sluice_data_")]
        popen["removes"] = given[-1]
    server = Server(given, variables, **popen)
    server.expect(NO_RULES)
    try:
        server.wait_for("listening", places(given))
    except BaseException:
        server.end()
        raise
    return server


@contextlib.contextmanager
def serving(*arguments, rules=None, **popen):
    """A server that is ready; in the end it must stop when it is told to, with exit code 0 and nothing to complain of."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rules.json"
        if rules is not None:
            path.write_text(rules if isinstance(rules, str) else json.dumps(rules))
            arguments += ("--rules", str(path))
        server = started(*arguments, **popen)
        server.rules = path
        try:
            yield server
            if server.was_ended:
                return
            server.must_be_alive()
            server.signal(signal.SIGTERM)
            assert server.wait() == 0, f"the server ended with {server.process.returncode}:\n{''.join(server.raw)}"
            assert not server.complaints(), f"the server complained: {server.complaints()}"
        finally:
            server.end()


def refusing(*arguments, variables=None, **popen):
    """The ended process of a server that does not start."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([SLUICE, "serve", *arguments], capture_output=True, encoding="utf-8",
                              cwd=popen.pop("cwd", folder), env=environment(**(variables or {})), timeout=PATIENCE, **popen)
