"""The files of the project, as every check sees them: what is built or downloaded is left out."""

import pathlib

NOT_OURS = {".git", "node_modules", "__pycache__", ".cache"}
BUILT = {"build", "sluice-data"}


def files(root):
    """Yields the path of every file below root, relative to it, in a fixed order."""
    root = pathlib.Path(root)
    for path in sorted(_walk(root)):
        yield path.relative_to(root)


def _walk(folder, top=True):
    for entry in folder.iterdir():
        if entry.name in NOT_OURS or (top and entry.name in BUILT):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry, top=False)
        elif entry.is_file():
            yield entry


def report(name, problems):
    """Prints the problems, one a line, and returns the exit code."""
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems" if problems else f"{name}: fine")
    return 1 if problems else 0
