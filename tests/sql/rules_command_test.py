"""`sluice rules` on the command line, the same on SQLite, on PostgreSQL and through a running server."""

import contextlib
import json
import os
import pathlib
import pwd
import sqlite3
import tempfile
import unittest

import cluster
from tables import TOKEN, database, folder, serving_tables, sluice

USER = "user:{user_id}"
FILE = {
    "rules": [
        {"key_pattern": USER, "rate_per_second": 10, "burst_capacity": 50},
        {"key_pattern": USER, "rate_per_second": 100.5, "burst_capacity": 500, "plan": "pro", "description": "it's \"ours\""},
        {"key_pattern": "ip:{ip}", "rate_per_second": 5, "burst_capacity": 5, "is_active": False},
        {"name": "login", "limit_keys": ["ip:address/24"], "match": {"path": "/login", "method": ["POST", "PUT"]},
         "algorithm": "sliding_window_log", "algorithm_config": {"limit": 20, "window_seconds": 3600}},
    ],
    "headers": ["ietf", "x"],
    "trusted_proxies": ["10.0.0.0/8"],
}
POLICIES = {
    "policies": [
        {"id": "api", "selector": {"pathPrefix": "/v1/"}, "mode": "shadow",
         "rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 10, "burst": 20}}]},
    ],
    "kill_switches": [{"key": "header:x-api-key", "value": "leaked"}],
}


class Commands:
    """What each place must pass: `self.place` are the options that name it, `self.who` whom the history names."""

    role = ""  # what the history tells beside that

    def run_rules(self, *arguments, text=None, place=None):
        return sluice("rules", *arguments, *(self.place if place is None else place), text=text, cwd=self.folder,
                      **self.variables)

    def done(self, *arguments, **how):
        ended = self.run_rules(*arguments, **how)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), arguments)
        return ended.stdout

    def refused(self, code, message, *arguments, **how):
        before = self.listed()
        ended = self.run_rules(*arguments, **how)
        self.assertEqual((ended.returncode, ended.stdout), (code, ""), (arguments, ended.stderr))
        self.assertRegex(ended.stderr, message)
        self.assertEqual(self.listed(), before)

    def listed(self):
        return json.loads(self.done("list", "--json"))

    def written(self, name, content):
        path = pathlib.Path(self.folder) / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def test_a_rule_is_added_shown_changed_and_removed(self):
        self.assertRegex(self.done("list"), "no rules: .*rules add")
        self.assertEqual(self.done("add", USER, "--rate", 10, "--burst", 50),
                         "added rule 1 user:{user_id}: 10/s, 50 at once\n")
        added = json.loads(self.done("add", USER, "--rate", 0.5, "--burst", 500, "--plan", "pro", "--description", "they pay",
                                     "--json"))
        self.assertEqual((added["rule_id"], added["rate_per_second"], added["plan"], added["version"]), (2, 0.5, "pro", 1))
        self.assertEqual(self.done("set", USER + "@pro", "--rate", 200), "set rule 2 user:{user_id}@pro: 200/s, 500 at once\n")
        self.assertEqual(self.done("set", 1, "--inactive"), "set rule 1 user:{user_id}: 10/s, 50 at once, not active\n")
        first, second = self.listed()
        self.assertEqual((first["is_active"], first["version"]), (False, 2))
        self.assertEqual((second["rate_per_second"], second["description"], second["version"]), (200, "they pay", 2))
        table = self.done("list")
        self.assertRegex(table, r"user:\{user_id\} +2 +pro +200 +500 +yes")
        self.assertRegex(table, r"user:\{user_id\} +1 +10 +50 +no")
        self.done("set", 1, "--active", "--burst", 60)
        self.assertEqual(self.done("remove", USER + "@pro"), "removed rule 2 user:{user_id}@pro: 200/s, 500 at once\n")
        self.assertEqual([(row["rule_id"], row["burst_capacity"], row["is_active"]) for row in self.listed()], [(1, 60, True)])

    def test_rules_and_policies_of_the_whole_language_come_from_files(self):
        policy = POLICIES["policies"][0]
        self.done("add", "--file", self.written("policy.json", policy))
        self.done("add", "--file", "-", text=json.dumps(FILE["rules"][3]))
        self.assertEqual(self.listed()[0]["rules"], policy["rules"])
        self.done("set", "rule:login", "--file", "-", text='{"algorithm_config": {"limit": 30}}')
        self.assertEqual(self.listed()[1]["algorithm_config"], {"limit": 30, "window_seconds": 3600})
        self.done("remove", "policy:api")
        self.assertEqual([row["name"] for row in self.listed()], ["login"])

    def test_a_file_with_one_field_twice_or_none_that_ends_is_told_with_its_place(self):
        rule = '{"name": "x", "limit_keys": [],\n "algorithm_config": {"rps": 1, "burst": 1},\n "algorithm_config": {"rps": 9, "burst": 1}}'
        self.refused(2, "twice.json:3:2: 'algorithm_config' is given twice", "add", "--file", self.written("twice.json", rule))
        self.refused(2, r"cut.json:2:\d+: ", "add", "--file", self.written("cut.json", '{"name": "x",\n "limit_keys"'))

    def test_a_change_of_the_top_level_is_of_no_rule(self):
        rule = {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1}
        self.done("import", self.written("rules.json", {"headers": ["x"], "rules": [rule]}))
        changes = json.loads(self.done("history", "--json"))
        self.assertEqual([(one["subject"], one["rule_id"]) for one in changes], [("headers", None), ("global", 1)])

    def test_the_history_says_who_changed_what(self):
        self.done("add", "global", "--rate", 10, "--burst", 50)
        self.done("set", "global", "--rate", 20)
        self.done("add", "ip:{ip}", "--rate", 1, "--burst", 1)
        self.done("remove", "global")
        lines = self.done("history").splitlines()
        self.assertEqual(len(lines), 4)
        at = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d  "
        who = self.who + self.role
        self.assertRegex(lines[0], at + who + " removed global: 20/s, 50 at once$")
        self.assertRegex(lines[1], at + who + r" created ip:\{ip\}: 1/s, 1 at once$")
        self.assertRegex(lines[2], at + who + " changed global: rate_per_second: 10 -> 20$")
        self.assertRegex(lines[3], at + who + " created global: 10/s, 50 at once$")
        changes = json.loads(self.done("history", "1", "--json"))
        self.assertEqual([(one["kind"], one["changed_by"]) for one in changes],
                         [("removed", self.who), ("changed", self.who), ("created", self.who)])
        self.assertEqual((changes[1]["before"]["rate_per_second"], changes[1]["after"]["rate_per_second"]), (10, 20))
        self.assertIsNone(changes[0]["after"])
        self.assertEqual(len(json.loads(self.done("history", "--limit", 2, "--json"))), 2)

    def test_an_import_merges_and_replaces(self):
        file = self.written("rules.json", FILE)
        self.assertRegex(self.done("import", file), r"rules\.json: \d+ added, 0 changed, 0 removed, 0 as they were\n$")
        before = self.listed()
        self.assertEqual(len(before), 4)
        self.assertRegex(self.done("import", file), r"rules\.json: 0 added, 0 changed, 0 removed, \d+ as they were\n$")
        self.assertEqual(self.listed(), before)
        small = {"rules": [{"key_pattern": USER, "rate_per_second": 11, "burst_capacity": 50},
                           {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1}]}
        self.assertRegex(self.done("import", "-", text=json.dumps(small)), "1 added, 1 changed, 0 removed")
        self.assertEqual(len(self.listed()), 5)
        self.assertEqual((self.listed()[0]["rule_id"], self.listed()[0]["rate_per_second"]), (before[0]["rule_id"], 11))
        self.assertRegex(self.done("import", "--replace", "-", text=json.dumps(small)), "0 added, 0 changed, [0-9]+ removed")
        self.assertEqual([row["key_pattern"] for row in self.listed()], [USER, "global"])
        self.assertEqual(json.loads(self.done("export")), small)

    def test_an_import_of_yaml_says_the_same(self):
        text = "rules:\n  - {key_pattern: 'user:{user_id}', rate_per_second: 2, burst_capacity: 3, plan: 'no'}\n"
        self.done("import", self.written("rules.yaml", text))
        self.assertEqual([(row["plan"], row["rate_per_second"]) for row in self.listed()], [("no", 2)])

    def test_what_is_exported_and_imported_into_an_empty_database_is_exported_again_as_it_was(self):
        for content in (FILE, POLICIES):
            self.done("import", "--replace", "-", text=json.dumps(content))
            exported = self.done("export")
            self.assertEqual(json.loads(exported), content)
            with folder() as empty:
                place = ["--data-dir", str(empty / "fresh")]
                self.assertEqual(sluice("rules", "import", "-", *place, text=exported).returncode, 0)
                self.assertEqual(sluice("rules", "export", *place).stdout, exported)
            out = pathlib.Path(self.folder) / "out.json"
            self.assertEqual(self.done("export", "--out", out), "")
            self.assertEqual(out.read_text(), exported)

    def test_numbers_in_conditions_are_exported_as_they_were_written(self):
        rule = ('{"name": "%s", "limit_keys": ["path"], "match": {"attr:a": %s}, '
                '"algorithm_config": {"rps": 1.50, "burst": 1e1}}')
        numbers = ["1.0", "[1e3, 1E+3, -0, 0.10]", "12345678901234567890", '{"equals": 123456789012345678901234567890}']
        for number in numbers:
            self.done("import", "--replace", "-", text='{"rules": [%s]}' % (rule % ("r", number)))
            self.assertIn('"attr:a": ' + number, self.done("export"))
            self.assertIn('{"rps": 1.50, "burst": 1e1}', self.done("export"))
        for number in numbers:
            self.done("set", "rule:r", "--file", "-", text='{"match": {"attr:a": %s}}' % number)
            self.assertIn('"attr:a": ' + number, self.done("export"))
        self.done("remove", "rule:r")
        self.done("add", "--file", "-", text=rule % ("r", numbers[0]))
        self.assertIn('"attr:a": ' + numbers[0], self.done("export"))

    def test_an_empty_database_is_exported_as_no_rules_which_lint_and_import_take(self):
        exported = self.done("export")
        self.assertEqual(json.loads(exported), {"rules": []})
        linted = sluice("rules", "lint", "-", text=exported)
        self.assertEqual((linted.returncode, linted.stdout), (0, "-: 0 policies, 0 rules, 0 limits\n"))
        self.done("add", USER, "--rate", 10, "--burst", 50)
        self.done("import", "-", text=exported)
        self.assertEqual(len(self.listed()), 1)
        self.done("import", "--replace", "-", text=exported)
        self.assertEqual(self.listed(), [])

    def test_what_is_wrong_is_told_and_changes_nothing(self):
        self.done("add", USER, "--rate", 10, "--burst", 50)
        add, set_one = ("add", "global"), ("set", 1)
        self.refused(2, "key_pattern must have {a name}, or be .*but is 'nonsense'", "add", "nonsense", "--rate", 1, "--burst", 1)
        self.refused(2, "key_pattern has a bracket without its other half", "add", "user:{", "--rate", 1, "--burst", 1)
        self.refused(2, "rate_per_second must be greater than 0, but is 0", *add, "--rate", 0, "--burst", 1)
        self.refused(2, "rate_per_second must be greater than 0, but is -1", *set_one, "--rate=-1")
        self.refused(2, "burst_capacity must be .*1e9|at most", *set_one, "--burst", "1e12")
        self.refused(2, "burst_capacity is missing", *add, "--rate", 1)
        self.refused(2, "--rate", *set_one, "--rate", "fast")
        for number in ("nan", "inf", "1e400"):
            self.refused(2, "rate.* number", *set_one, "--rate", number)
            self.refused(2, "burst.* number", *add, "--rate", "1", "--burst", number)
        self.refused(2, "this pattern and plan|this key_pattern and plan", "add", USER, "--rate", 1, "--burst", 1)
        self.refused(2, "say what to change", *set_one)
        self.refused(2, "say which rule", "add")
        self.refused(1, "there is no rule 'nope'", "set", "nope", "--rate", 1)
        self.refused(1, "there is no rule '99'", "remove", 99)
        self.refused(1, "there is no rule 'nope'", "history", "nope")
        self.refused(2, "expected a JSON object", "add", "--file", "-", text="[1]")
        self.refused(2, "no/such/file", "add", "--file", "no/such/file")
        # A server knows the text, but not the file.
        name = "" if "--admin" in self.place else r"bad\.json:"
        self.refused(2, name + r"1:28: rules\[0\]\.key_pattern: key_pattern must have", "import",
                     self.written("bad.json", {"rules": [{"key_pattern": "x"}]}))
        self.refused(2, name + r"1:\d+: ", "import", self.written("bad.json", '{"rules": ['))


