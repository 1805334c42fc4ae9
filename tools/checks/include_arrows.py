#!/usr/bin/env python3
"""Holds every #include to the table in arrows.toml, and the table in ARCHITECTURE.md to the same.

    include_arrows.py [ROOT]      check the tree
    include_arrows.py --table     print the table for ARCHITECTURE.md
"""

import pathlib
import re
import sys
import tomllib

import tree

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
DIRECTIVE = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
HOSTED = re.compile(r"^\s*\(?\s*(__STDC_HOSTED__(\s*(==|>=)\s*1)?|defined\s*\(?\s*__STDC_HOSTED__\s*\)?)\s*\)?\s*(//.*)?$")
C_HEADERS = {
    "assert", "byteswap", "ctype", "dirent", "dlfcn", "endian", "err", "errno", "execinfo", "fcntl", "fenv", "float", "fnmatch",
    "cpuid", "getopt", "glob", "grp", "immintrin", "inttypes", "langinfo", "limits", "locale", "malloc", "math", "netdb", "poll",
    "pthread", "pwd", "sched", "semaphore", "setjmp", "signal", "spawn", "stdarg", "stddef", "stdint", "stdio", "stdlib",
    "string", "strings", "sysexits", "syslog", "termios", "time", "unistd", "wchar", "wctype", "x86intrin",
}
SYSTEM_FOLDERS = ("sys/", "netinet/", "arpa/", "net/if", "linux/")
FREESTANDING_HEADERS = {"stdint.h", "stddef.h"}
TEST_FOLDERS = ("tests/", "bench/", "fuzz/", "simulation/")
SOURCE = {".h", ".cc"}


def load_table():
    return tomllib.loads((HERE / "arrows.toml").read_text())


def includes(text):
    """Yields (line number, header, whether it is in angle brackets, whether only a hosted build sees it)."""
    hosted = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := DIRECTIVE.match(line):
            word, rest = match.groups()
            if word in ("if", "ifdef", "ifndef"):
                hosted.append(word == "if" and bool(HOSTED.match(rest)))
            elif word == "endif" and hosted:
                hosted.pop()
            elif hosted:
                hosted[-1] = word == "elif" and bool(HOSTED.match(rest))
        elif match := INCLUDE.match(line):
            yield number, match.group(2), match.group(1) == "<", any(hosted)


def is_system(header):
    return ("/" not in header and "." not in header) or header.removesuffix(".h") in C_HEADERS or \
        header.startswith(SYSTEM_FOLDERS)


def is_test(path):
    return path.startswith(TEST_FOLDERS) or path.endswith(("_test.cc", "_testing.h", "_contract.h"))


