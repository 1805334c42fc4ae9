#include "simulate/axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "simulate/arrivals.h"

namespace sluice::simulate {
namespace {

Schedule schedule_of(std::string_view text) { return std::get<Schedule>(parse_arrivals(text, kOneToken)); }
Limit ten_a_second() { return *Limit::token_bucket(10.0, 50.0); }

TEST(TimeAxis, EveryNanosecondBelongsToTheColumnThatStartedLast) {
  const TimeAxis axis{Duration(10), 3};
  for (int64_t ns = 0; ns <= 10; ++ns) {
    const int column = axis.column_at(Instant(ns));
    EXPECT_LE(axis.start_of(column).ns, ns);
    if (column < 2) {
      EXPECT_GT(axis.start_of(column + 1).ns, ns);
    }
  }
}

TEST(TimeAxis, TheEndBelongsToTheLastColumn) {
  const TimeAxis axis{Duration::seconds(7), 60};
  EXPECT_EQ(axis.column_at(Instant()), 0);
  EXPECT_EQ(axis.column_at(Instant(7'000'000'000)), 59);
  EXPECT_EQ(axis.column_at(Instant(6'999'999'999)), 59);
}

TEST(TimeAxis, HoldsTheLongestScheduleThereIs) {
  const TimeAxis axis{kLongestSchedule, 500};
  EXPECT_EQ(axis.column_at(Instant(kLongestSchedule.ns)), 499);
  EXPECT_EQ(axis.column_at(axis.start_of(499)), 499);
}

TEST(AxisFor, EndsWithTheScheduleUnlessThatEndsWithABurst) {
  EXPECT_EQ(axis_for(schedule_of("60/s for 2s"), {ten_a_second()}, 60).span, Duration::seconds(2));
  EXPECT_EQ(axis_for(schedule_of("60/s for 2s, idle 4s, 9 at once"), {ten_a_second()}, 60).span, Duration::seconds(7));
  EXPECT_EQ(axis_for(schedule_of("idle 9s"), {ten_a_second()}, 60).span, Duration::seconds(9));
}

TEST(AxisFor, ABurstAloneIsShownWithItsWholeRecovery) {
  EXPECT_EQ(axis_for(schedule_of("1 at once"), {ten_a_second()}, 60).span, Duration::seconds(5));
}

TEST(AxisFor, ColumnsAreRoundAndFillMostOfTheWidth) {
  const std::pair<const char*, int64_t> columns[] = {
      {"idle 2s", 40'000'000},
      {"idle 7s", 125'000'000},
      {"idle 1h", 60'000'000'000},
      {"idle 61min", 75'000'000'000},
      {"idle 1d", 1'500'000'000'000},
      {"idle 365d", 8 * 86'400'000'000'000},
      {"idle 77ns", 2},
  };
  for (const auto& [text, ns] : columns) {
    const TimeAxis axis = axis_for(schedule_of(text), {}, 60);
    EXPECT_EQ(axis.span.ns, ns * axis.columns) << text;
    EXPECT_LE(axis.columns, 60) << text;
  }
}

TEST(AxisFor, ShowsEveryScheduleWholeAtEveryWidth) {
  for (double ns = 1; ns < 3.1e18; ns *= 1.37) {
    const Duration length(static_cast<int64_t>(ns));
    const Schedule schedule{{Phase{Instant(), length, {}, 0, 1, Tokens()}}};
    for (const int width : {29, 69, 489}) {
      const TimeAxis axis = axis_for(schedule, {}, width);
      EXPECT_GE(axis.span, length);
      EXPECT_LE(axis.columns, width);
      EXPECT_GE(axis.columns * 2, std::min<int64_t>(width, length.ns)) << length.ns;
    }
  }
}

TEST(AxisFor, HoldsTheSlowestRecoveryThereIs) {
  const Limit slowest = *Limit::token_bucket(1e-9, 1e9);
  const TimeAxis axis = axis_for(schedule_of("1 at once"), {slowest}, 69);
  EXPECT_EQ(axis.span, kForever);
  EXPECT_EQ(axis.columns, 69);
}

}  // namespace
}  // namespace sluice::simulate
