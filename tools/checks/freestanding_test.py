"""Shows that freestanding.py can fail: modules that do import something are built and refused."""

import pathlib
import tempfile
import unittest

import freestanding
import wasm_module

EXPORT = 'extern "C" __attribute__((export_name("decide"))) '


class Freestanding(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def module(self, text, link):
        source = self.root / "decide.cc"
        source.write_text(text)
        return freestanding.build(self.root, [source], link, self.root / "decide.wasm")

    def test_a_module_that_needs_nothing_is_fine(self):
        module = self.module(EXPORT + "int decide(int a) { return a + 1; }", freestanding.SHIPPED)
        self.assertEqual(freestanding.problems_of_shipped(module), [])
        self.assertEqual(wasm_module.exports(module), ["memory", "decide"])

    def test_a_module_that_imports_is_refused(self):
        text = 'extern "C" int now(); ' + EXPORT + "int decide() { return now(); }"
        module = self.module(text, freestanding.WHOLE)
        self.assertEqual(wasm_module.imports(module), ["env.now"])
        self.assertEqual(len(freestanding.problems_of_shipped(module)), 1)

    def test_a_module_without_the_export_is_refused(self):
        self.assertEqual(len(freestanding.problems_of_shipped(self.module("int x;", freestanding.SHIPPED))), 1)

    def test_a_libcall_is_seen_even_where_nobody_calls_the_function(self):
        text = EXPORT + "int decide() { return 0; }\n__int128 unused(__int128 a, __int128 b) { return a * b; }"
        self.assertEqual(freestanding.problems_of_shipped(self.module(text, freestanding.SHIPPED)), [])
        whole = self.module(text, freestanding.WHOLE)
        self.assertEqual(len(freestanding.problems_of_whole(whole, {})), 1)
        self.assertEqual(freestanding.problems_of_whole(whole, {"env.__multi3": ""}), [])

    def test_a_known_libcall_that_is_gone_is_refused(self):
        whole = self.module(EXPORT + "int decide() { return 0; }", freestanding.WHOLE)
        self.assertEqual(len(freestanding.problems_of_whole(whole, {"env.__multi3": ""})), 1)

    def test_what_is_no_module_is_refused(self):
        with self.assertRaises(ValueError):
            wasm_module.imports(b"\x7fELF")


if __name__ == "__main__":
    unittest.main()
