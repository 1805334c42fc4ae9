"""A TCP proxy that makes a network bad on command: slow, silent, cut.

It runs as a process of its own, so that it is not slowed by the test's threads: it says its port on a line, obeys the
lines `delay SECONDS`, `stall`, `flow`, `cut`, `refuse`, `accept` with one line each in answer, and ends with its input.
"""

import asyncio
import os
import subprocess
import sys

PIECE = 65536


class SlowProxy:
    """As a context manager: between whoever connects to `port` and the other port."""

    def __init__(self, target):
        self.target = target
        self.process = None
        self.port = None

    def __enter__(self):
        # It dies with the test: its input ends.
        self.process = subprocess.Popen([sys.executable, "-B", __file__, str(self.target)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1, env={"PATH": os.defpath})
        self.port = int(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        with self.process:
            self.process.stdin.close()
            self.process.wait(10)

    def _command(self, words):
        self.process.stdin.write(words + "\n")
        if self.process.stdout.readline() != "done\n":
            raise AssertionError(f"the proxy did not do it: {words}")

    def delay(self, seconds):
        """Answers arrive that much later from here on."""
        self._command(f"delay {seconds}")

    def stall(self):
        """Nothing is passed on any more, and nobody is told."""
        self._command("stall")

    def flow(self):
        """What was held is passed on, and what comes."""
        self._command("flow")

    def cut(self):
        """Every connection is reset; new ones are welcome."""
        self._command("cut")

    def refuse(self):
        """Every connection is reset, and new ones are closed at once."""
        self._command("refuse")

    def accept(self):
        self._command("accept")


class Proxy:
    """The process's side."""

    def __init__(self, target):
        self.target = target
        self.seconds = 0.0
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.accepts = True
        self.writers = set()

    async def meet(self, reader, writer):
        if not self.accepts:
            writer.transport.abort()
            return
        self.writers.add(writer)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            self.drop(writer)
            return
        self.writers.add(back)
        await asyncio.gather(self.carry(reader, back, 0), self.carry(there, writer, 1), return_exceptions=True)
        self.drop(writer)
        self.drop(back)

    def drop(self, writer):
        self.writers.discard(writer)
        writer.transport.abort()

    async def carry(self, reader, writer, times):
        """What was read together is late together; later pieces need not wait for earlier ones to have been late."""
        late = asyncio.Queue()
        sender = asyncio.create_task(self.send(late, writer))
        try:
            while piece := await reader.read(PIECE):
                late.put_nowait((asyncio.get_running_loop().time() + self.seconds * times, piece))
        except OSError:
            pass
        late.put_nowait((0, b""))
        await sender

    async def send(self, late, writer):
        while True:
            due, piece = await late.get()
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            await self.flowing.wait()
            if not piece:
                writer.transport.abort()
                return
            writer.write(piece)

    def cut(self):
        for writer in list(self.writers):
            self.drop(writer)

    def obey(self, words):
        name, *arguments = words.split()
        if name == "delay":
            self.seconds = float(arguments[0])
        elif name == "stall":
            self.flowing.clear()
        elif name == "flow":
            self.flowing.set()
        elif name in ("cut", "refuse"):
            self.accepts = name == "cut"
            self.cut()
        elif name == "accept":
            self.accepts = True

    async def run(self):
        server = await asyncio.start_server(self.meet, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        commands = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
        while words := await commands.readline():
            self.obey(words.decode())
            print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(Proxy(int(sys.argv[1])).run())
