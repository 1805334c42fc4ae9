// Cases that the property tests found and that are not fixed yet. Each fails; when it passes, it moves to
// regressions_test.cc and this file goes.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/bucket_under_test.h"

namespace sluice {
namespace {

using properties::BucketUnderTest;

constexpr Instant kStart{1'700'000'000'000'000'000};

// Both windows have one pace, so the count is read as if it had been made in a window of the new length.
TEST(Finding, AFixedWindowLengthenedALittleKeepsWhatWasTaken) {
  BucketUnderTest bucket(*Limit::fixed_window(Tokens::whole(10), Duration::seconds(1000)));
  const Instant now = kStart + Duration::seconds(950);
  ASSERT_TRUE(bucket.take(Tokens::whole(10), now).allowed());
  bucket.change(*Limit::fixed_window(Tokens::whole(10), Duration::millis(1'000'200)));
  EXPECT_EQ(bucket.remaining(now), Tokens());
}

// 20e9 tokens in an hour and a nanosecond are 5.6e6 per second, well within bounds.
TEST(Finding, ARateOfManyTokensInAnUnevenPeriodIsARate) {
  EXPECT_TRUE(Rate::per(20'000'000'001, Duration(3'600'000'000'001)).ok());
}

// 1406484350102717.94 millionths: the product with a million rounds to a whole number before it is rounded down or up.
TEST(Finding, ACapacityIsNeverMoreAndACostNeverAMillionthTooMuch) {
  const double number = std::nextafter(1406484350.102718, 0);
  EXPECT_EQ(capacity_of(number)->micros(), 1'406'484'350'102'717);
  EXPECT_EQ(cost_of(number)->micros(), 1'406'484'350'102'718);
}

}  // namespace
}  // namespace sluice
