"""The published schema of rules files agrees with `sluice rules lint` where a schema can tell."""

import json
import re
import unittest

import jsonschema
from rules_test import HERE, PAGE, blocks, lint

SCHEMA = json.loads((PAGE.parent / "rules.schema.json").read_text(encoding="utf-8"))

RULE = {"name": "r", "limit_keys": ["path"], "algorithm_config": {"rps": 1, "burst": 1}}
ROW = {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 1}

GOOD = [
    RULE,
    ROW,
    {**RULE, "match": {"attr:plan": "pro", "jwt:tier": 7, "method": ["GET"], "path": {"prefix": ["/a", "/b"]}}},
    {**RULE, "match": {"ip:address": {"cidr": "10.0.0.0/8"}}, "priority": -5, "mode": "shadow"},
    {**RULE, "limit_keys": [], "description": "x"},
    {**ROW, "plan": None, "scope": "global", "is_active": False, "description": None},
    {"name": "r", "limit_keys": [], "limits": [{"rps": 1, "burst": 1}, {"algorithm": "fixed_window", "limit": 1, "window_seconds": 60}]},
]

BAD = [
    7,
    {},
    {**RULE, "colour": "red"},
    {**RULE, "name": 7},
    {**RULE, "limit_keys": ["headers:x"]},
    {**RULE, "limit_keys": "path"},
    {**RULE, "match": {"plan": "pro"}},
    {**RULE, "match": {"attr:plan": None}},
    {**RULE, "match": {"attr:plan": []}},
    {**RULE, "match": {"attr:plan": {"like": "x"}}},
    {**RULE, "mode": "off"},
    {**RULE, "priority": 1.5},
    {**RULE, "algorithm_config": {"rps": 0, "burst": 1}},
    {**RULE, "algorithm_config": {"rps": 1e10, "burst": 1}},
    {**RULE, "algorithm_config": {"rps": "1", "burst": 1}},
    {**RULE, "limits": []},
    {**RULE, "key_pattern": "global"},
    {**ROW, "is_active": "yes"},
    {**ROW, "rate_per_second": 0},
    {"key_pattern": "global", "rate_per_second": 1},
]


def is_valid(document):
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


class Agreement(unittest.TestCase):
    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_good_rules_are_good_to_both(self):
        for rule in GOOD:
            self.assertTrue(is_valid({"rules": [rule]}), rule)
            self.assertEqual(lint(json.dumps({"rules": [rule]})).returncode, 0, rule)

    def test_bad_rules_are_bad_to_both(self):
        for rule in BAD:
            self.assertFalse(is_valid({"rules": [rule]}), rule)
            self.assertEqual(lint(json.dumps({"rules": [rule]})).returncode, 2, rule)

    def test_the_examples_of_the_page_are_valid(self):
        for example in blocks("json"):
            self.assertTrue(is_valid(json.loads(example)), example)

    def test_the_file_with_ten_faults_is_not(self):
        self.assertFalse(is_valid(json.loads((HERE / "ten_faults.json").read_text(encoding="utf-8"))))

    def test_sources_are_those_that_the_language_knows(self):
        pattern = SCHEMA["$defs"]["kill_switch"]["properties"]["key"]["pattern"]
        for source in ("path", "ip:address", "ip:address/24", "ip:address/24/56", "header:a", "jwt:org.id", "attr:a b"):
            rule = {**RULE, "limit_keys": [source]}
            expected = lint(json.dumps({"rules": [rule]})).returncode == 0
            self.assertEqual(bool(re.search(pattern, source)), expected, source)


if __name__ == "__main__":
    unittest.main()
