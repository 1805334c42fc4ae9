"""The units of packaging/systemd, checked by systemd's own tools."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from server import environment, SLUICE

UNITS = pathlib.Path(os.environ["SLUICE_SOURCE"]) / "packaging" / "systemd"
# Of 100; systemd calls below 20 "OK", its best.
MOST_EXPOSED = 20


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60)


class Units(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path in UNITS.iterdir():
            (self.folder / path.name).write_text(path.read_text().replace("/usr/bin/sluice", SLUICE))

    def test_systemd_finds_no_fault_in_them(self):
        result = run("systemd-analyze", "verify", "--man=no", *map(str, sorted(self.folder.iterdir())))
        about_ours = [line for line in result.stderr.splitlines() if "sluice" in line]
        self.assertEqual((result.returncode, about_ours), (0, []), result.stderr)

    def test_a_fault_would_be_found(self):
        unit = self.folder / "sluice.service"
        unit.write_text(unit.read_text().replace("ProtectHome=yes", "ProtectHomes=yes"))
        self.assertIn("ProtectHomes", run("systemd-analyze", "verify", "--man=no", str(unit)).stderr)

    def test_the_service_is_hardened(self):
        result = run("systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}",
                     str(self.folder / "sluice.service"))
        self.assertEqual(result.returncode, 0, result.stdout[-500:] + result.stderr)

    def test_its_command_is_one_that_sluice_understands(self):
        line = re.search(r"(?m)^ExecStart=(.*)$", (self.folder / "sluice.service").read_text()).group(1)
        config = self.folder / "sluice.yaml"
        config.write_text("loops: 3\n")
        result = run(*shlex.split(line.replace("/etc/sluice/sluice.yaml", str(config))), "--print-config")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("loops: 3", result.stdout)

    def test_sockets_are_named_after_doors(self):
        for path in UNITS.glob("*.socket"):
            name = re.search(r"(?m)^FileDescriptorName=(.*)$", path.read_text()).group(1)
            self.assertEqual(path.name, f"sluice-{name}.socket")
            self.assertIn(name, ("http", "resp", "admin"))


if __name__ == "__main__":
    unittest.main()
