"""Checks the scenario files against their schema, and that it is strict: usage, schema_test.py SCENARIOS_DIR."""

import copy
import json
import pathlib
import sys
import unittest

import jsonschema

SCENARIOS = pathlib.Path(sys.argv.pop(1))
SCHEMA = json.loads((SCENARIOS / "schema.json").read_text())
FILES = [path for path in sorted(SCENARIOS.glob("*.json")) if path.name != "schema.json"]
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def objects(value, path=()):
    """The paths of all objects inside `value`, itself included."""
    if isinstance(value, dict):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from objects(item, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


class Schema(unittest.TestCase):
    def test_is_itself_a_valid_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_accepts_every_scenario(self):
        self.assertGreater(len(FILES), 0)
        for path in FILES:
            errors = [f"{path.name}: {error.json_path}: {error.message}" for error in
                      VALIDATOR.iter_errors(json.loads(path.read_text()))]
            self.assertEqual(errors, [])

    def test_refuses_an_unknown_field_in_any_object_of_any_scenario(self):
        for path in FILES:
            scenario = json.loads(path.read_text())
            for where in objects(scenario):
                spoilt = copy.deepcopy(scenario)
                at(spoilt, where)["misspelt"] = 1
                self.assertFalse(VALIDATOR.is_valid(spoilt), f"{path.name}: {where}")

    def test_refuses_a_scenario_that_lacks_any_of_its_fields(self):
        scenario = json.loads(FILES[0].read_text())
        for field in scenario:
            self.assertFalse(VALIDATOR.is_valid({k: v for k, v in scenario.items() if k != field}), field)

    def test_refuses_a_step_that_expects_nothing(self):
        scenario = json.loads(FILES[0].read_text())
        for expect in ({}, None):
            scenario["steps"][0]["expect"] = expect
            self.assertFalse(VALIDATOR.is_valid(scenario))
        del scenario["steps"][0]["expect"]
        self.assertFalse(VALIDATOR.is_valid(scenario))


if __name__ == "__main__":
    unittest.main()
