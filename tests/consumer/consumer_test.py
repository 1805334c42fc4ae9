"""Installs the library, uses it as a stranger would, moves it, and uses it again.

    consumer_test.py SETTINGS.json    written by CMakeLists.txt: source, build, cc, cxx, flags, launcher, sanitized
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import examples
import exports

HERE = pathlib.Path(__file__).resolve().parent
STRICT_C = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SETTINGS = {}


def run(*command, **variables):
    """Runs a command to its end and returns what it printed; a failure shows all of it."""
    command = [str(word) for word in command]
    result = subprocess.run(command, env=os.environ | variables, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"exit {result.returncode}: {' '.join(command)}\n{result.stdout}")
    return result.stdout


def headers_in(include):
    return sorted(path.relative_to(include).as_posix() for path in include.rglob("*.h"))


class Prefix:
    """A place where the library is installed, and the ways to build against it there."""

    def __init__(self, path):
        self.path = path
        self.lib = path / "lib"

    def pkg_config(self, *words):
        return run("pkg-config", *words, "sluice", PKG_CONFIG_LIBDIR=str(self.lib / "pkgconfig")).split()

    def build_cpp(self, folder, **variables):
        variables |= {"CMAKE_PREFIX_PATH": self.path, "CMAKE_CXX_COMPILER": SETTINGS["cxx"],
                      "CMAKE_CXX_FLAGS": SETTINGS["flags"], "CMAKE_CXX_COMPILER_LAUNCHER": SETTINGS["launcher"]}
        defined = [f"-D{name}={value}" for name, value in variables.items()]
        run("cmake", "-G", "Ninja", "-S", HERE / "cpp", "-B", folder, *defined)
        run("cmake", "--build", folder, "--parallel", os.cpu_count())

    def build_c(self, source, program):
        flags = [*STRICT_C, *SETTINGS["flags"].split()]
        run(SETTINGS["cc"], *flags, source, *self.pkg_config("--cflags", "--libs"), "-o", program)
        return program

    def build_c_static(self, source, program):
        flags = [*STRICT_C, *SETTINGS["flags"].split(), "-static"]
        run(SETTINGS["cc"], *flags, source, *self.pkg_config("--static", "--cflags", "--libs"), "-o", program)
        return program

    def run(self, program):
        return run(program, LD_LIBRARY_PATH=str(self.lib))


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = pathlib.Path(SETTINGS["source"])
        cls.work = pathlib.Path(SETTINGS["build"], "consumer")
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.work.mkdir()
        cls.first, cls.second = Prefix(cls.work / "first"), Prefix(cls.work / "second")
        run("cmake", "--install", SETTINGS["build"], "--prefix", cls.first.path)

    def assert_used(self, prefix, folder):
        """C++ and C, shared and static, against what is installed in a prefix; the C++ programs are built already."""
        for program in ("app", "app_static"):
            self.assertIn(": fine", run(folder / program))
        source = HERE / "c/main.c"
        self.assertIn(": fine", prefix.run(prefix.build_c(source, folder / "c_shared")))
        # The runtimes of the sanitizers are shared libraries: no program with them can be all static.
        if not SETTINGS["sanitized"]:
            self.assertIn(": fine", run(prefix.build_c_static(source, folder / "c_static")))

    def test_1_what_is_installed_is_what_was_promised(self):
        prefix = self.first
        self.assertEqual(headers_in(prefix.path / "include"), headers_in(self.source / "include"))
        library = prefix.lib / "libsluice.so"
        header = (self.source / "include/sluice.h").read_text()
        self.assertEqual(list(exports.problems(exports.shown_by(library), header)), [])
        version = self.version(prefix)
        self.assertIn(f"libsluice.so.{version}", library.resolve().name)
        soname = version.rsplit(".", 1)[0] if version.startswith("0.") else version.split(".")[0]
        self.assertIn(f"[libsluice.so.{soname}]", run("readelf", "--dynamic", library))
        objects = run("ar", "t", prefix.lib / "libsluice.a").split()
        self.assertEqual(len(objects), len(set(objects)), "an object is in the archive twice")
        names = {path.name for path in (prefix.path / "share/doc/sluice").iterdir()}
        self.assertEqual(names, {"LICENSE", "README.md", "CHANGELOG.md", "library.md"})

    def version(self, prefix):
        return prefix.pkg_config("--modversion")[0]

    def test_2_programs_headers_and_the_examples_of_the_pages_build_and_run(self):
        pages = [self.source / "README.md", self.source / "docs/library.md"]
        found = examples.write(pages, self.work / "examples")
        self.assertGreater(len(found), 10)
        self.write_one_program_for_each_header(self.work / "headers")
        folder = self.work / "app"
        self.first.build_cpp(folder, EXAMPLES=self.work / "examples", HEADERS=self.work / "headers")
        self.assert_used(self.first, folder)
        for example in found:
            with self.subTest(example.name):
                program = folder / example.name
                if example.suffix == ".c":
                    self.first.build_c(self.work / "examples" / f"{example.name}.c", program)
                printed = self.first.run(program)
                self.assertEqual(printed, printed if example.prints is None else example.prints)

    def write_one_program_for_each_header(self, folder):
        folder.mkdir()
        for header in headers_in(self.first.path / "include"):
            (folder / f"{pathlib.Path(header).stem}.cc").write_text(f'#include "{header}"\n')

    def test_3_the_prefix_may_be_moved(self):
        self.first.path.rename(self.second.path)
        for file in (self.second.path / "lib").rglob("*"):
            if file.suffix in (".cmake", ".pc"):
                self.assertNotIn(str(self.first.path), file.read_text(), file)
        folder = self.work / "moved"
        self.second.build_cpp(folder)
        self.assert_used(self.second, folder)

    def test_4_the_readme_links_as_the_consumer_does(self):
        used = (HERE / "cpp/CMakeLists.txt").read_text().splitlines()
        page = (self.source / "README.md").read_text()
        shown = [block for block in examples.blocks(page) if block.language == "cmake"]
        self.assertEqual(len(shown), 1)
        for line in shown[0].text.splitlines():
            self.assertIn(line, used)


if __name__ == "__main__":
    SETTINGS.update(json.loads(pathlib.Path(sys.argv.pop(1)).read_text()))
    unittest.main(failfast=True)
