"""A folder of rules is one set: files come and go while the server runs, and one bad file keeps the rules of all."""

import contextlib
import json
import os
import pathlib
import signal
import tempfile
import unittest

from server import refusing, serving, until
from wire import ask_http

# What is promised; a server under a sanitizer is slower.
SECOND = 10 if os.environ.get("SLUICE_SANITIZE") else 1


def policy(name, burst):
    return {"policies": [{"id": name, "selector": {"path": f"/{name}"},
                          "rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1e-6, "burst": burst}}]}]}


def limit_of(server, path):
    """The burst that holds for the path, or None where no rule does."""
    return ask_http(server.http, "POST", "/v1/peek", {"request": {"path": path}}).json().get("limit")


def readiness(server):
    return ask_http(server.admin, "GET", "/readyz").json()


def metric(server, name):
    lines = ask_http(server.admin, "GET", "/metrics").body.decode().splitlines()
    return [float(line.split()[1]) for line in lines if line.startswith(name + " ")]


class Folder(unittest.TestCase):
    def setUp(self):
        self.above = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = self.above / "rules.d"
        self.folder.mkdir()

    def write(self, name, rules):
        """Whole or not at all, as whoever serves a folder should."""
        fresh = self.above / "fresh"
        fresh.write_text(rules if isinstance(rules, str) else json.dumps(rules))
        os.replace(fresh, self.folder / name)

    def publish(self, stamp, files):
        """As kubelet writes a ConfigMap: NAME -> ..data/NAME, and one rename that leads ..data elsewhere."""
        (self.folder / stamp).mkdir()
        for name, rules in files.items():
            (self.folder / stamp / name).write_text(json.dumps(rules))
        (self.folder / "..data_tmp").symlink_to(stamp)
        os.replace(self.folder / "..data_tmp", self.folder / "..data")
        for name in files:
            with contextlib.suppress(FileExistsError):
                (self.folder / name).symlink_to(f"..data/{name}")

    def serving(self):
        return serving("--rules", str(self.folder), "--admin", "127.0.0.1:0")

    def test_all_files_are_in_force_and_one_that_comes_or_goes_within_a_second(self):
        self.write("a.json", policy("a", 10))
        self.write("b.yaml", policy("b", 20))
        with self.serving() as server:
            self.assertEqual([limit_of(server, "/a"), limit_of(server, "/b"), limit_of(server, "/c")], [10, 20, None])
            spent = ask_http(server.http, "POST", "/v1/check", {"request": {"path": "/a"}, "cost": 4})
            self.assertEqual(spent.json()["remaining"], 6)
            self.write("c.yml", policy("c", 30))
            until(lambda: limit_of(server, "/c") == 30, "the rules of a new file", SECOND)
            (self.folder / "b.yaml").unlink()
            until(lambda: limit_of(server, "/b") is None, "the rules of a file that is gone to go", SECOND)
            (self.folder / "c.yml").rename(self.folder / "c.yml.off")
            until(lambda: limit_of(server, "/c") is None, "the rules of a renamed file to go", SECOND)
            left = ask_http(server.http, "POST", "/v1/peek", {"request": {"path": "/a"}}).json()
            self.assertEqual(int(left["remaining"]), 6)

    def test_one_bad_file_keeps_the_rules_of_all_and_says_so(self):
        self.write("a.json", policy("a", 10))
        with self.serving() as server:
            server.expect(str(self.folder))
            self.write("b.json", policy("a", 20))
            self.write("a.json", policy("a", 0))
            until(lambda: len(readiness(server)["checks"]["rules"]["faults"]) == 2, "both faults")
            self.assertEqual(limit_of(server, "/a"), 10)
            self.assertTrue(server.messages("error"))
            report = readiness(server)
            self.assertEqual((report["status"], report["checks"]["rules"]["status"]), ("degraded", "degraded"))
            faults = report["checks"]["rules"]["faults"]
            self.assertTrue(faults[0].startswith(f"{self.folder}/a.json:1:"), faults)
            self.assertIn("burst must be greater than 0, but is 0", faults[0])
            self.assertTrue(faults[1].startswith(f"{self.folder}/b.json:1:"), faults)
            self.assertIn(f"the policy 'a' is there twice, the first time in line 1 of {self.folder}/a.json", faults[1])
            self.assertEqual(metric(server, "sluice_rules_current"), [0])
            (self.folder / "b.json").unlink()
            self.write("a.json", policy("a", 40))
            until(lambda: limit_of(server, "/a") == 40, "the mended rules", SECOND)
            until(lambda: readiness(server)["status"] == "ready", "readiness", SECOND)
            self.assertEqual(metric(server, "sluice_rules_current"), [1])

    def test_a_swapped_configmap_brings_all_its_files_at_once(self):
        self.publish("..1", {"a.yaml": policy("a", 10), "b.yaml": policy("b", 10)})
        with self.serving() as server:
            self.assertEqual([limit_of(server, "/a"), limit_of(server, "/b")], [10, 10])
            self.publish("..2", {"a.yaml": policy("b", 20), "b.yaml": policy("a", 20)})
            until(lambda: limit_of(server, "/a") == 20, "the swapped rules", SECOND)
            self.assertEqual(limit_of(server, "/b"), 20)
            self.publish("..3", {"a.yaml": policy("a", 30), "b.yaml": policy("b", 30), "c.yaml": policy("c", 30)})
            until(lambda: limit_of(server, "/c") == 30, "the rules of a new file", SECOND)
            self.assertEqual([limit_of(server, "/a"), limit_of(server, "/b")], [30, 30])

    def test_sighup_reads_the_folder_again(self):
        self.write("a.json", policy("a", 10))
        with self.serving() as server:
            server.signal(signal.SIGHUP)
            server.wait_for("rules in force", 2)
            self.assertEqual(limit_of(server, "/a"), 10)

    def test_an_emptied_folder_keeps_the_rules(self):
        self.write("a.json", policy("a", 10))
        with self.serving() as server:
            server.expect(str(self.folder))
            (self.folder / "a.json").unlink()
            until(lambda: server.messages("error"), "word of it")
            self.assertIn("the folder has no rules", server.messages("error")[0])
            self.assertEqual(limit_of(server, "/a"), 10)

    def test_nothing_is_served_from_an_empty_folder_or_one_with_faults(self):
        self.write("README.md", "no rules")
        ended = refusing("--rules", str(self.folder))
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"{self.folder}: the folder has no rules: no file in it ends in .json, .yaml or .yml", ended.stderr)
        self.write("a.json", policy("a", 10))
        self.write("b.json", policy("a", 10))
        ended = refusing("--rules", str(self.folder))
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"{self.folder}/b.json:1:", ended.stderr)
        self.assertIn(f"'sluice rules lint {self.folder}' checks them", ended.stderr)


if __name__ == "__main__":
    unittest.main()
