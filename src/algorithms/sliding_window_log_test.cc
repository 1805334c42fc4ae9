#include "algorithms/sliding_window_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/sliding_window_log.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

constexpr Instant kEdge{1'700'000'000'000'000'000};  // a multiple of ten seconds

RC_GTEST_PROP(SlidingWindowLog, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::SlidingWindowLog>(any_limit(Algorithm::kSlidingWindowLog), *any_forward_steps());
}

RC_GTEST_PROP(SlidingWindowLog, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::SlidingWindowLog>(any_limit(Algorithm::kSlidingWindowLog), *any_steps());
}

TEST(SlidingWindowLog, FreesEachAdmissionExactlyOneWindowAfterIt) {
  BucketUnderTest bucket(*Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(10)));
  ASSERT_TRUE(bucket.take(kOneToken, kEdge).allowed());
  ASSERT_TRUE(bucket.take(kOneToken, kEdge + Duration::seconds(4)).allowed());
  EXPECT_EQ(bucket.take(kOneToken, kEdge + Duration::seconds(5)).retry_after, Duration::seconds(5));
  EXPECT_EQ(bucket.take(Tokens::whole(2), kEdge + Duration::seconds(5)).retry_after, Duration::seconds(9));
  EXPECT_TRUE(bucket.take(kOneToken, kEdge + Duration::seconds(10)).allowed());
}

TEST(SlidingWindowLog, RejectingUnderAShorterWindowForgetsNothingThatALongerOneCounts) {
  const Limit longer = *Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(10));
  BucketUnderTest bucket(longer);
  ASSERT_TRUE(bucket.take(Tokens::whole(3), kEdge).allowed());
  bucket.change(*Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(1)));
  EXPECT_EQ(bucket.take(kOneToken, kEdge + Duration::millis(400)).retry_after, Duration::millis(600));
  bucket.change(longer);
  EXPECT_EQ(bucket.take(kOneToken, kEdge + Duration::seconds(2)).retry_after, Duration::seconds(8));
}

TEST(SlidingWindowLog, RejectingUnderALongerWindowCountsForAsLongAsItSays) {
  BucketUnderTest bucket(*Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(1)));
  ASSERT_TRUE(bucket.take(Tokens::whole(3), kEdge).allowed());
  bucket.change(*Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(10)));
  EXPECT_EQ(bucket.take(kOneToken, kEdge + Duration::millis(400)).retry_after, Duration::millis(9'600));
  EXPECT_EQ(bucket.take(kOneToken, kEdge + Duration::seconds(2)).retry_after, Duration::seconds(8));
}

// What a short log merges counts for longer than it should, and so never admits what a long one would not.
RC_GTEST_PROP(SlidingWindowLog, WithFewSlotsIsStricterThanTheModelAndNeverLaxer, ()) {
  BucketUnderTest bucket(any_limit(Algorithm::kSlidingWindowLog), static_cast<uint32_t>(*between(1, 5)));
  model::SlidingWindowLog model(bucket.limit());
  Clock clock(*any_start());
  Duration wait;
  for (const Step& step : *any_steps()) {
    clock.go(step, bucket, wait);
    const Instant now = clock.now();
    const Tokens cost = cost_of_step(step, bucket.limit(), bucket.remaining(now));
    const Decision decision = bucket.take(cost, now);
    const model::Answer answer = model.answer(cost, now);
    RC_ASSERT(!decision.allowed() || answer.verdict == Verdict::kAllowed);
    if (decision.allowed() == (answer.verdict == Verdict::kAllowed)) RC_ASSERT(decision.remaining <= answer.remaining);
    if (decision.allowed()) model.take(cost, now);
    expect_honest_wait(bucket, decision, cost, now);
    if (decision.verdict == Verdict::kLimited) wait = decision.retry_after;
  }
}

}  // namespace
}  // namespace sluice
