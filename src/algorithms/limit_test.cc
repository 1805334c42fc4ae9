#include "sluice/limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sluice {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_rate(double tokens, int64_t numerator, int64_t denominator) {
  const auto rate = Rate::per_second(tokens);
  ASSERT_TRUE(rate.ok()) << tokens;
  EXPECT_EQ(rate->numerator(), numerator) << tokens;
  EXPECT_EQ(rate->denominator(), denominator) << tokens;
}

TEST(Rate, IsTheSimplestFractionThatReadsAsTheNumber) {
  expect_rate(10, 10, 1);
  expect_rate(0.1, 1, 10);
  expect_rate(1.0 / 3, 1, 3);
  expect_rate(100.0 / 60, 5, 3);
  expect_rate(0.0001, 1, 10'000);
  expect_rate(5e6, 5'000'000, 1);
  expect_rate(5.0 / 86'400, 1, 17'280);
  expect_rate(4'999'999.123, 4'999'999'123, 1000);
}

TEST(Rate, LosesLessThanABillionthAndNeverGains) {
  for (double tokens = 1e-9; tokens < 1e9; tokens *= 1.0731) {
    const auto rate = Rate::per_second(tokens);
    ASSERT_TRUE(rate.ok()) << tokens;
    const long double exact = static_cast<long double>(rate->numerator()) / rate->denominator();
    EXPECT_LE(rate->as_double(), tokens);
    EXPECT_LT((tokens - exact) / tokens, 1e-9L) << tokens;
    EXPECT_LT(rate->numerator(), (int64_t{1} << 53) / rate->denominator()) << tokens;
  }
}

TEST(Rate, OfWholeTokensPerPeriodIsReduced) {
  const auto rate = Rate::per(100, Duration::seconds(60));
  ASSERT_TRUE(rate.ok());
  EXPECT_EQ(rate->numerator(), 5);
  EXPECT_EQ(rate->denominator(), 3);
}

TEST(Rate, RefusesWhatIsNoRate) {
  EXPECT_EQ(Rate::per_second(kNan).error().code, ErrorCode::kNotFinite);
  EXPECT_EQ(Rate::per_second(kInfinity).error().code, ErrorCode::kNotFinite);
  EXPECT_EQ(Rate::per_second(-kInfinity).error().code, ErrorCode::kNotFinite);
  EXPECT_EQ(Rate::per_second(0).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Rate::per_second(-0.0).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Rate::per_second(-1).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Rate::per_second(1e-10).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(Rate::per_second(std::numeric_limits<double>::denorm_min()).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(Rate::per_second(1.1e9).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(Rate::per(0, Duration::seconds(1)).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Rate::per(1, Duration()).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Rate::per(INT64_MAX, Duration(1)).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(Rate::per(1, Duration(INT64_MAX)).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(Rate::per(1, Duration::seconds(2'000'000'000)).error().code, ErrorCode::kTooSmall);
}

TEST(Cost, MeetsDecimalsExactlyAndRoundsTheRestUp) {
  EXPECT_EQ(cost_of(0.1)->micros(), 100'000);
  EXPECT_EQ(cost_of(0.000007)->micros(), 7);
  EXPECT_EQ(cost_of(4e-7)->micros(), 1);
  EXPECT_EQ(cost_of(1.0 / 3)->micros(), 333'334);
  EXPECT_EQ(cost_of(1e12)->micros(), 1'000'000'000'000'000'000);
}

TEST(Capacity, MeetsDecimalsExactlyAndRoundsTheRestDown) {
  EXPECT_EQ(capacity_of(0.5)->micros(), 500'000);
  EXPECT_EQ(capacity_of(1.0 / 3)->micros(), 333'333);
  EXPECT_EQ(capacity_of(4e-7).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(capacity_of(1e9)->micros(), 1'000'000'000'000'000);
  EXPECT_EQ(capacity_of(1.1e9).error().code, ErrorCode::kTooLarge);
}

TEST(Limit, RefusesWhatIsNoLimit) {
  for (const double bad : {0.0, -1.0, kNan, kInfinity, -kInfinity, 1e300, 1e-300}) {
    EXPECT_FALSE(Limit::token_bucket(bad, 1).ok()) << bad;
    EXPECT_FALSE(Limit::token_bucket(1, bad).ok()) << bad;
    EXPECT_FALSE(cost_of(bad).ok() && bad != 1e-300) << bad;
  }
  EXPECT_EQ(Limit::fixed_window(kOneToken, Duration()).error().code, ErrorCode::kNotPositive);
  EXPECT_EQ(Limit::fixed_window(kOneToken, Duration(1)).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(Limit::fixed_window(kOneToken, Duration(INT64_MAX)).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(Limit::fixed_window(Tokens(), Duration::seconds(1)).error().code, ErrorCode::kNotPositive);
}

TEST(Limit, KnowsHowLongAnEmptyBucketTakesToFill) {
  EXPECT_EQ(Limit::token_bucket(10, 50)->window(), Duration::seconds(5));
  EXPECT_EQ(Limit::token_bucket(1e-9, 1e9)->window(), kForever);
}

}  // namespace
}  // namespace sluice
