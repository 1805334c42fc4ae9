#include "cli/ticks.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

std::string labels(Duration span, int columns) { return label_line(ticks_for({span, columns}), columns); }

TEST(Ticks, StandAtRoundTimesUnderTheirColumns) {
  EXPECT_EQ(labels(Duration::seconds(2), 40), "0s        0.5s      1s        1.5s    2s");
  EXPECT_EQ(labels(Duration::seconds(8), 32), "0s      2s      4s      6s    8s");
}

TEST(Ticks, CountInTheUnitOfTheClock) {
  EXPECT_EQ(labels(Duration::seconds(3600), 40), "0h        0.25h     0.5h      0.75h   1h");
  EXPECT_EQ(labels(Duration::seconds(600), 40), "0min    2min    4min    6min    8min");
  EXPECT_EQ(labels(Duration(40), 40), "0ns       10ns      20ns      30ns  40ns");
}

// Every axis there can be has its first tick at 0, and no label beyond its end.
TEST(Ticks, FitEveryAxis) {
  for (double ns = 1; ns < 9e18; ns *= 1.7) {
    for (const int columns : {1, 5, 29, 69, 489}) {
      const simulate::TimeAxis axis{Duration(static_cast<int64_t>(ns)), columns};
      const auto ticks = ticks_for(axis);
      ASSERT_FALSE(ticks.empty());
      EXPECT_EQ(ticks.front().column, 0);
      EXPECT_LT(ticks.back().column, columns);
      EXPECT_LE(ticks.size(), static_cast<size_t>(columns) / 8 + 2);
      EXPECT_LE(label_line(ticks, columns).size(), static_cast<size_t>(columns));
    }
  }
}

}  // namespace
}  // namespace sluice::cli
