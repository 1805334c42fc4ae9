"""Shows that exports.py can find something: a library that leaks is built and refused."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import exports

HEADER = """SLUICE_EXPORT const char *sluice_version(void);
SLUICE_EXPORT void sluice_limit_destroy(sluice_limit *limit);
"""
SOURCE = """#include <vector>
namespace sluice {
struct Limiter { struct Parts { void work(); }; void take(); };
void Limiter::take() {}
void Limiter::Parts::work() {}
namespace memory { void secret() {} }
}
void grow(std::vector<int>& numbers) { numbers.push_back(1); }
extern "C" const char* sluice_version() { return ""; }
"""


class Exports(unittest.TestCase):
    def problems(self):
        with tempfile.TemporaryDirectory() as folder:
            source, library = pathlib.Path(folder, "leaky.cc"), pathlib.Path(folder, "libleaky.so")
            source.write_text(SOURCE)
            subprocess.run([os.environ.get("CXX", "c++"), "-shared", "-fPIC", source, "-o", library], check=True)
            return list(exports.problems(exports.shown_by(library), HEADER))

    def test_what_is_not_promised_and_what_is_missing_are_named(self):
        text = "\n".join(self.problems())
        for leaked in ("sluice::memory::secret()", "sluice::Limiter::Parts::work()", "grow(", "std::vector<int"):
            self.assertIn(f"the library shows {leaked}", text)
        self.assertIn("declares sluice_limit_destroy", text)

    def test_what_is_promised_is_not_named(self):
        text = "\n".join(self.problems())
        self.assertNotIn("Limiter::take", text)
        self.assertNotIn("sluice_version", text)


if __name__ == "__main__":
    unittest.main()
