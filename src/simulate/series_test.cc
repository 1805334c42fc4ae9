#include "simulate/series.h"

#include <gtest/gtest.h>

#include "simulate/arrivals.h"
#include "simulate/limits.h"

namespace sluice::simulate {
namespace {

Schedule schedule_of(std::string_view text) { return std::get<Schedule>(parse_arrivals(text, kOneToken)); }
Limit ten_a_second() { return *Limit::token_bucket(10.0, 50.0); }

TEST(Series, CountsEveryRequestInTheColumnItFallsIn) {
  const Schedule schedule = schedule_of("60/s for 2s, idle 5s, 100 at once");
  const Series series = series_of(ten_a_second(), schedule, {Duration::seconds(7), 7});
  ASSERT_EQ(series.columns.size(), 7u);
  EXPECT_EQ(series.columns[0].allowed, 59);
  EXPECT_EQ(series.columns[0].rejected, 1);
  EXPECT_EQ(series.columns[1].allowed, 10);
  EXPECT_EQ(series.columns[1].rejected, 50);
  EXPECT_EQ(series.columns[6].allowed, 50);
  EXPECT_EQ(series.columns[6].rejected, 50);
  EXPECT_EQ(series.tallest(), 59);
  EXPECT_EQ(series.summary.allowed, 119);
}

TEST(Series, ShowsTheFewestTokensOfEachColumn) {
  const Schedule schedule = schedule_of("20 at once, idle 3s, 50 at once, idle 1s");
  const Series series = series_of(ten_a_second(), schedule, {Duration::seconds(4), 4});
  EXPECT_EQ(series.columns[0].lowest, Tokens::whole(30));
  EXPECT_EQ(series.columns[1].lowest, Tokens::whole(40));
  EXPECT_EQ(series.columns[2].lowest, Tokens::whole(50));
  EXPECT_EQ(series.columns[3].lowest, Tokens());
}

TEST(Series, HasAllItsColumnsEvenWhenNothingHappens) {
  const Series series = series_of(ten_a_second(), schedule_of("idle 1s"), {Duration::seconds(1), 5});
  ASSERT_EQ(series.columns.size(), 5u);
  for (const Column& column : series.columns) EXPECT_EQ(column.lowest, Tokens::whole(50));
  EXPECT_EQ(series.tallest(), 0);
}

TEST(Series, MayHaveMoreColumnsThanNanoseconds) {
  const Series series = series_of(ten_a_second(), schedule_of("1 every 1ns for 3ns"), {Duration(3), 10});
  ASSERT_EQ(series.columns.size(), 10u);
  EXPECT_EQ(series.columns[0].allowed, 1);
  EXPECT_EQ(series.columns[3].allowed, 1);
  EXPECT_EQ(series.columns[6].allowed, 1);
  EXPECT_EQ(series.columns[9].lowest, Tokens::whole(47));
}

}  // namespace
}  // namespace sluice::simulate
