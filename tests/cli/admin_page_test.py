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


def edits():
    """Commands on rules in a database, in their order; each with the JSON that the page shows as its answer, if it does."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S))
    for block, following in zip(blocks, blocks[1:]):
        if block[1] != "sh":
            continue
        *first, last = block[2].replace("\\\n", "").splitlines()
        is_answered = following[1] == "json" and text[block.end() :].lstrip().startswith("The answer ")
        yield from ((command, None) for command in first)
        yield last, following[2] if is_answered else None


def through(server, command):
    """What it prints when its ports are those of the server."""
    for door, port in (("http", 8080), ("admin", 8090)):
        command = command.replace(f"127.0.0.1:{port}", f"127.0.0.1:{server.ports[door]}")
    return subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", env=environment(), timeout=60)


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
                found = through(server, command).stdout
                if told.startswith("{"):
                    self.assertTrue(fits(json.loads(found), json.loads(told)), f"{command}\n{found}")
                else:
                    self.assertEqual(found, told, command)
                count += 1
        self.assertGreaterEqual(count, 10)

    def test_every_edit_of_rules_is_done_and_answered_as_it_says(self):
        with Server(SLUICE_ADMIN_TOKEN="secret") as server:
            # The page's own rule is the seventh.
            for number in range(6):
                rule = {"key_pattern": "global", "plan": str(number), "rate_per_second": 1, "burst_capacity": 1}
                self.assertEqual(server.admin("/admin/v1/rules", method="POST", body=rule, token="secret")[0], 201)
            shown = 0
            commands = list(edits())
            for command, told in commands:
                done = through(server, command.replace("curl -s", "curl -s --fail"))
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
                if told:
                    shown += 1
                    found, told = json.loads(done.stdout), json.loads(told)
                    for times in (found, told):
                        del times["created_at"], times["updated_at"]
                    self.assertEqual(found, told, command)
            self.assertEqual((len(commands), shown), (4, 1))
            left = json.loads(server.admin("/admin/v1/rules")[1])["rules"]
            self.assertEqual([rule["rule_id"] for rule in left], [1, 2, 3, 4, 5, 6])

    def test_every_path_of_the_index_has_a_row(self):
        rows = set(re.findall(r"^\| `(?:GET|POST) (\S+)` \|", PAGE.read_text(encoding="utf-8"), re.M))
        with Server() as server:
            self.assertEqual(rows - {"/"}, set(json.loads(server.admin("/")[1])["paths"]))


if __name__ == "__main__":
    unittest.main()
