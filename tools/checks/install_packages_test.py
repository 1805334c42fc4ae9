"""Tests tools/install_packages.sh on a made-up system: programs that only write down how they were called."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "install_packages.sh"
PROGRAMS = {
    "dpkg-query": 'for p in "$@"; do case " $INSTALLED " in *" $p "*) echo "installed $p";; esac; done',
    "sudo": 'exec "$@"',
    "systemctl": 'case "$1" in list-unit-files) cat "$HERE/enabled";; *) echo "$*" >>"$HERE/systemctl_calls";; esac',
    "apt-get": 'case "$*" in *install*) echo "$BROUGHT" >>"$HERE/enabled";; esac; echo "$*" >>"$HERE/calls"; cat "$SLUICE_POLICY_RC_D" >"$HERE/policy_seen"; case "$*" in *"$FAIL"*) exit 100;; esac',
}
PACKAGES = "# Needed.\n[build]\ncmake configures\nmold   links\n[test]\nmold   links\npython3 checks\n"


class InstallPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        shutil.copy(SCRIPT, self.here)
        (self.here / "packages.txt").write_text(PACKAGES)
        (self.here / "bin").mkdir()
        for name, body in PROGRAMS.items():
            program = self.here / "bin" / name
            program.write_text(f"#!/bin/bash\n{body}\n")
            program.chmod(0o755)
        (self.here / "enabled").write_text("getty@.service enabled enabled\n")
        self.policy = self.here / "policy-rc.d"

    def run_script(self, *sections, installed="", fail="nothing at all", brought=""):
        environment = os.environ | {"PATH": f"{self.here / 'bin'}:{os.environ['PATH']}", "HERE": str(self.here),
                                    "SLUICE_POLICY_RC_D": str(self.policy), "INSTALLED": installed, "FAIL": fail, "BROUGHT": brought}
        return subprocess.run([self.here / "install_packages.sh", *sections], env=environment, capture_output=True, text=True)

    def calls(self):
        file = self.here / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_nothing_is_called_when_nothing_is_missing(self):
        self.assertEqual(self.run_script("build", "test", installed="cmake mold python3").returncode, 0)
        self.assertEqual(self.calls(), [])

    def test_only_what_is_missing_is_installed_and_once(self):
        self.assertEqual(self.run_script("build", "test", installed="cmake").returncode, 0)
        update, install = self.calls()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.endswith(" install --yes --no-install-recommends mold python3"), install)

    def test_a_section_brings_only_its_own_packages(self):
        self.run_script("build")
        self.assertTrue(self.calls()[-1].endswith(" cmake mold"), self.calls())

    def test_services_are_kept_from_starting_during_the_install_alone(self):
        self.run_script("build")
        self.assertIn("exit 101", (self.here / "policy_seen").read_text())
        self.assertFalse(self.policy.exists())

    def test_services_that_an_install_enabled_are_disabled_and_no_others(self):
        for fail in ("nothing at all", "install"):
            (self.here / "enabled").write_text("getty@.service enabled enabled\n")
            (self.here / "systemctl_calls").unlink(missing_ok=True)
            self.run_script("build", brought="nginx.service enabled enabled", fail=fail)
            self.assertEqual((self.here / "systemctl_calls").read_text(), "--quiet disable nginx.service\n")

    def test_without_new_services_none_is_disabled(self):
        self.run_script("build")
        self.assertFalse((self.here / "systemctl_calls").exists())

    def test_a_failed_install_leaves_no_guard_and_says_what_to_do(self):
        for step in ("update", "install"):
            result = self.run_script("build", fail=step)
            self.assertEqual(result.returncode, 1)
            self.assertFalse(self.policy.exists())
            self.assertIn("apt-get update && apt-get install cmake mold", result.stderr.splitlines()[-1])

    def test_a_guard_that_an_earlier_run_left_behind_is_removed(self):
        self.policy.write_text("# Written by tools/install_packages.sh for the time of one install.\nexit 101\n")
        self.run_script("build")
        self.assertFalse(self.policy.exists())

    def test_somebody_elses_policy_is_left_as_it_is(self):
        for answer in ("101", "0"):
            self.policy.write_text(f"#!/bin/sh\nexit {answer}\n")
            self.policy.chmod(0o755)
            result = self.run_script("build")
            self.assertEqual(result.returncode, 0)
            self.assertEqual(self.policy.read_text(), f"#!/bin/sh\nexit {answer}\n")
            self.assertEqual("lets services start" in result.stderr, answer == "0")

    def test_an_unknown_section_is_refused(self):
        result = self.run_script("bild")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no section [bild]", result.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
