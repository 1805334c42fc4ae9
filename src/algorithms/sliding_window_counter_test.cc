#include "algorithms/sliding_window_counter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/sliding_window_counter.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

constexpr Instant kEdge{1'700'000'000'000'000'000};  // a multiple of ten seconds

RC_GTEST_PROP(SlidingWindowCounter, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::SlidingWindowCounter>(any_limit(Algorithm::kSlidingWindowCounter), *any_forward_steps());
}

RC_GTEST_PROP(SlidingWindowCounter, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::SlidingWindowCounter>(any_limit(Algorithm::kSlidingWindowCounter), *any_steps());
}

TEST(SlidingWindowCounter, WeighsTheLastWindowByTheShareStillInSight) {
  BucketUnderTest bucket(*Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10)));
  ASSERT_TRUE(bucket.take(Tokens::whole(10), kEdge).allowed());
  EXPECT_EQ(bucket.remaining(kEdge + Duration::seconds(10)), Tokens());
  EXPECT_EQ(bucket.remaining(kEdge + Duration::seconds(13)), Tokens::whole(3));
  EXPECT_EQ(bucket.take(Tokens::whole(7), kEdge + Duration::seconds(13)).retry_after, Duration::seconds(4));
  EXPECT_EQ(bucket.remaining(kEdge + Duration::seconds(20)), Tokens::whole(10));
}

}  // namespace
}  // namespace sluice
