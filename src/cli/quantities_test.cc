#include "cli/quantities.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(ExactQuantity, HasAllItsDigitsAndNoOthers) {
  EXPECT_EQ(exact_millis(Duration(0)), "0");
  EXPECT_EQ(exact_millis(Duration(1)), "0.000001");
  EXPECT_EQ(exact_millis(Duration(16'666'667)), "16.666667");
  EXPECT_EQ(exact_millis(Duration::millis(100)), "100");
  EXPECT_EQ(exact_millis(Duration(8'999'999'999'999'999'999)), "8999999999999.999999");
  EXPECT_EQ(exact_tokens(Tokens::micros(500'000)), "0.5");
  EXPECT_EQ(exact_tokens(Tokens::micros(2'000'000'000'000'001)), "2000000000.000001");
}

TEST(ShortDuration, HasFourDigitsAndAUnit) {
  EXPECT_EQ(short_duration(Duration(), Rounding::kUp), "0s");
  EXPECT_EQ(short_duration(Duration(7), Rounding::kUp), "7ns");
  EXPECT_EQ(short_duration(Duration::millis(1500), Rounding::kUp), "1.5s");
  EXPECT_EQ(short_duration(Duration::seconds(90), Rounding::kUp), "1.5min");
  EXPECT_EQ(short_duration(Duration::seconds(7200), Rounding::kUp), "2h");
  EXPECT_EQ(short_duration(kForever, Rounding::kDown), "104166d");
}

TEST(ShortDuration, RoundsWaitsUpAndTimesDown) {
  EXPECT_EQ(short_duration(Duration(983'333'333), Rounding::kDown), "983.3ms");
  EXPECT_EQ(short_duration(Duration(983'333'333), Rounding::kUp), "983.4ms");
  EXPECT_EQ(short_duration(Duration(1'000'000'001), Rounding::kDown), "1s");
  EXPECT_EQ(short_duration(Duration(1'000'000'001), Rounding::kUp), "1.001s");
}

TEST(ShortTokens, FitAnAxisLabel) {
  for (const int64_t micros :
       {int64_t{1}, int64_t{333'333}, int64_t{9'999'999'999'999}, int64_t{2'000'000'000'000'000}}) {
    EXPECT_LE(short_tokens(Tokens::micros(micros)).size(), 10u) << micros;
  }
  EXPECT_EQ(short_tokens(Tokens::whole(50)), "50");
  EXPECT_EQ(short_tokens(Tokens::micros(12'345'678)), "12.34");
  EXPECT_EQ(short_tokens(Tokens::whole(2'000'000'000)), "2e+09");
}

TEST(ShortRate, UsesTheUnitThatSuitsIt) {
  EXPECT_EQ(short_rate(*Rate::per_second(10)), "10/s");
  EXPECT_EQ(short_rate(*Rate::per_second(1.0 / 3)), "20/min");
  EXPECT_EQ(short_rate(*Rate::per_second(5.0 / 86'400)), "5/d");
  EXPECT_EQ(short_rate(*Rate::per_second(1e9)), "1e+09/s");
}

}  // namespace
}  // namespace sluice::cli
