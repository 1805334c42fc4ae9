// Cases that random runs once found, kept as plain tests: each failed before the fix that its name describes.
#include <gtest/gtest.h>

#include <cmath>

#include "properties/bucket_under_test.h"

namespace sluice {
namespace {

using properties::BucketUnderTest;

constexpr Instant kStart{1'700'000'000'000'000'000};

Instant after(Duration time) { return kStart + time; }

TEST(Regression, AWaitOfCenturiesIsCutToTheLongestAndNotShortenedByTimePassed) {
  BucketUnderTest bucket(*Limit::token_bucket(0.0001, 1e9));
  ASSERT_TRUE(bucket.take(Tokens::whole(1'000'000'000), kStart).allowed());
  const Instant later = after(Duration::seconds(100LL * 366 * 86'400));
  EXPECT_EQ(bucket.take(Tokens::whole(1'000'000'000), later).retry_after, kForever);
  EXPECT_EQ(bucket.time_to_full(later), kForever);
}

TEST(Regression, ASlidingCounterWhoseWindowShrankKeepsTheWaitItPromised) {
  BucketUnderTest bucket(*Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(3600)));
  ASSERT_TRUE(bucket.take(Tokens::whole(10), kStart).allowed());
  bucket.change(*Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10)));
  const Decision rejected = bucket.take(kOneToken, after(Duration::seconds(30)));
  ASSERT_EQ(rejected.verdict, Verdict::kLimited);
  EXPECT_TRUE(bucket.take(kOneToken, after(Duration::seconds(30)) + rejected.retry_after).allowed());
}

// Takes all at the start, changes the window while the clock is a day behind, and looks again when it has returned.
Tokens remaining_after_change_in_the_past(const Limit& before, const Limit& changed) {
  BucketUnderTest bucket(before);
  EXPECT_TRUE(bucket.take(before.capacity(), kStart).allowed());
  bucket.change(changed);
  EXPECT_FALSE(bucket.take(kOneToken, after(Duration::seconds(-86'400))).allowed());
  return bucket.remaining(kStart);
}

TEST(Regression, AFixedWindowChangedWhileTheClockIsBackGrantsNothingWhenItReturns) {
  EXPECT_EQ(remaining_after_change_in_the_past(*Limit::fixed_window(Tokens::whole(10), Duration::seconds(10)),
                                               *Limit::fixed_window(Tokens::whole(10), Duration::seconds(20))),
            Tokens());
}

TEST(Regression, ASlidingCounterChangedWhileTheClockIsBackGrantsNothingWhenItReturns) {
  EXPECT_EQ(
      remaining_after_change_in_the_past(*Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10)),
                                         *Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(20))),
      Tokens());
}

// Both windows have one pace, so the count is read as if it had been made in a window of the new length.
TEST(Regression, AFixedWindowLengthenedALittleKeepsWhatWasTaken) {
  BucketUnderTest bucket(*Limit::fixed_window(Tokens::whole(10), Duration::seconds(1000)));
  const Instant now = kStart + Duration::seconds(950);
  ASSERT_TRUE(bucket.take(Tokens::whole(10), now).allowed());
  bucket.change(*Limit::fixed_window(Tokens::whole(10), Duration::millis(1'000'200)));
  EXPECT_EQ(bucket.remaining(now), Tokens());
}

// 20e9 tokens in an hour and a nanosecond are 5.6e6 per second, well within bounds.
TEST(Regression, ARateOfManyTokensInAnUnevenPeriodIsARate) {
  EXPECT_TRUE(Rate::per(20'000'000'001, Duration(3'600'000'000'001)).ok());
}

// 956748130961576.94 millionths: the product with a million rounds to a whole number before it is rounded down or up.
TEST(Regression, ACapacityIsNeverMoreAndACostNeverAMillionthTooMuch) {
  const double number = std::nextafter(956748130.961577, 0);
  EXPECT_EQ(capacity_of(number)->micros(), 956'748'130'961'576);
  EXPECT_EQ(cost_of(number)->micros(), 956'748'130'961'577);
}

}  // namespace
}  // namespace sluice
