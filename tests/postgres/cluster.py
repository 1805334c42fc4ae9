"""A PostgreSQL of a test's own: a cluster in a temporary folder, on a local socket that nobody else knows.

As a program it is for tests in other languages: it says its URL on a line of its own, obeys the lines `start`, `stop`,
`kill` with one line each in answer, and when its input ends, so does everything, the folder included.
"""

import argparse
import contextlib
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Nothing on a loaded machine takes longer, and nothing waits as long when all is well.
PATIENCE = 60
PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
PR_SET_PDEATHSIG = 1
ROLE = "sluice"
# Without these a test waits for the disk for nothing; `--durable` leaves them as they are in real life.
CARELESS = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"]
MODEST = ["-c", "shared_buffers=32MB", "-c", "max_connections=150", "-c", "autovacuum=off", "-c", "max_wal_size=256MB",
          "-c", "log_min_messages=warning", "-c", "lc_messages=C",
          # In the folder, and gone with it, also after a kill.
          "-c", "dynamic_shared_memory_type=mmap"]


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


def user():
    """PostgreSQL refuses to run as root: then it is somebody who may do nothing else."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise AssertionError("neither the user postgres nor nobody is there to run PostgreSQL")


def as_user(who):
    return {} if who is None else {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Cluster:
    """One server and its data. `url(database)` is how to reach it, by TCP if it was asked for."""

    def __init__(self, durable=False, tcp=False):
        self.who = user()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice_postgres_"))
        self.port = free_port() if tcp else 5432
        self.tcp = tcp
        self.options = MODEST + ([] if durable else CARELESS)
        self.process = None
        if self.who:
            os.chown(self.folder, self.who.pw_uid, self.who.pw_gid)
        self._run("initdb", "--no-sync", "--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=C",
                  f"--username={ROLE}", "--pgdata", str(self.data))

    @property
    def data(self):
        return self.folder / "data"

    def _environment(self):
        return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}

    def _run(self, program, *arguments):
        done = subprocess.run([PROGRAMS / program, *arguments], capture_output=True, encoding="utf-8", cwd="/",
                              env=self._environment(), timeout=PATIENCE, **as_user(self.who))
        if done.returncode != 0:
            raise AssertionError(f"{program} failed:\n{done.stderr}")
        return done.stdout

    def url(self, database="postgres"):
        if self.tcp:
            return f"postgresql://{ROLE}@127.0.0.1:{self.port}/{database}"
        return f"postgresql://{ROLE}@/{database}?host={self.folder}&port={self.port}"

    def psql(self, sql, database="postgres"):
        """As a person types it; the rows, unaligned."""
        return self._run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", sql)

    def create_database(self, name):
        self.psql(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def start(self):
        self._remove_leftovers()
        command = [PROGRAMS / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port),
                   "-c", f"listen_addresses={'127.0.0.1' if self.tcp else ''}", *self.options]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                            env=self._environment(), preexec_fn=die_with_parent, **as_user(self.who))
        end = time.monotonic() + PATIENCE
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"PostgreSQL did not start:\n{self.log()}")
            time.sleep(0.02)

    def _is_ready(self):
        """Its own word for it, in the last line of postmaster.pid, which is written piece by piece."""
        with contextlib.suppress(OSError, IndexError):
            return (self.data / "postmaster.pid").read_text().splitlines()[7].strip() == "ready"
        return False

    def log(self):
        with contextlib.suppress(OSError):
            return (self.folder / "log").read_text()
        return ""

    def _end(self, number):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
        if self.process:
            self.process.wait(PATIENCE)
            self.process = None

    def stop(self):
        """In order, and at once: whoever is connected is sent away."""
        self._end(signal.SIGINT)

    def kill(self):
        """As when the machine dies, but for what the kernel still writes: nobody gets to say a word."""
        others = self._children()
        self._end(signal.SIGKILL)
        for pid in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while any(self._is_ours(pid) for pid in others):
            if time.monotonic() > end:
                raise AssertionError("processes of PostgreSQL outlive SIGKILL")
            time.sleep(0.005)

    def _children(self):
        if not self.process:
            return []
        listed = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in listed.split()]

    def _is_ours(self, pid):
        with contextlib.suppress(OSError):
            return b"postgres" in pathlib.Path(f"/proc/{pid}/comm").read_bytes() and \
                pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        return False

    def _remove_leftovers(self):
        """What only a server that was killed leaves: a few bytes of shared memory of the system."""
        with contextlib.suppress(OSError, IndexError):
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            number = int(lines[6].split()[1])
            subprocess.run(["ipcrm", "-m", str(number)], stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False)
            (self.data / "postmaster.pid").unlink()

    def remove(self):
        try:
            self._end(signal.SIGQUIT)
        finally:
            self._remove_leftovers()
            shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def running(**options):
    cluster = Cluster(**options)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--durable", action="store_true", help="what was committed outlives a kill")
    parser.add_argument("--tcp", action="store_true", help="listen on a port of loopback too")
    options = parser.parse_args()
    # A keyboard's interrupt reaches us as well as the test; the test decides when it is over.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with running(durable=options.durable, tcp=options.tcp) as cluster:
        print(cluster.url(), flush=True)
        for line in sys.stdin:
            {"start": cluster.start, "stop": cluster.stop, "kill": cluster.kill}[line.strip()]()
            print(f"done {line.strip()}", flush=True)


if __name__ == "__main__":
    main()