class OnSqlite(Commands, unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="sluice_sql_"))
        self.place = []  # sluice-data, where it is run
        self.variables = {}
        self.who = pwd.getpwuid(os.getuid()).pw_name

    def test_a_rule_with_a_large_id_is_the_one_that_is_removed(self):
        self.done("add", USER, "--rate", 10, "--burst", 50)
        with contextlib.closing(sqlite3.connect(pathlib.Path(self.folder) / "sluice-data" / "sluice.db")) as table, table:
            table.execute("INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity)"
                          " VALUES (4294967297, 'global', 1, 1)")
        self.done("remove", "global")
        self.assertEqual([row["key_pattern"] for row in self.listed()], [USER])

    def test_the_database_is_where_it_was_named(self):
        for number, (place, variables) in enumerate([
                (["--rules", "sqlite:a.db"], {}), (["--data-dir", "b"], {}), ([], {"SLUICE_RULES": "sqlite:c.db"}),
                ([], {"SLUICE_DATA_DIR": "d"})]):
            self.assertEqual(sluice("rules", "add", "global", "--rate", 1, "--burst", number + 1, *place, cwd=self.folder,
                                    **variables).returncode, 0)
        for number, file in enumerate(("a.db", "b/sluice.db", "c.db", "d/sluice.db")):
            self.assertEqual(json.loads(self.done("list", "--json", place=["--rules", f"sqlite:{file}"]))[0]["burst_capacity"],
                             number + 1)

    def test_a_mistyped_file_is_not_made_but_by_who_adds(self):
        typed = ["--rules", "sqlite:typo.db"]
        for command in (["list"], ["history"], ["export"], ["set", "1", "--rate", 2], ["remove", "1"]):
            ended = self.run_rules(*command, place=typed)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertRegex(ended.stderr, "sluice rules: there is no typo.db\n  hint: ")
        self.assertFalse((pathlib.Path(self.folder) / "typo.db").exists())
        self.done("add", "global", "--rate", 1, "--burst", 1, place=typed)

    def test_a_place_that_is_no_database_is_named(self):
        self.written("rules.json", FILE)
        self.written("text.db", "no database at all")
        for code, message, place in (
                (1, "there is no folder no/such for no/such/rules.db", ["--rules", "sqlite:no/such/rules.db"]),
                (1, "text.db is not a SQLite database", ["--rules", "sqlite:text.db"]),
                (1, "is a folder", ["--rules", "sqlite:."]),
                (2, "--rules must be a database, but is the file rules.json", ["--rules", "rules.json"]),
                (2, "--rules must be a database, but is the folder .", ["--rules", "."]),
                (2, "--rules must be .*, but is 'mysql://a/b'", ["--rules", "mysql://a/b"]),
                (1, "cannot connect to PostgreSQL at 127.0.0.1:1/x", ["--rules", "postgres://u:secret@127.0.0.1:1/x"]),
                (1, "http://127.0.0.1:1 does not answer", ["--admin", "http://127.0.0.1:1"]),
                (2, "--admin must be a URL, but is 'localhost'", ["--admin", "localhost"])):
            ended = self.run_rules("list", place=place)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
            self.assertRegex(ended.stderr, message)
            self.assertRegex(ended.stderr, "\n  hint: ")
            self.assertNotIn("secret", ended.stderr)


