#!/usr/bin/env python3
"""File names are snake_case, files are short, and nothing is left over: marks, conflict markers, trailing blanks."""

import pathlib
import re
import sys
import tomllib

import tree

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 400
NAMED = {"src", "include", "tests", "bench", "fuzz", "simulation", "tools", "scenarios"}
MEASURED = {"src", "include", "tests"}
SNAKE_CASE = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+)*$")
OTHER_NAMES = {"CMakeLists.txt", "README.md", ".gitignore", ".clang-tidy", ".npmrc", "package-lock.json"}
# Spelt in halves, so that this file does not find itself.
MARKS = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")) + r")\b")
CONFLICT = re.compile(r"^(<{7}|>{7}|={7})( |$)")
TEXT = {".h", ".cc", ".py", ".sh", ".cmake", ".txt", ".md", ".toml", ".json", ".yml", ".yaml", ".ts", ".js", ".html", ".css",
        ".lua", ".proto", ".sql"}
# Not written by hand, or not by us.
OTHERS = {"LICENSE", "package-lock.json"}


def is_text(path):
    is_corpus = path.parts[:2] == ("fuzz", "corpus")
    return path.name not in OTHERS and not is_corpus and (path.suffix in TEXT or path.name in ("Makefile", "run"))


def problems_of_name(path):
    if path.parts[0] in NAMED and path.name not in OTHER_NAMES and not SNAKE_CASE.match(path.name):
        yield f"{path}: the name is not snake_case; rename it"


def problems_of_text(path, text, long):
    lines = text.splitlines()
    if path.parts[0] in MEASURED and len(lines) > LONGEST and path.as_posix() not in long:
        yield f"{path}: {len(lines)} lines, above {LONGEST}; split it, or give the reason in tools/checks/file_shape.toml"
    for number, line in enumerate(lines, 1):
        if match := MARKS.search(line):
            yield f"{path}:{number}: '{match.group(0)}' is left over; do it, or open an issue"
        if CONFLICT.match(line) and path.suffix != ".md":
            yield f"{path}:{number}: a conflict marker is left over; resolve it"
        if line != line.rstrip() and path.suffix != ".md":
            yield f"{path}:{number}: blanks at the end of the line; remove them"


def problems_of_list(root, long):
    for path in long:
        file = pathlib.Path(root) / path
        if not file.is_file() or len(file.read_text().splitlines()) <= LONGEST:
            yield f"tools/checks/file_shape.toml: {path} is not above {LONGEST} lines (any more); remove the row"


def check(root, long):
    problems = list(problems_of_list(root, long))
    for path in tree.files(root):
        problems += problems_of_name(path)
        if is_text(path):
            problems += problems_of_text(path, (pathlib.Path(root) / path).read_text(), long)
    return problems


def main(arguments):
    root = arguments[0] if arguments else HERE.parent.parent
    long = tomllib.loads((HERE / "file_shape.toml").read_text())["long"]
    return tree.report("file_shape", check(root, long))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
