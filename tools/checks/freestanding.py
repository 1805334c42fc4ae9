#!/usr/bin/env python3
"""Builds the core for WebAssembly with no library at all, and fails when the module needs anything from outside.

    freestanding.py OUTPUT_FOLDER [ROOT]

Two modules are linked: one as it would ship, which must import nothing, and one that keeps every function, so that a
call into the compiler's own library shows even in a function that nobody exports yet.
"""

import pathlib
import subprocess
import sys

import include_arrows
import tree
import wasm_module

COMPILE = ["clang-14", "--target=wasm32", "-std=c++20", "-Oz", "-ffreestanding", "-nostdlib", "-fno-exceptions", "-fno-rtti",
           "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
           # Copies of structs become the instruction memory.copy; without this they are calls of memcpy.
           "-mbulk-memory"]
SHIPPED = ["-Wl,--no-entry", "-Wl,--strip-all"]
WHOLE = [*SHIPPED, "-Wl,--no-gc-sections", "-Wl,--allow-undefined"]
# Known calls into the compiler's library, in functions that do not ship: import -> where it comes from.
KNOWN_LIBCALLS = {}


def sources(root):
    hosted = include_arrows.load_table()["freestanding"].get("hosted", {})
    core = [path for path in sorted((root / "src/algorithms").glob("*.cc"))
            if not path.name.endswith("_test.cc") and path.relative_to(root).as_posix() not in hosted]
    return [root / "tests/freestanding/decide.cc", *core]


def build(root, files, link, output):
    includes = [f"-I{root / 'include'}", f"-I{root / 'src'}"]
    subprocess.run([*COMPILE, *includes, *link, *map(str, files), "-o", str(output)], check=True)
    return output.read_bytes()


def problems_of_shipped(module):
    problems = [f"the module imports {name}; find what calls it, it cannot run without" for name in wasm_module.imports(module)]
    if "decide" not in wasm_module.exports(module):
        problems.append("the module does not export decide; see tests/freestanding/decide.cc")
    return problems


def problems_of_whole(module, known):
    found = set(wasm_module.imports(module))
    return [f"some function of the core calls {name}; compile each file with -c to find it" for name in sorted(found - set(known))] + \
        [f"{name} is not called any more; remove it from KNOWN_LIBCALLS" for name in sorted(set(known) - found)]


def main(arguments):
    output = pathlib.Path(arguments[0])
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else include_arrows.HERE.parent.parent)
    output.mkdir(parents=True, exist_ok=True)
    files = sources(root)
    shipped = build(root, files, SHIPPED, output / "decide.wasm")
    whole = build(root, files, WHOLE, output / "whole.wasm")
    print(f"decide.wasm: {len(shipped)} bytes, exports {', '.join(wasm_module.exports(shipped))}")
    return tree.report("freestanding", problems_of_shipped(shipped) + problems_of_whole(whole, KNOWN_LIBCALLS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
