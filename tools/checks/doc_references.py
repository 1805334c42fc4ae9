#!/usr/bin/env python3
"""Every path and make target that a Markdown page names must exist, and every decision must be listed.

Looked at: links, code spans, and `make X` inside fenced blocks. A code span counts as a path when it starts with a
folder or file of the top level, or is the name of a source file. CHANGELOG.md speaks of the past and is left out.
The list of decisions is docs/decisions/README.md: a row for each page, with its number and its title.
"""

import pathlib
import re
import sys

import tree

FENCE = re.compile(r"^\s*(```|~~~)")
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
MAKE = re.compile(r"(?:^|[;&|(]\s*|\$ |sudo )make((?: +-\S+| +[A-Z_]+=\S*)*)((?: +[a-z][a-z-]*)*)")
TARGET = re.compile(r"^([a-z][a-z-]*)\s*:(?!=)", re.MULTILINE)
PATH = re.compile(r"^[\w.*-]+(/[\w.*-]+)*/?(:\d+)?$")
TOP_FOLDERS = {
    "include", "src", "edge", "web", "scenarios", "simulation", "fuzz", "bench", "tests", "tools", "docs", "packaging",
    "cmake", ".ci",
}
SOURCE_NAME = re.compile(r"^[\w./-]+\.(h|cc|py|sh|cmake|md)$")
SEARCHED = ("", "src", "include", "include/sluice")
DECISIONS = pathlib.Path("docs/decisions")
TITLE = re.compile(r"# (\d{4}): (.+)")


def make_targets(root):
    makefile = pathlib.Path(root) / "Makefile"
    return set(TARGET.findall(makefile.read_text())) if makefile.is_file() else set()


class Page:
    def __init__(self, root, path, names, targets):
        self.root = pathlib.Path(root)
        self.path = path
        self.names = names
        self.targets = targets

    def problems(self):
        fenced = False
        for number, line in enumerate((self.root / self.path).read_text().splitlines(), 1):
            if FENCE.match(line):
                fenced = not fenced
                continue
            for problem in self.problems_of_code(line) if fenced else self.problems_of_prose(line):
                yield f"{self.path}:{number}: {problem}"

    def problems_of_code(self, line):
        for match in MAKE.finditer(line.split("#")[0]):
            for target in match.group(2).split():
                if target not in self.targets:
                    yield f"the Makefile has no target {target}; correct the page or add the target"

    def problems_of_prose(self, line):
        for span in SPAN.findall(line):
            yield from self.problems_of_code(span)
            if self.is_path(span) and not self.exists(span):
                yield f"there is no {span}; correct the page"
        for link in LINK.findall(SPAN.sub("", line)):
            target = link.split("#")[0]
            if target and "://" not in target and not target.startswith("mailto:"):
                if not (self.root / self.path.parent / target).exists():
                    yield f"the link to {link} leads nowhere; correct it"

    def is_path(self, span):
        if not PATH.match(span):
            return False
        return ("/" in span and span.split("/")[0] in TOP_FOLDERS) or bool(SOURCE_NAME.match(span))

    def exists(self, span):
        span = re.sub(r":\d+$", "", span).rstrip("/")
        starts = [self.root / start for start in SEARCHED] + [self.root / self.path.parent]
        if any(next(start.glob(span), None) for start in starts if start.is_dir()):
            return True
        return "/" not in span and span in self.names


def unlisted_decisions(root):
    folder = pathlib.Path(root) / DECISIONS
    readme = folder / "README.md"
    rows = readme.read_text().splitlines() if readme.is_file() else []
    for page in sorted(folder.glob("[0-9]*.md")):
        title = TITLE.match(page.read_text())
        if title is None:
            yield f"{DECISIONS / page.name}:1: the title must be '# <its four digits>: <what was decided>'"
        elif not any(row.startswith(f"| [{title[1]}]({page.name}) | {title[2]} |") for row in rows):
            yield f"{DECISIONS / page.name}:1: {DECISIONS / 'README.md'} must have a row with its number and its title"


def check(root):
    files = list(tree.files(root))
    names = {path.name for path in files}
    targets = make_targets(root)
    pages = [path for path in files if path.suffix == ".md" and path.name != "CHANGELOG.md"]
    found = [problem for path in pages for problem in Page(root, path, names, targets).problems()]
    return found + list(unlisted_decisions(root))


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent.parent
    return tree.report("doc_references", check(root))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
