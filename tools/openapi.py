#!/usr/bin/env python3
"""Puts the schemas of rules from docs/rules.schema.json into docs/openapi.json, and writes that in its form.

All else in docs/openapi.json is written by hand. Tools find every reference within the one file: `rules.file` is a rules
file, `rules.rule` and the like are its parts, and `row.rule` and the like have what a database keeps beside them.
"""

import json
import pathlib

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
WIDTH = 110
KEPT = {
    "rule_id": {"description": "Must be that of the row to be changed.", "type": "integer", "minimum": 1},
    "version": {"description": "Passed over: If-Match says it.", "type": "integer"},
    "created_at": {"description": "Passed over.", "type": "string"},
    "updated_at": {"description": "Passed over.", "type": "string"},
}


def renamed(value):
    """The same with references to where the parts are now."""
    if isinstance(value, list):
        return [renamed(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: part.replace("#/$defs/", "#/components/schemas/rules.") if name == "$ref" else renamed(part)
        for name, part in value.items()
    }


def schemas_of_rules(schema):
    parts = schema.pop("$defs")
    del schema["$schema"]
    found = {"rules.file": schema} | {f"rules.{name}": part for name, part in parts.items()}
    for name in ("table_row", "rule", "policy"):
        found[f"row.{name}"] = parts[name] | {"properties": KEPT | parts[name]["properties"]}
    return renamed(found)


def written(value, indent=0):
    """What is short stands on one line; all else has a line for each part."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(line) + indent <= WIDTH:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts, ends = [written(item, indent + 2) for item in value], "[]"
    else:
        parts, ends = [f"{json.dumps(name)}: {written(part, indent + 2)}" for name, part in value.items()], "{}"
    return ends[0] + "\n" + ",\n".join(inner + part for part in parts) + "\n" + " " * indent + ends[1]


def made_anew(text, schema):
    document = json.loads(text)
    schemas = document["components"]["schemas"]
    own = {name: part for name, part in schemas.items() if not name.startswith(("rules.", "row."))}
    document["components"]["schemas"] = own | schemas_of_rules(json.loads(schema))
    return written(document) + "\n"


def main():
    path = DOCS / "openapi.json"
    schema = (DOCS / "rules.schema.json").read_text(encoding="utf-8")
    path.write_text(made_anew(path.read_text(encoding="utf-8"), schema), encoding="utf-8")


if __name__ == "__main__":
    main()
