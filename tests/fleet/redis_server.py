"""A Redis of a test's own: in a temporary folder, on a free port of loopback and on a local socket."""

import contextlib
import pathlib
import shutil
import socket
import tempfile

import redis

from processes import free_port, Process
from server import PATIENCE, until

# It forgets all when it ends, unless a test says otherwise; replicas need not wait for others before they are filled.
DEFAULTS = {"bind": "127.0.0.1", "save": '""', "appendonly": "no", "repl-diskless-sync-delay": "0",
            "enable-debug-command": "local", "databases": "4"}
# What is acknowledged has been written before, and outlives the process. (It need not outlive the machine here.)
PERSISTENT = {"appendonly": "yes", "appendfsync": "no"}
TRIES = 5


class RedisServer:
    """One server. As a context manager it is started, and afterwards gone with all that it wrote.

    Settings are those of redis.conf, with _ for -, a list for several lines. `tls` is a pair of a certificate and its
    key, and the authority's certificate, as paths: then its port speaks nothing else.
    """

    program = ("redis-server",)

    def __init__(self, tls=None, **settings):
        self.settings = {**DEFAULTS, **{name.replace("_", "-"): value for name, value in settings.items()}}
        self.tls = tls
        self.folder = None
        self.process = None
        self.port = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice_redis_"))
        try:
            for _ in range(TRIES):
                self.choose_ports()
                if self._starts():
                    return self
            raise AssertionError(f"no port for Redis:\n{self.log()}")
        except BaseException:
            self.end()
            raise

    def __exit__(self, *_):
        self.end()

    def choose_ports(self):
        self.port = free_port()

    def start(self):
        """Until it answers, on the ports that it has."""
        if not self._starts():
            raise AssertionError(f"Redis did not start:\n{self.log()}")

    def end(self):
        if self.process:
            self.process.kill9()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Faults.
    def kill9(self):
        self.process.kill9()

    def restart(self):
        self.process.kill9()
        self.start()

    def pause(self):
        self.process.pause()

    def resume(self):
        self.process.resume()

    @property
    def socket(self):
        return self.folder / "socket"

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def url(self, user="", database=0):
        """`user` may be name:password."""
        scheme = "rediss" if self.tls else "redis"
        return f"{scheme}://{user + '@' if user else ''}{self.address}/{database}"

    @property
    def unix_url(self):
        return f"redis+unix://{self.socket}"

    def client(self, **options):
        """Over the local socket, where no TLS is asked for."""
        return redis.Redis(unix_socket_path=str(self.socket), decode_responses=True, socket_timeout=PATIENCE,
                           password=self.settings.get("requirepass"), **options)

    def ask(self, *words):
        with contextlib.closing(self.client()) as client:
            return client.execute_command(*words)

    def info(self, section):
        return self.ask("INFO", section)

    def calls(self, *commands):
        """How often it was asked each of these, or anything at all; scripts' own commands do not count."""
        counted = {name.partition("_")[2]: figures["calls"] for name, figures in self.info("commandstats").items()}
        return sum(counted.get(name, 0) for name in commands or counted)

    def log(self):
        with contextlib.suppress(OSError):
            return (self.folder / "log").read_text(errors="replace")
        return ""

    def lines(self):
        """Of its configuration file."""
        given = {**self.settings, "dir": self.folder, "unixsocket": self.socket, "port": self.port}
        if self.tls:
            pair, authority = self.tls
            given |= {"port": 0, "tls-port": self.port, "tls-cert-file": pair[0], "tls-key-file": pair[1],
                      "tls-ca-cert-file": authority, "tls-auth-clients": "no"}
        if "requirepass" in given:
            given["requirepass"] = f'"{given["requirepass"]}"'
        for name, value in given.items():
            for one in value if isinstance(value, list) else [value]:
                yield f"{name} {one}"

    def _starts(self):
        """Whether it could; not if somebody else has its port."""
        file = self.folder / "redis.conf"
        if not file.exists() or not self.keeps_its_file():
            file.write_text("\n".join(self.lines()) + "\n")
        self.process = Process([*self.program, file, *self.arguments()], self.folder / "log")
        until(lambda: not self.process.is_running() or self.is_ready(), "Redis to answer")
        if self.process.is_running():
            return True
        if "Address already in use" in self.log():
            return False
        raise AssertionError(f"Redis did not start:\n{self.log()}")

    def keeps_its_file(self):
        return False

    def arguments(self):
        return []

    def is_ready(self):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(self.socket))
            return self._answers()
        return False

    def _answers(self):
        try:
            return self.ask("PING")
        except (redis.exceptions.BusyLoadingError, redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
            return False
