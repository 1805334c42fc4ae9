"""Shows that include_arrows.py can fail."""

import pathlib
import tempfile
import unittest

import include_arrows


class IncludeArrows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.table = include_arrows.load_table()
        self.table["freestanding"]["hosted"] = {}
        self.write("ARCHITECTURE.md", "\n".join(include_arrows.markdown_table(self.table["arrows"])))
        for header in ("include/sluice/limit.h", "src/algorithms/exact.h", "src/stores/bucket_store.h",
                       "src/stores/memory/memory_store.h", "src/stores/redis/redis_store.h", "src/doors/http/listener.h",
                       "src/limiter/limiter.h", "src/net/socket.h"):
            self.write(header, "#pragma once\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def problems(self, path, text):
        self.write(path, text)
        return include_arrows.check(self.root, self.table)

    def assert_fine(self, path, text):
        self.assertEqual(self.problems(path, text), [])

    def assert_refused(self, path, text, why):
        problems = self.problems(path, text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(why, problems[0])

    def test_an_arrow_downwards_is_fine(self):
        self.assert_fine("src/stores/memory/memory_store.cc",
                         '#include "stores/bucket_store.h"\n#include "algorithms/exact.h"\n#include <vector>\n')

    def test_an_arrow_upwards_is_refused(self):
        self.assert_refused("src/algorithms/exact.cc", '#include "stores/bucket_store.h"\n', "algorithms must not include stores")

    def test_the_header_for_c_belongs_to_the_public_ones(self):
        self.write("include/sluice.h", "#pragma once\n")
        self.assert_fine("src/stores/memory/a.cc", '#include "sluice.h"\n')
        self.assert_refused("include/sluice.h", '#include "algorithms/exact.h"\n', "include must not include algorithms")

    def test_siblings_do_not_include_one_another(self):
        self.assert_refused("src/stores/memory/a.cc", '\n#include "stores/redis/redis_store.h"\n', "memory/a.cc:2: ")

    def test_a_door_does_not_include_a_store(self):
        self.assert_refused("src/doors/http/a.cc", '#include "stores/bucket_store.h"\n', "doors/http must not include stores")

    def test_a_leaf_includes_nobody(self):
        self.assert_refused("src/net/a.cc", '#include "limiter/limiter.h"\n', "net must not include limiter")

    def test_only_wiring_includes_concrete_classes(self):
        text = '#include "stores/redis/redis_store.h"\n#include "doors/http/listener.h"\n'
        self.assert_fine("src/cli/wiring.cc", text)
        self.assertEqual(len(self.problems("src/cli/serve.cc", text)), 2)

    def test_a_test_may_use_a_concrete_class_of_what_its_folder_sees(self):
        self.assert_fine("src/limiter/limiter_test.cc", '#include "stores/memory/memory_store.h"\n#include <gtest/gtest.h>\n')
        self.assert_refused("src/net/socket_test.cc", '#include "stores/memory/memory_store.h"\n', "net must not")

    def test_only_a_test_may_include_what_is_in_tests(self):
        self.write("tests/model/rational.h", "#pragma once\n")
        self.assert_fine("src/algorithms/rate_test.cc", '#include "model/rational.h"\n')
        self.assert_refused("src/algorithms/rate.cc", '#include "model/rational.h"\n', "only a test may include it")

    def test_a_third_party_header_stays_in_its_folder(self):
        self.assert_fine("src/cli/main.cc", "#include <CLI/CLI.hpp>\n")
        self.assert_refused("src/limiter/a.cc", "#include <CLI/CLI.hpp>\n", "src/cli alone")

    def test_a_test_library_stays_in_tests(self):
        self.assert_refused("src/limiter/a.cc", "#include <gtest/gtest.h>\n", "tests alone")

    def test_an_unlisted_third_party_header_is_refused(self):
        self.assert_refused("src/net/a.cc", "#include <boost/asio.hpp>\n", "in no row of [third_party]")

    def test_a_folder_without_a_row_is_refused(self):
        self.assert_refused("src/util/a.cc", '#include "algorithms/exact.h"\n', "without a row")

    def test_a_header_that_is_not_there_is_refused(self):
        self.assert_refused("src/net/a.cc", '#include "gone.h"\n', "is not a file")

    def test_the_core_uses_the_standard_library_only_where_hosted(self):
        self.assert_fine("src/algorithms/a.h", "#include <stdint.h>\n#if __STDC_HOSTED__\n#include <string>\n#endif\n")
        self.assert_refused("src/algorithms/a.h", "#if __STDC_HOSTED__\n#else\n#include <string>\n#endif\n", "WebAssembly")
        self.table["freestanding"]["hosted"]["src/algorithms/a.h"] = "a reason"
        self.assert_fine("src/algorithms/a.h", "#include <string>\n")

    def test_a_hosted_exception_that_is_gone_is_refused(self):
        self.table["freestanding"]["hosted"]["src/algorithms/gone.h"] = "a reason"
        self.assert_refused("src/algorithms/a.h", "", "does not exist")

    def test_the_table_in_the_architecture_page_must_be_the_same(self):
        page = (self.root / "ARCHITECTURE.md").read_text()
        problems = self.problems("ARCHITECTURE.md", page.replace("| `algorithms` | `include` |", "| `algorithms` | nothing |"))
        self.assertEqual(len(problems), 2, problems)
        self.assert_refused("ARCHITECTURE.md", "no table", "has no table")


if __name__ == "__main__":
    unittest.main()
