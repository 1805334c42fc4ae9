"""Shows that file_shape.py can fail."""

import pathlib
import tempfile
import unittest

import file_shape


class FileShape(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def problems(self, path, text="", long=()):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file_shape.check(self.root, dict.fromkeys(long, "a reason"))

    def assert_refused(self, problems, why):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(why, problems[0])

    def test_an_ordinary_file_is_fine(self):
        self.assertEqual(self.problems("src/net/socket_test.cc", "int x;\n"), [])

    def test_a_name_that_is_not_snake_case_is_refused(self):
        self.assert_refused(self.problems("src/net/SocketTest.cc"), "not snake_case")

    def test_a_long_file_is_refused_unless_it_has_a_reason(self):
        self.assertEqual(self.problems("src/a.cc", "x\n" * 400), [])
        self.assert_refused(self.problems("src/a.cc", "x\n" * 401), "401 lines")
        self.assertEqual(self.problems("src/a.cc", "x\n" * 401, long=["src/a.cc"]), [])

    def test_a_reason_that_is_no_longer_needed_is_refused(self):
        self.assert_refused(self.problems("src/a.cc", "x\n", long=["src/a.cc"]), "remove the row")

    def test_left_over_marks_are_refused(self):
        self.assert_refused(self.problems("src/a.cc", "// TO" "DO: more\n"), "src/a.cc:1: ")

    def test_conflict_markers_are_refused(self):
        self.assert_refused(self.problems("src/a.cc", "x\n<<<<<<< HEAD\n"), "src/a.cc:2: a conflict marker")

    def test_blanks_at_the_end_of_a_line_are_refused(self):
        self.assert_refused(self.problems("src/a.cc", "int x; \n"), "blanks")

    def test_what_was_built_is_not_looked_at(self):
        self.assertEqual(self.problems("build/src/A.cc", "x \n"), [])


if __name__ == "__main__":
    unittest.main()