class Arrows:
    def __init__(self, table, root):
        self.table = table
        self.root = pathlib.Path(root)
        self.arrows = table["arrows"]

    def row_of(self, path):
        """The row of the table that a file of src/ or include/ belongs to, or None."""
        if path.startswith("include/"):
            return "include"
        parts = pathlib.PurePosixPath(path).parts[1:-1]
        for length in range(len(parts), 0, -1):
            if "/".join(parts[:length]) in self.arrows:
                return "/".join(parts[:length])
        return None

    def target_of(self, header):
        """The file in the tree that a quoted header names, or None."""
        for start in ("src", "include", "tests", "."):
            if (self.root / start / header).is_file():
                return (pathlib.PurePosixPath(start) / header).as_posix()
        return None

    def problems_of(self, path, text):
        for number, header, angle, hosted in includes(text):
            problem = self.problem_with(path, header, angle) or self.not_freestanding(path, header, angle, hosted)
            if problem:
                yield f"{path}:{number}: {problem}"

    def problem_with(self, path, header, angle):
        for prefix, named in self.table["third_party"].items():
            if header.startswith(prefix):
                folders = [named] if isinstance(named, str) else named
                if is_test(path) or any(path.startswith(folder + "/") for folder in folders if folder != "tests"):
                    return None
                return f"{header} may be included in {' and '.join(folders)} alone; move the code there, behind an interface"
        if angle:
            if is_system(header):
                return None
            return f"<{header}> is in no row of [third_party] in arrows.toml; add it, with the one folder that may use it"
        target = self.target_of(header)
        if target is None:
            if path.startswith(("src/", "include/")):
                return f'"{header}" is not a file below src/ or include/; write the path from there'
            return None
        return self.forbidden_arrow(path, target)

    def forbidden_arrow(self, path, target):
        if not path.startswith(("src/", "include/")) or path in self.table["wiring"]["files"]:
            return None
        if not target.startswith(("src/", "include/")):
            return None if is_test(path) else f"{target} is outside src/ and include/; only a test may include it"
        here, there = self.row_of(path), self.row_of(target)
        if here is None or there is None:
            return f"{path if here is None else target} is in a folder without a row in arrows.toml; add one"
        allowed = [here, *self.arrows[here]]
        # A test needs something concrete to run on: it also sees the sub-folders of what its folder sees.
        if there in allowed or (is_test(path) and there.split("/")[0] in allowed):
            return None
        return f"{here} must not include {there} ({target}); see the arrows in ARCHITECTURE.md"

    def not_freestanding(self, path, header, angle, hosted):
        rules = self.table["freestanding"]
        if not path.startswith(tuple(f"{folder}/" for folder in rules["folders"])):
            return None
        if hosted or not angle or is_test(path) or path in rules.get("hosted", {}) or header in FREESTANDING_HEADERS:
            return None
        return f"<{header}> does not exist for WebAssembly; put it under #if __STDC_HOSTED__ or do without"


def markdown_table(arrows):
    rows = [f"| `{row}` | {', '.join(f'`{name}`' for name in allowed) or 'nothing'} |" for row, allowed in arrows.items()]
    return ["| Folder | may include |", "|---|---|", *rows]


def differences_from_architecture(arrows, text):
    """The rows that the arrow table of ARCHITECTURE.md lacks, or has in excess."""
    shown = [line.strip() for line in text.splitlines()]
    header = markdown_table(arrows)[0]
    if header not in shown:
        return [f"ARCHITECTURE.md: has no table that starts with '{header}'; paste what include_arrows.py --table prints"]
    start = shown.index(header) + 2
    end = next((i for i in range(start, len(shown)) if not shown[i].startswith("|")), len(shown))
    rows, expected = shown[start:end], markdown_table(arrows)[2:]
    hint = "paste what include_arrows.py --table prints"
    return [f"ARCHITECTURE.md: the arrow table lacks '{row}'; {hint}" for row in expected if row not in rows] + \
        [f"ARCHITECTURE.md: the arrow table has '{row}', which arrows.toml has not; {hint}" for row in rows if row not in expected]


def unknown_names(arrows):
    return [f"arrows.toml: {row} may include {name}, which is no row" for row, allowed in arrows.items()
            for name in allowed if name not in arrows]


def check(root, table):
    arrows = Arrows(table, root)
    problems = unknown_names(table["arrows"])
    problems += differences_from_architecture(table["arrows"], (pathlib.Path(root) / "ARCHITECTURE.md").read_text())
    for path in table["freestanding"].get("hosted", {}):
        if not (pathlib.Path(root) / path).is_file():
            problems.append(f"arrows.toml: {path} in [freestanding.hosted] does not exist; remove the row")
    for path in tree.files(root):
        if path.suffix in SOURCE and path.parts[0] in ("src", "include", "tests", "bench", "fuzz", "simulation"):
            problems += arrows.problems_of(path.as_posix(), (pathlib.Path(root) / path).read_text())
    return problems


def main(arguments):
    if arguments == ["--table"]:
        print("\n".join(markdown_table(load_table()["arrows"])))
        return 0
    root = arguments[0] if arguments else HERE.parent.parent
    return tree.report("include_arrows", check(root, load_table()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
