#include "doors/quota.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "doors/answers_testing.h"
#include "sluice/limiter.h"

namespace sluice::doors {
namespace {

using limiter::BucketAnswer;

class StoppedClock final : public Clock {
 public:
  Instant now() override { return now_; }
  void advance(Duration by) { now_ = now_ + by; }

 private:
  Instant now_{1'000'000'000'000};
};

BucketAnswer bucket_of(const Limit& limit, const BucketSpec& spec) {
  return {"", "", "", &limit, spec.cost, spec.allowed, spec.remaining, spec.retry_after, spec.reset_after};
}

TEST(Quota, IsTheWholeTokensOfCapacityAndNeverNone) {
  EXPECT_EQ(quota_of(*Limit::token_bucket(10, 20)), 20);
  EXPECT_EQ(quota_of(*Limit::token_bucket(10, 20.999999)), 20);
  EXPECT_EQ(quota_of(*Limit::token_bucket(10, 0.5)), 1);
  EXPECT_EQ(quota_of(*Limit::token_bucket(10, 1e9)), 1'000'000'000);
}

TEST(Quota, ItsWindowIsTheTimeToFillRoundedUpAndAtLeastASecond) {
  EXPECT_EQ(window_seconds(*Limit::token_bucket(10, 20)), 2);
  EXPECT_EQ(window_seconds(*Limit::token_bucket(10, 21)), 3);
  EXPECT_EQ(window_seconds(*Limit::token_bucket(1000, 1)), 1);
  EXPECT_EQ(window_seconds(*Limit::fixed_window(Tokens::whole(100), Duration::seconds(3600))), 3600);
}

TEST(Quota, WhileTokensAreLeftMoreIsTheNextWholeOne) {
  const Limit limit = *Limit::token_bucket(0.1, 20);
  // 7.5 of 20 at a token in ten seconds: 125 s to full, 5 s to the eighth.
  const BucketSpec spec{.remaining = Tokens::micros(7'500'000), .reset_after = Duration::seconds(125)};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, spec)), 5);
}

TEST(Quota, WithNoneLeftMoreIsWhatTheSameRequestTakes) {
  const Limit limit = *Limit::token_bucket(0.1, 20);
  const BucketSpec taken{.remaining = Tokens(), .reset_after = Duration::seconds(200), .cost = Tokens::whole(3)};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, taken)), 30);
  const BucketSpec refused{.remaining = Tokens::micros(500'000),
                           .reset_after = Duration::seconds(195),
                           .cost = Tokens::whole(3),
                           .allowed = false,
                           .retry_after = Duration(25'000'000'001)};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, refused)), 26);
}

TEST(Quota, AFullBucketGetsNoMore) {
  const Limit limit = *Limit::token_bucket(10, 20);
  EXPECT_EQ(seconds_to_more(bucket_of(limit, {.remaining = Tokens::whole(20), .reset_after = Duration()})),
            std::nullopt);
  const Limit odd = *Limit::token_bucket(10, 2.5);
  const BucketSpec nearly{.remaining = Tokens::micros(2'200'000), .reset_after = Duration::millis(30)};
  EXPECT_EQ(seconds_to_more(bucket_of(odd, nearly)), std::nullopt);
}

TEST(Quota, AFractionThatLetsTheSameRequestPassAgainNeedsNoWait) {
  const Limit limit = *Limit::token_bucket(1, 0.5);
  const BucketSpec spec{
      .remaining = Tokens::micros(400'000), .reset_after = Duration::millis(100), .cost = Tokens::micros(100'000)};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, spec)), 0);
}

TEST(Quota, WhatIsRefusedForEverIsToldOfTheNextTokenAndNoWaitForItself) {
  const Limit limit = *Limit::token_bucket(0.1, 20);
  const BucketSpec spec{.remaining = Tokens::micros(500'000),
                        .reset_after = Duration::seconds(195),
                        .cost = Tokens::whole(21),
                        .allowed = false,
                        .retry_after = kForever};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, spec)), 5);
}

