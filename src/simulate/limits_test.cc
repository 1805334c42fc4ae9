#include "simulate/limits.h"

#include <gtest/gtest.h>

namespace sluice::simulate {
namespace {

LimitOptions options(double rate, double burst, std::optional<Duration> window = {}) {
  return {*Rate::per_second(rate), *capacity_of(burst), window};
}

TEST(LimitFor, EveryAlgorithmIsFoundByItsName) {
  for (const Algorithm algorithm : kAlgorithms) EXPECT_EQ(algorithm_named(name_of(algorithm)), algorithm);
  EXPECT_EQ(algorithm_named("token"), std::nullopt);
  EXPECT_EQ(algorithm_named(""), std::nullopt);
}

TEST(LimitFor, MakesALimitOfTheAlgorithmAskedFor) {
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(limit_for(algorithm, options(10, 50))->algorithm(), algorithm);
  }
}

TEST(LimitFor, AWindowIsAsLongAsTheBurstTakesToComeBack) {
  const auto limit = limit_for(Algorithm::kFixedWindow, options(10, 50));
  EXPECT_EQ(limit->capacity(), Tokens::whole(50));
  EXPECT_EQ(limit->window(), Duration::seconds(5));
  EXPECT_EQ(limit_for(Algorithm::kFixedWindow, options(3, 1))->window(), Duration(333'333'334));
}

TEST(LimitFor, AGivenWindowHoldsWhatTheRateBringsInIt) {
  const auto limit = limit_for(Algorithm::kSlidingWindowLog, options(10, 50, Duration::millis(1500)));
  EXPECT_EQ(limit->capacity(), Tokens::whole(15));
  EXPECT_EQ(limit->window(), Duration::millis(1500));
}

TEST(LimitFor, RefusesWindowsThatTheArithmeticCannotHold) {
  EXPECT_EQ(limit_for(Algorithm::kFixedWindow, options(1e6, 50)).error().code, ErrorCode::kTooSmall);
  EXPECT_STREQ(limit_for(Algorithm::kFixedWindow, options(1e6, 50)).error().field, "window");
  EXPECT_STREQ(limit_for(Algorithm::kFixedWindow, options(1e-9, 1, Duration::millis(1))).error().field, "capacity");
  const auto centuries = limit_for(Algorithm::kFixedWindow, options(1e9, 1, Duration::seconds(3'000'000'000)));
  EXPECT_EQ(centuries.error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace sluice::simulate
