"""Processes of a test's own: on ports that nobody else has, stopped by their pid, gone when the test is."""

import contextlib
import os
import random
import signal
import socket
import subprocess

from server import PATIENCE

# Also when the test itself is killed.
DIES_WITH_TEST = ["setpriv", "--pdeathsig", "KILL", "--"]
# Below those that the system gives to outgoing connections, so that a server finds its port again after a restart.
PORTS = range(20000, 32000)


def free_port():
    """A port of loopback where nobody listens. Somebody may be faster: whoever uses it must be ready to try another."""
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def environment():
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Process:
    """One process whose words go to a file. The thread that starts it must live as long as it does."""

    def __init__(self, command, log):
        self.log = log
        with open(log, "ab") as words:
            self._process = subprocess.Popen([*DIES_WITH_TEST, *map(str, command)], stdin=subprocess.DEVNULL,
                                             stdout=words, stderr=words, cwd=log.parent, env=environment())
        self.is_paused = False

    @property
    def pid(self):
        return self._process.pid

    def is_running(self):
        return self._process.poll() is None

    def words(self):
        return self.log.read_text(errors="replace")

    def pause(self):
        """From here on it is silent, but its sockets are open: as if the network were cut."""
        self._process.send_signal(signal.SIGSTOP)
        # Until it has really stopped it may still answer.
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)
        self.is_paused = True

    def resume(self):
        self._process.send_signal(signal.SIGCONT)
        self.is_paused = False

    def kill9(self):
        """Gone at once, without a last word."""
        self._process.kill()
        self._process.wait(PATIENCE)
