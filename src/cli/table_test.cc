#include "cli/table.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

Table example() { return {{"name", "first\ncount", "share"}, {{"a", "1", "50.0%"}, {"longer", "1000000", "-"}}}; }

TEST(RenderTable, AlignsNamesLeftAndNumbersRight) {
  EXPECT_EQ(render_table(example(), {80, false, false}),
            "          first\n"
            "name      count  share\n"
            "a             1  50.0%\n"
            "longer  1000000      -\n");
}

TEST(RenderTable, GivesNamesTheirOwnLineWhereItIsNarrow) {
  EXPECT_EQ(render_table(example(), {20, false, false}),
            "name\n"
            "    first\n"
            "    count  share\n"
            "a\n"
            "        1  50.0%\n"
            "longer\n"
            "  1000000      -\n");
}

TEST(RenderTable, NeedsNoUpperLineWhenNoHeadingHasTwo) {
  EXPECT_EQ(render_table({{"a", "b"}, {{"1", "2"}}}, {80, false, false}), "a  b\n1  2\n");
}

}  // namespace
}  // namespace sluice::cli
