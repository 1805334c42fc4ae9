"""Where and of what a run was made: machine, compiler, commit. Whatever cannot be found out is `unknown`."""

import os
import pathlib
import platform
import re
import subprocess

UNKNOWN = "unknown"


def read(path):
    try:
        return pathlib.Path(path).read_text(errors="replace")
    except OSError:
        return ""


def first(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip() if match else UNKNOWN


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def compiler_of(cache):
    path = first(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache)
    version = (output(path, "--version") or UNKNOWN).splitlines()[0]
    kind = first(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache)
    flags = first(rf"^CMAKE_CXX_FLAGS_{kind.upper()}:\w+=(.*)$", cache)
    return f"{version}, {kind} ({flags})"


def describe(programs):
    """`programs` is the bin folder of a build."""
    return {
        "cpu": first(r"^model name\s*:\s*(.*)$", read("/proc/cpuinfo")),
        "cores": len(os.sched_getaffinity(0)),
        "memory": first(r"^MemTotal:\s*(.*)$", read("/proc/meminfo")),
        "kernel": f"{platform.system()} {platform.release()}",
        "transparent_huge_pages": first(r"\[(\w+)\]", read("/sys/kernel/mm/transparent_hugepage/enabled")),
        "compiler": compiler_of(read(pathlib.Path(programs).parent / "CMakeCache.txt")),
    }


def commit_of(root):
    """Returns (short commit, whether anything but recorded results differs from it)."""
    commit = output("git", "-C", str(root), "rev-parse", "--short=10", "HEAD")
    changes = output("git", "-C", str(root), "status", "--porcelain", "--", ".", ":!bench/results")
    return commit.strip() if commit else UNKNOWN, changes is None or bool(changes.strip())


def load():
    return round(os.getloadavg()[0], 2)


def load_note(machine, load_before):
    """None when the machine had nothing else to do."""
    if load_before < 0.3 * machine["cores"]:
        return None
    return f"The machine was busy when the run began (load {load_before} on {machine['cores']} cores): times are too long."
