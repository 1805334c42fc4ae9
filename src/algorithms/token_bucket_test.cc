#include "algorithms/token_bucket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/token_bucket.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

constexpr Instant kStart{1'700'000'000'000'000'000};

RC_GTEST_PROP(TokenBucket, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kTokenBucket), *any_forward_steps());
}

RC_GTEST_PROP(TokenBucket, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kTokenBucket), *any_steps());
}

RC_GTEST_PROP(TokenBucket, ARejectionChangesNothing, ()) {
  const Limit limit = any_limit(Algorithm::kTokenBucket);
  BucketUnderTest bucket(limit);
  Clock clock(*any_start());
  admissions(bucket, clock, *any_steps());
  const BucketState before = bucket.state();
  const Tokens too_much = bucket.remaining(clock.now()) + Tokens::micros(1);
  const Outcome outcome = token_bucket::decide(limit, before, too_much, clock.now());
  RC_ASSERT(!outcome.decision.allowed());
  RC_ASSERT(!outcome.changed);
  RC_ASSERT(outcome.state == before);
}

// A refund before the latest admission is off by less than a period's tokens, and heals when the clock returns.
RC_GTEST_PROP(TokenBucket, ARefundWhileTheClockIsBackGivesBackItsCostAndNoMore, ()) {
  const Limit limit = any_limit(Algorithm::kTokenBucket);
  BucketUnderTest bucket(limit);
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Tokens cost = Tokens::micros(*between(1, limit.capacity().micros()));
  RC_PRE(bucket.take(cost, clock.now()).allowed());
  const Tokens back = Tokens::micros(*between(1, cost.micros()));
  const int64_t expected = std::min(limit.capacity().micros(), bucket.remaining(clock.now()).micros() + back.micros());
  bucket.refund(back, Instant(clock.now().ns - *between(0, 1'000'000'000'000)));
  RC_ASSERT(bucket.remaining(clock.now()).micros() == expected);
}

TEST(TokenBucket, AnEmptyBucketYieldsItsNextTokenAfterExactlyOneRefillInterval) {
  BucketUnderTest bucket(*Limit::token_bucket(10, 10));
  ASSERT_TRUE(bucket.take(Tokens::whole(10), kStart).allowed());
  const Decision early = bucket.take(kOneToken, kStart + Duration::millis(99));
  EXPECT_FALSE(early.allowed());
  EXPECT_EQ(early.retry_after, Duration::millis(1));
  EXPECT_TRUE(bucket.take(kOneToken, kStart + Duration::millis(100)).allowed());
}

TEST(TokenBucket, IdleTimeIsNotBankedBeyondCapacity) {
  BucketUnderTest bucket(*Limit::token_bucket(1, 10));
  ASSERT_TRUE(bucket.take(Tokens::whole(10), kStart).allowed());
  const Instant later = kStart + Duration::seconds(17);
  for (int passed = 0; passed < 10; ++passed) EXPECT_TRUE(bucket.take(kOneToken, later).allowed()) << passed;
  EXPECT_FALSE(bucket.take(kOneToken, later).allowed());
}

TEST(TokenBucket, AnIntervalIsNotCreditedTwiceWhenTheClockGoesBackAndReturns) {
  BucketUnderTest bucket(*Limit::token_bucket(1, 10));
  const Instant later = kStart + Duration::seconds(10);
  ASSERT_TRUE(bucket.take(Tokens::whole(10), kStart).allowed());
  ASSERT_TRUE(bucket.take(Tokens::whole(10), later).allowed());
  EXPECT_FALSE(bucket.take(kOneToken, kStart).allowed());
  EXPECT_FALSE(bucket.take(kOneToken, later).allowed());
  EXPECT_TRUE(bucket.take(kOneToken, later + Duration::seconds(1)).allowed());
}

TEST(TokenBucket, PeekingTakesNothing) {
  BucketUnderTest bucket(*Limit::token_bucket(1, 10));
  ASSERT_TRUE(bucket.take(Tokens::whole(3), kStart).allowed());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bucket.peek(kOneToken, kStart).remaining, Tokens::whole(6));
  EXPECT_EQ(bucket.take(kOneToken, kStart).remaining, Tokens::whole(6));
}

TEST(TokenBucket, ARefundNeverFillsItAboveCapacity) {
  BucketUnderTest bucket(*Limit::token_bucket(1, 10));
  ASSERT_TRUE(bucket.take(Tokens::whole(3), kStart).allowed());
  bucket.refund(Tokens::whole(2), kStart);
  EXPECT_EQ(bucket.remaining(kStart), Tokens::whole(9));
  bucket.refund(Tokens::whole(100), kStart);
  EXPECT_EQ(bucket.remaining(kStart), Tokens::whole(10));
}

}  // namespace
}  // namespace sluice
