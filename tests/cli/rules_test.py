"""`sluice rules` from the command line, and the page that describes the language."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from program import SLUICE, environment, run

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "rules.md"
GOOD_RULE = '{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}'
GOOD = '{"rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}'


def lint(text, *arguments):
    """Lints what stands on stdin."""
    return subprocess.run(
        [SLUICE, "rules", "lint", "-", *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        timeout=60,
    )


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_tells_what_a_good_file_holds(self):
        path = self.write("good.json", GOOD)
        result = run("rules", "lint", path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{path}: 1 policy, 1 rule, 1 limit\n")

    def test_tells_all_ten_faults_of_a_file_in_its_order(self):
        path = str(HERE / "ten_faults.json")
        result = run("rules", "lint", path)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        lines = [line for line in result.stderr.splitlines() if not line.startswith("  hint: ")]
        expected = [
            ("3:11", "policies[0].id", "id must be 1 to 64 of A-Z a-z 0-9 . _ -, but is 'public api'"),
            ("4:32", "policies[0].selector.pathPrefix", "a path must begin with /, but is 'v1/'"),
            ("6:86", "policies[0].rules[0].algorithm_config.burts", "'burts' is no field of algorithm_config"),
            ("7:76", "policies[0].rules[1].algorithm_config.rps", "rps must be greater than 0, but is 0"),
            ("8:90", "policies[0].rules[2].algorithm_config.burst", "burst must be a number, but is the string '20'"),
            (
                "9:63",
                "policies[0].rules[3].algorithm",
                "algorithm must be token_bucket, leaky_bucket, leaky_queue, fixed_window, sliding_window_log or "
                "sliding_window_counter, but is the string 'fixed-window'",
            ),
            (
                "11:41",
                "policies[0].rules[4].limit_keys[0]",
                "'headers:x-api-key' is no source of a value; expected 'header:x-api-key'?",
            ),
            (
                "12:86",
                "policies[0].rules[5].algorithm_config.rps",
                "'rps' is given twice, the first time in line 12",
            ),
            (
                "14:7",
                "policies[0].rules[7]",
                "the rule 'pro' can never apply: the rule 'free' in line 13 has the same limit_keys, is asked first, "
                "and holds whenever it does",
            ),
            ("16:7", "policies[0].rules[8]", "name is missing"),
        ]
        self.assertEqual(lines[:-1], [f"{path}:{place}: {field}: {message}" for place, field, message in expected])
        self.assertEqual(lines[-1], f"{path}: 10 faults")
        self.assertIn("  hint: did you mean 'burst'?\n", result.stderr)

    def test_several_files_are_all_told_and_one_bad_one_is_exit_2(self):
        good = self.write("good.yaml", "rules: [{name: a, limit_keys: [], algorithm_config: {rps: 1, burst: 1}}]")
        bad = self.write("bad.yaml", "policies: []\n")
        result = run("rules", "lint", good, bad, good)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.count("1 policy, 1 rule, 1 limit"), 2)
        self.assertEqual(
            result.stderr,
            f"{bad}:1:11: policies: policies must not be empty\n  hint: leave it out, or fill it\n{bad}: 1 fault\n",
        )

    def test_a_file_that_is_not_there_is_told(self):
        result = run("rules", "lint", str(self.folder / "none.json"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("none.json: the file cannot be read: No such file or directory\n", result.stderr)

    def test_the_files_of_a_folder_are_one_set(self):
        self.write("a.json", GOOD)
        self.write("b.yaml", "rules: [{name: other, limit_keys: [path], algorithm_config: {rps: 1, burst: 1}}]")
        self.write("notes.md", "no rules")
        result = run("rules", "lint", str(self.folder))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{self.folder}: 1 policy, 2 rules, 2 limits\n")

    def test_all_faults_of_a_folder_are_told_each_with_its_file(self):
        first = self.write("a.json", GOOD)
        second = self.write("b.json", GOOD)
        third = self.write("c.yaml", "policies: []\n")
        result = run("rules", "lint", str(self.folder))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        lines = [line for line in result.stderr.splitlines() if not line.startswith("  hint: ")]
        self.assertEqual(
            lines,
            [
                f"{second}:1:12: rules[0]: the rule 'all' is there twice, the first time in line 1 of {first}",
                f"{second}:1:12: rules[0]: the rule 'all' can never apply: the rule 'all' in line 1 of {first} has the "
                "same limit_keys, is asked first, and holds whenever it does",
                f"{third}:1:11: policies: policies must not be empty",
                f"{self.folder}: 3 faults",
            ],
        )
        report = json.loads(run("rules", "lint", "--json", str(self.folder)).stdout)["files"][0]
        self.assertEqual((report["file"], report["ok"]), (str(self.folder), False))
        self.assertEqual([fault["file"] for fault in report["faults"]], [second, second, third])

    def test_a_folder_without_rules_says_what_was_looked_for(self):
        result = run("rules", "lint", str(self.folder))
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{self.folder}: the folder has no rules: no file in it ends in .json, .yaml or .yml", result.stderr)

    def test_reads_stdin(self):
        self.assertEqual(lint(GOOD).stdout, "-: 1 policy, 1 rule, 1 limit\n")
        result = lint("rules:\n  - 7\n")
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith("<stdin>:2:5: rules[0]: each of rules must be an object, but is 7\n"))

    def test_says_which_kill_switches_have_expired(self):
        text = GOOD[:-1] + ', "kill_switches": [{"key": "path", "value": "/a", "expires_at": 1},'
        text += ' {"key": "path", "value": "/b", "expires_at": "2999-01-01T00:00:00Z"}]}'
        self.assertIn("2 kill switches (1 expired, and may be taken out)\n", lint(text).stdout)

    def test_says_what_has_no_effect(self):
        off = '{"id": "off", "is_active": false, "rules": [' + GOOD_RULE + "]}"
        shadow = '{"id": "p", "mode": "shadow", "kill_switches": [{"key": "path", "value": "/a"}], "rules": ['
        shadow += GOOD_RULE + ', {"name": "z", "is_active": false, ' + GOOD_RULE.split(",", 1)[1] + "]}"
        self.assertEqual(
            lint('{"policies": [' + off + ", " + shadow + "]}").stdout,
            "-: 1 policy, 1 rule, 1 limit; not active: 1 policy, 1 rule; without effect: 1 kill switch in shadow\n",
        )

    def test_json_is_for_programs(self):
        good = self.write("good.json", GOOD)
        bad = str(HERE / "ten_faults.json")
        result = run("rules", "lint", "--json", good, bad)
        self.assertEqual((result.returncode, result.stderr), (2, ""))
        first, second = json.loads(result.stdout)["files"]
        self.assertEqual(
            first,
            {
                "file": good,
                "ok": True,
                "policies": 1,
                "rules": 1,
                "limits": 1,
                "kill_switches": 0,
                "expired_kill_switches": 0,
                "not_active": {"policies": 0, "rules": 0},
                "kill_switches_in_shadow": 0,
                "notes": [],
            },
        )
        self.assertEqual((second["file"], second["ok"], len(second["faults"])), (bad, False, 10))
        self.assertEqual(
            second["faults"][2],
            {
                "file": bad,
                "line": 6,
                "column": 86,
                "field": "policies[0].rules[0].algorithm_config.burts",
                "message": "'burts' is no field of algorithm_config",
                "hint": "did you mean 'burst'?",
            },
        )

    def test_bytes_that_are_no_text_are_told_as_text(self):
        path = self.folder / "bytes.json"
        path.write_bytes(b'{"rules": "\xff"}')
        for arguments in ([], ["--json"]):
            result = run("rules", "lint", str(path), *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("must be UTF-8", result.stdout + result.stderr)

    def test_the_examples_of_its_help_run(self):
        text = run("rules", "lint", "--help").stdout
        example = text[text.index("  echo ") :]
        command = example.replace("| sluice", f"| '{SLUICE}'")
        result = subprocess.run(["sh", "-c", command], capture_output=True, env=environment(), timeout=60)
        self.assertEqual((result.returncode, result.stdout), (0, b"-: 1 policy, 1 rule, 1 limit\n"))

    def test_bad_usage_says_what_to_do(self):
        for arguments, message in (
            (["rules"], "sluice rules: say what to do: lint, schema, list, add, set, remove, import, export or history"),
            (["rules", "lint"], "sluice rules: FILE is required"),
            (["rules", "frobnicate"], "sluice rules: did not expect 'frobnicate'"),
        ):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertEqual(result.stderr.splitlines()[0], message)


class Schema(unittest.TestCase):
    def test_is_printed_as_it_is_kept(self):
        kept = (PAGE.parent / "rules.schema.json").read_text(encoding="utf-8")
        self.assertEqual(run("rules", "schema").stdout, kept)


class Page(unittest.TestCase):
    def test_every_example_is_a_good_file(self):
        examples = blocks("json") + blocks("yaml")
        self.assertGreaterEqual(len(examples), 10)
        for example in examples:
            result = lint(example)
            self.assertEqual((result.returncode, result.stderr), (0, ""), example)

    def test_names_every_field_choice_and_default_of_the_language(self):
        text = PAGE.read_text(encoding="utf-8")
        schema = json.loads((PAGE.parent / "rules.schema.json").read_text(encoding="utf-8"))
        objects = [schema, *(value for value in schema["$defs"].values() if "properties" in value)]
        for definition in objects:
            for name, field in definition["properties"].items():
                self.assertRegex(text, rf"[`\"]{re.escape(name)}[`\"]")
                for choice in field.get("enum", field.get("items", {}).get("enum", [])):
                    self.assertIn(f"`{choice}`", text)


if __name__ == "__main__":
    unittest.main()
