"""Shows that doc_references.py can fail."""

import pathlib
import tempfile
import unittest

import doc_references


class DocReferences(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "src/net").mkdir(parents=True)
        (self.root / "docs").mkdir()
        (self.root / "src/net/socket.h").write_text("")
        (self.root / "Makefile").write_text("X := 1\ntest: ## Runs.\n\ttrue\ncheck-all:\n\ttrue\n")

    def problems(self, text, page="docs/page.md"):
        (self.root / page).write_text(text)
        return doc_references.check(self.root)

    def assert_fine(self, text):
        self.assertEqual(self.problems(text), [])

    def assert_refused(self, text, why):
        problems = self.problems(text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(why, problems[0])

    def test_paths_that_exist_are_fine(self):
        self.assert_fine("`src/net`, `src/net/socket.h:12`, `net/socket.h`, `socket.h`, `src/*/socket.h`, [it](../src/net/)")

    def test_a_path_that_does_not_exist_is_refused(self):
        self.assert_refused("See\n`src/gone/`.", "docs/page.md:2: there is no src/gone/")

    def test_a_source_file_that_does_not_exist_is_refused(self):
        self.assert_refused("See `gone.h`.", "gone.h")

    def test_what_is_no_path_is_left_alone(self):
        self.assert_fine("`/v1/check`, `application/json`, `rules.json`, `redis://host`, `a < b`, `build/release/bin/x`")

    def test_a_link_that_leads_nowhere_is_refused(self):
        self.assert_refused("[it](gone.md#part)", "gone.md")

    def test_links_elsewhere_and_within_the_page_are_fine(self):
        self.assert_fine("[it](https://example.com/x.md) [here](#part)")

    def test_make_targets_that_exist_are_fine(self):
        self.assert_fine("`make test`, `make -j2 JOBS=1 check-all`\n```\n$ make test  # make sense\n```\n")

    def test_a_make_target_that_does_not_exist_is_refused_in_prose_and_in_blocks(self):
        self.assert_refused("`make gone`", "no target gone")
        self.assert_refused("```sh\nmake test && make gone\n```", "page.md:2: the Makefile has no target gone")

    def decisions(self, rows):
        folder = self.root / "docs/decisions"
        folder.mkdir(exist_ok=True)
        (folder / "0001-line.md").write_text("# 0001: An exact line\n")
        (folder / "README.md").write_text("# Decisions\n\n" + rows)
        return doc_references.check(self.root)

    def test_a_decision_that_is_listed_is_fine(self):
        self.assertEqual(self.decisions("| [0001](0001-line.md) | An exact line | It is exact. |\n"), [])

    def test_a_decision_that_is_not_listed_or_under_another_title_is_refused(self):
        for rows in ("", "| [0001](0001-line.md) | A line | It is exact. |\n", "[0001](0001-line.md): An exact line\n"):
            problems = self.decisions(rows)
            self.assertEqual(len(problems), 1, problems)
            self.assertIn("docs/decisions/0001-line.md:1: docs/decisions/README.md must have a row", problems[0])

    def test_the_change_log_may_speak_of_what_is_gone(self):
        self.assertEqual(self.problems("`src/gone/`", "CHANGELOG.md"), [])


if __name__ == "__main__":
    unittest.main()
