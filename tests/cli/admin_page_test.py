"""Every example of docs/admin.md prints what it says it prints."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from program import environment
from serving import Server

PAGE = pathlib.Path(os.environ["SLUICE_DOCS"]) / "admin.md"


def examples():
    """Pairs of command and what it prints, in their order."""
    for block in re.findall(r"^```\n(\$ .*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S):
        for example in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = example.partition("\n")
            yield command, printed


def fits(found, told):
    """`...` stands for any value."""
    if told == "...":
        return True
    if isinstance(told, dict):
        return isinstance(found, dict) and found.keys() == told.keys() and all(fits(found[k], told[k]) for k in told)
    if isinstance(told, list):
        return isinstance(found, list) and len(found) == len(told) and all(map(fits, found, told))
    return found == told


class Page(unittest.TestCase):
    def test_every_example_prints_what_it_says(self):
        count = 0
        with Server(arguments=["--demo"], SLUICE_ADMIN_TOKEN="secret") as server:
            for command, told in examples():
                for door, port in (("http", 8080), ("admin", 8090)):
                    command = command.replace(f"127.0.0.1:{port}", f"127.0.0.1:{server.ports[door]}")
                found = subprocess.run(
                    ["sh", "-c", command], capture_output=True, encoding="utf-8", env=environment(), timeout=60
                ).stdout
                if told.startswith("{"):
                    self.assertTrue(fits(json.loads(found), json.loads(told)), f"{command}\n{found}")
                else:
                    self.assertEqual(found, told, command)
                count += 1
        self.assertGreaterEqual(count, 10)

    def test_every_path_of_the_index_has_a_row(self):
        rows = set(re.findall(r"^\| `(?:GET|POST) (\S+)` \|", PAGE.read_text(encoding="utf-8"), re.M))
        with Server() as server:
            self.assertEqual(rows - {"/"}, set(json.loads(server.admin("/")[1])["paths"]))


if __name__ == "__main__":
    unittest.main()
