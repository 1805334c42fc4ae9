#include "algorithms/fixed_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/fixed_window.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

constexpr Instant kEdge{1'700'000'000'000'000'000};  // a multiple of ten seconds

RC_GTEST_PROP(FixedWindow, AnswersAsTheRationalModelDoesAfterEveryStep, ()) {
  play_all<model::FixedWindow>(any_limit(Algorithm::kFixedWindow), *any_forward_steps());
}

RC_GTEST_PROP(FixedWindow, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::FixedWindow>(any_limit(Algorithm::kFixedWindow), *any_steps());
}

TEST(FixedWindow, StartsAnewAtEveryMultipleOfItsLength) {
  BucketUnderTest bucket(*Limit::fixed_window(Tokens::whole(5), Duration::seconds(10)));
  const Instant last(kEdge.ns - 1);
  EXPECT_TRUE(bucket.take(Tokens::whole(5), last).allowed());
  EXPECT_EQ(bucket.take(kOneToken, last).retry_after, Duration(1));
  EXPECT_TRUE(bucket.take(Tokens::whole(5), kEdge).allowed());
  EXPECT_EQ(bucket.take(kOneToken, kEdge).retry_after, Duration::seconds(10));
}

TEST(FixedWindow, DoesNotStartAnewWhenTheClockGoesBackOverAnEdge) {
  BucketUnderTest bucket(*Limit::fixed_window(Tokens::whole(5), Duration::seconds(10)));
  ASSERT_TRUE(bucket.take(Tokens::whole(5), kEdge).allowed());
  EXPECT_FALSE(bucket.take(kOneToken, Instant(kEdge.ns - 1)).allowed());
  EXPECT_FALSE(bucket.take(kOneToken, kEdge).allowed());
}

}  // namespace
}  // namespace sluice