class OnPostgres(Commands, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(cluster.running())
        cls.databases = 0

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="sluice_sql_"))
        type(self).databases += 1
        self.database = f"d{self.databases}"
        self.place = ["--rules", self.cluster.create_database(self.database)]
        self.variables = {}
        self.who = pwd.getpwuid(os.getuid()).pw_name
        self.role = r" \(as sluice\)"

    def test_a_database_that_is_not_there_is_named(self):
        ended = self.run_rules("list", place=["--rules", self.cluster.url("nowhere")])
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertRegex(ended.stderr, 'database "nowhere" does not exist')

    def test_who_uses_psql_is_in_the_history_too(self):
        self.done("add", "global", "--rate", 10, "--burst", 50)
        self.cluster.psql("UPDATE rate_limit_rule SET rate_per_second = 20", self.database)
        self.assertRegex(self.done("history").splitlines()[0], r"\S+ changed global: rate_per_second: 10 -> 20")
        with self.assertRaisesRegex(AssertionError, "rate_per_second is above 0"):
            self.cluster.psql("UPDATE rate_limit_rule SET rate_per_second = 'NaN'", self.database)


class ThroughAServer(Commands, unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="sluice_sql_"))
        data = self.enterContext(folder())
        self.server = self.enterContext(serving_tables(data))
        self.place = ["--admin", f"http://127.0.0.1:{self.server.admin}"]
        self.variables = {"SLUICE_ADMIN_TOKEN": TOKEN}
        self.who = "admin"
        self.assertTrue(database(data).exists())

    def test_who_has_no_token_is_told_how_to_give_it(self):
        for variables in ({}, {"SLUICE_ADMIN_TOKEN": "wrong"}):
            ended = sluice("rules", "add", "global", "--rate", 1, "--burst", 1, *self.place, **variables)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertRegex(ended.stderr, "says 401: .*\n  hint: give the token with --token-file FILE, or set SLUICE_ADMIN_TOKEN")
        token_file = self.written("token", TOKEN + "\n")
        ended = sluice("rules", "add", "global", "--rate", 1, "--burst", 1, *self.place, "--token-file", token_file)
        self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()
