"""A running `sluice serve` on ports that the kernel chose, and what is asked of its doors."""

import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from program import SLUICE, environment

DEADLINE_S = 60


class Server:
    """Use it with `with`: it is stopped by its process, and what it wrote is removed."""

    def __init__(self, rules=None, arguments=(), admin="127.0.0.1:0", **extra_environment):
        self.folder = tempfile.TemporaryDirectory()
        self.rules = pathlib.Path(self.folder.name) / "rules.json"
        self.arguments = [*arguments]
        if rules is not None:
            self.write_rules(rules)
            self.arguments += ["--rules", str(self.rules)]
        self.environment = environment(**extra_environment)
        self.listen = {"http": "127.0.0.1:0", "resp": "127.0.0.1:0", "admin": admin}
        self.ports = {}
        self.log = []

    def __enter__(self):
        doors = [part for door, address in self.listen.items() for part in (f"--{door}", address)]
        self.process = subprocess.Popen(
            [SLUICE, "serve", "--loops", "2", "--log-format", "json", *doors, *self.arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=self.environment,
            cwd=self.folder.name,
        )
        self.reader = threading.Thread(target=self._read_log)
        self.reader.start()
        self.until(lambda: len(self.ports) == 3 or self.process.poll() is not None)
        if len(self.ports) != 3:
            self.__exit__()
            raise AssertionError(f"it does not serve: {self.log}")
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.folder.cleanup()

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("message") == "listening":
                self.ports[event["door"]] = int(event["address"].rsplit(":", 1)[1])

    def write_rules(self, rules):
        text = rules if isinstance(rules, str) else json.dumps(rules)
        new = self.rules.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.rename(self.rules)

    def until(self, condition):
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline, f"it did not come true; the log: {self.log}"
            time.sleep(0.01)

    def ask(self, door, path, method="GET", body=None, token=None):
        """Status and text, whichever status it is."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports[door]}{path}", method=method)
        if body is not None:
            request.data = body if isinstance(body, bytes) else json.dumps(body).encode()
        if token is not None:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def admin(self, path, **how):
        return self.ask("admin", path, **how)

    def check(self, request):
        return self.ask("http", "/v1/check", method="POST", body={"request": request})[0]
