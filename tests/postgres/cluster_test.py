"""The PostgreSQL of the tests keeps its word: private, killed and started again, and gone with whoever asked for it."""

import contextlib
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from cluster import PATIENCE, running

PROGRAM = pathlib.Path(__file__).with_name("cluster.py")


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE} s for {what}")
        time.sleep(0.01)


def folder_of(url):
    return pathlib.Path(url.partition("host=")[2].partition("&")[0])


def has_processes(folder):
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in file.read_bytes():
                return True
    return False


class InPython(unittest.TestCase):
    def test_what_was_committed_is_there_after_a_kill_and_nothing_is_left_at_the_end(self):
        with running(durable=True) as cluster:
            cluster.psql("CREATE TABLE t (n int)")
            cluster.psql("INSERT INTO t VALUES (42)")
            cluster.kill()
            with self.assertRaises(AssertionError):
                cluster.psql("SELECT n FROM t")
            cluster.start()
            self.assertEqual(cluster.psql("SELECT n FROM t"), "42\n")
            folder = cluster.folder
        self.assertFalse(folder.exists())
        self.assertFalse(has_processes(folder))

    def test_it_is_on_no_port_unless_asked_for(self):
        with running() as cluster:
            self.assertEqual(cluster.psql("SHOW listen_addresses"), "\n")
        with running(tcp=True) as cluster:
            self.assertEqual(cluster.psql("SELECT inet_server_addr()"), "127.0.0.1\n")


class AsAProgram(unittest.TestCase):
    def started(self):
        program = subprocess.Popen([sys.executable, "-B", str(PROGRAM)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(program.stdout.close)
        return program, folder_of(program.stdout.readline())

    def test_it_ends_with_its_input(self):
        program, folder = self.started()
        self.assertTrue(has_processes(folder))
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)
        self.assertFalse(folder.exists())
        self.assertFalse(has_processes(folder))

    def test_it_ends_when_its_parent_is_killed(self):
        script = ("import subprocess, sys\n"
                  "subprocess.Popen([sys.executable, '-B', sys.argv[1]], stdin=subprocess.PIPE).wait()")
        parent = subprocess.Popen([sys.executable, "-c", script, str(PROGRAM)], stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(parent.stdout.close)
        folder = folder_of(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(PATIENCE)
        until(lambda: not folder.exists() and not has_processes(folder), "everything to be gone")

    def test_the_server_goes_even_when_the_program_is_killed(self):
        program, folder = self.started()
        program.kill()
        program.wait(PATIENCE)
        program.stdin.close()
        until(lambda: not has_processes(folder), "the server to be gone")
        subprocess.run(["rm", "-rf", str(folder)], check=True)


if __name__ == "__main__":
    unittest.main()
