"""Takes the programs out of Markdown pages, so that they can be compiled and run.

A fenced block marked cpp or c is a program. If a cpp block has no main, its #include lines stay on top and the rest
becomes the body of one. A block marked text that follows is what the program prints, to the letter.
"""

import dataclasses
import pathlib
import re

FENCE = re.compile(r"^```(\w*)$")


@dataclasses.dataclass
class Block:
    language: str
    line: int
    text: str


@dataclasses.dataclass
class Example:
    name: str
    suffix: str
    source: str
    prints: str | None


def blocks(page):
    """Yields the fenced blocks of a page. ValueError for one that does not end."""
    block = None
    for number, line in enumerate(page.splitlines(), 1):
        match = FENCE.match(line)
        if match and block is None:
            block = Block(match.group(1), number, "")
        elif match:
            yield block
            block = None
        elif block is not None:
            block.text += line + "\n"
    if block is not None:
        raise ValueError(f"the block that starts in line {block.line} does not end")


def program(block):
    """The source of a whole program; its lines have the numbers that they have on the page."""
    padding = "\n" * block.line
    if "int main(" in block.text:
        return padding + block.text
    lines = block.text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#include")), len(lines))
    return "".join([padding, *lines[:first], "int main() { ", *lines[first:], "}\n"])


def examples(name, page):
    found = []
    for block in blocks(page):
        if block.language in ("cpp", "c"):
            suffix = ".cc" if block.language == "cpp" else ".c"
            found.append(Example(f"{name}_{block.line}", suffix, program(block), None))
        elif block.language == "text" and found and found[-1].prints is None:
            found[-1].prints = block.text
    return found


def write(pages, folder):
    """Writes the examples of all pages as files into the folder, and returns them."""
    folder.mkdir(parents=True)
    found = [example for page in pages for example in examples(page.stem.lower(), page.read_text())]
    for example in found:
        pathlib.Path(folder, example.name + example.suffix).write_text(example.source)
    return found
