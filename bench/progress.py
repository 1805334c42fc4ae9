"""Says on stderr what runs and how far it is: one line that changes on a terminal, else a line for each program."""

import time


class Progress:
    def __init__(self, stream):
        self.stream = stream
        self.changes = stream.isatty()
        self.started = time.monotonic()
        self.title, self.done, self.total = "", 0, 0

    def begin(self, title, total):
        self.title, self.done, self.total = title, 0, total
        self._show("", always=True)

    def step(self, benchmark):
        self.done += 1
        self._show(f", {self.done} of {self.total}: {benchmark}")

    def end(self):
        if self.changes:
            self.stream.write("\r\033[K")
            self.stream.flush()

    def _show(self, detail, always=False):
        line = f"[{time.monotonic() - self.started:4.0f} s] {self.title}{detail}"
        if self.changes:
            self.stream.write(f"\r\033[K{line[:100]}")
        elif always:
            self.stream.write(f"{line}\n")
        self.stream.flush()
