"""Many clients that ask all servers of a fleet at once, and keep account of every answer."""

import math
import threading
import time
from typing import NamedTuple

from server import PATIENCE, until
from wire import connect


class Answer(NamedTuple):
    server: int  # which of the fleet
    # By the clock that Redis reads too: what passes between is what a bucket can have gained.
    sent: float
    received: float
    allowed: bool
    degraded: bool

    @property
    def seconds(self):
        return self.received - self.sent


class Tally:
    """What became of all that was asked."""

    def __init__(self, answers):
        self.answers = sorted(answers, key=lambda answer: answer.received)
        if not self.answers:
            raise AssertionError("nothing was answered")

    @property
    def admitted(self):
        """By the store: what passed without it, by a rule, is no fault of a bucket."""
        return sum(answer.allowed and not answer.degraded for answer in self.answers)

    @property
    def degraded(self):
        return sum(answer.degraded for answer in self.answers)

    @property
    def seconds(self):
        return self.answers[-1].received - min(answer.sent for answer in self.answers)

    def ceiling(self, rate, burst):
        """What the bucket can have granted in the meantime (law 2)."""
        return math.floor(burst + rate * self.seconds)

    def latency(self, share):
        """So many seconds at most for that share of the answers."""
        ordered = sorted(answer.seconds for answer in self.answers)
        return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]

    def since(self, instant):
        return Tally(answer for answer in self.answers if answer.sent >= instant)

    def recovery(self, instant):
        """How long after that instant the last server of all gave an answer from the store again."""
        first = {}
        for answer in self.answers:
            if answer.sent >= instant and not answer.degraded:
                first.setdefault(answer.server, answer.received - instant)
        missing = {answer.server for answer in self.answers} - set(first)
        if missing:
            raise AssertionError(f"no answer from the store any more by the servers {sorted(missing)}")
        return max(first.values())

    def __str__(self):
        return (f"{len(self.answers)} answers in {self.seconds:.2f} s, {self.admitted} admitted by the store, "
                f"{self.degraded} without it; p50 {self.latency(0.5) * 1000:.1f}, p99 {self.latency(0.99) * 1000:.1f}, "
                f"max {self.latency(1) * 1000:.1f} ms")


class Hammer:
    """As a context manager: hammers from beginning to end. What a client fails of fails the test.

    Each client has a connection that stays open, and sends `at_once` requests before it reads their answers.
    """

    def __init__(self, servers, ask, clients_each=2, at_once=1, pause=0.001):
        self.servers = servers
        self.ask = ask
        self.at_once = at_once
        self.pause = pause
        self._is_over = threading.Event()
        self._failures = []
        self._pages = [[] for _ in range(clients_each * len(servers))]
        self._start = threading.Barrier(len(self._pages), timeout=PATIENCE)
        self._clients = [threading.Thread(target=self._client, args=(i % len(servers), page))
                         for i, page in enumerate(self._pages)]

    def __enter__(self):
        for client in self._clients:
            client.start()
        self.goes_on(1)
        return self

    def __exit__(self, kind, *_):
        self._is_over.set()
        for client in self._clients:
            client.join()
        if kind is None:
            self._must_be_well()

    def _client(self, server, page):
        try:
            with connect(getattr(self.servers[server], self.ask.door)) as connection:
                reader = self.ask.reader(connection)
                self._start.wait()
                while not self._is_over.is_set():
                    self._ask_once(server, connection, reader, page)
                    time.sleep(self.pause)
        except Exception as error:  # told by whoever waits
            self._failures.append(repr(error))
            self._start.abort()

    def _ask_once(self, server, connection, reader, page):
        sent = time.time()
        connection.sendall(self.ask.bytes * self.at_once)
        for _ in range(self.at_once):
            allowed, degraded = self.ask.read(reader)
            page.append(Answer(server, sent, time.time(), allowed, degraded))

    def _must_be_well(self):
        if self._failures:
            raise AssertionError(f"a client failed: {self._failures[0]}")

    def goes_on(self, count=10):
        """Until each client has so many answers more: nobody hangs."""
        targets = [len(page) + count for page in self._pages]
        until(lambda: self._failures or all(len(page) >= target for page, target in zip(self._pages, targets)),
              "answers for every client")
        self._must_be_well()

    def for_seconds(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._must_be_well()
            time.sleep(0.02)

    def tally(self):
        """Of all that was answered so far."""
        return Tally([answer for page in self._pages for answer in list(page)])