TEST(Quota, ARefusedRequestThatNeedsLessThanAWholeTokenIsNotToldToWaitForOne) {
  const Limit limit = *Limit::token_bucket(0.1, 20);
  const BucketSpec spec{.remaining = Tokens::micros(3'200'000),
                        .reset_after = Duration::seconds(168),
                        .cost = Tokens::micros(3'500'000),
                        .allowed = false,
                        .retry_after = Duration::seconds(3)};
  EXPECT_EQ(seconds_to_more(bucket_of(limit, spec)), 3);
}

// A real bucket, asked once when something has been taken from it and some of that has come back.
struct Scene {
  explicit Scene(const Limit& its_limit, Tokens its_cost) : limit(its_limit), cost(its_cost) {
    limiter.take("k", Tokens::micros(*properties::between(1, limit.capacity().micros())));
    clock.advance(Duration(*properties::between(0, limit.window().ns / 4)));
    decision = limiter.take("k", cost);
  }

  BucketAnswer answer() {
    return {"",
            "",
            "k",
            &limit,
            cost,
            decision.allowed(),
            decision.remaining,
            decision.retry_after,
            limiter.time_to_full("k")};
  }
  bool passes() { return limiter.peek("k", cost).allowed(); }
  bool has_grown() { return limiter.peek("k", cost).remaining.floor() > decision.remaining.floor(); }
  bool has_more() {
    if (decision.remaining.floor() == 0) return passes();
    return has_grown() || (!decision.allowed() && passes());
  }

  const Limit limit;
  const Tokens cost;
  StoppedClock clock;
  Limiter limiter = *Limiter::create(limit, {.max_bytes = 1 << 20, .clock = &clock, .huge_pages = false});
  Decision decision;
};

RC_GTEST_PROP(Quota, MoreIsThereAfterTheSecondsToldAndNotASecondBefore, ()) {
  const Limit limit = properties::any_limit(*properties::any_bucket_algorithm());
  Scene scene(limit, Tokens::micros(*properties::between(1, limit.capacity().micros())));
  const auto seconds = seconds_to_more(scene.answer());
  if (!seconds) {
    scene.clock.advance(limit.window());
    RC_ASSERT(!scene.has_grown());
    return;
  }
  if (*seconds > 0) {
    RC_ASSERT(!scene.has_more());
    // A wait that is rounded up to a nanosecond may end one after the whole second.
    const Duration nearly(Duration::seconds(*seconds - 1).ns - 1);
    scene.clock.advance(std::max(nearly, Duration()));
    // Of a bucket that takes centuries to fill, the wait is known to a millionth of a token only.
    RC_ASSERT(!scene.has_more() || limit.window() >= kForever);
    scene.clock.advance(Duration(Duration::seconds(*seconds).ns - std::max<int64_t>(nearly.ns, 0)));
  }
  RC_ASSERT(scene.has_more());
}

TEST(Quota, AWaitOfWholeSecondsIsToldAsSuchThoughTheTimeUntilFullIsNoWholeNumber) {
  StoppedClock clock;
  const Limit limit = *Limit::token_bucket(3, 20);
  auto limiter = *Limiter::create(limit, {.max_bytes = 1 << 20, .clock = &clock, .huge_pages = false});
  limiter.take("k", Tokens::whole(17));
  const Decision decision = limiter.take("k", Tokens::whole(3));
  const BucketAnswer bucket{
      "", "", "k", &limit, Tokens::whole(3), true, decision.remaining, decision.retry_after, limiter.time_to_full("k")};
  EXPECT_EQ(seconds_to_more(bucket), 1);
}

RC_GTEST_PROP(Quota, OfAWindowMoreIsThereAfterTheSecondsTold, ()) {
  const auto algorithm =
      *rc::gen::element(Algorithm::kFixedWindow, Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter);
  const auto window = properties::window_limit(algorithm, *properties::any_capacity(), *properties::any_window());
  RC_PRE(window.ok());
  const Limit limit = *window;
  RC_PRE(limit.capacity() > Tokens::whole(2));
  Scene scene(limit, Tokens::micros(*properties::between(1'000'000, limit.capacity().micros())));
  const auto seconds = seconds_to_more(scene.answer());
  RC_PRE(seconds.has_value());
  scene.clock.advance(Duration::seconds(*seconds));
  RC_ASSERT(scene.has_more() || scene.limiter.time_to_full("k") == Duration());
}

}  // namespace
}  // namespace sluice::doors
