// The leaky bucket, as a meter and as a queue, has no file of its own: see token_bucket.h.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/token_bucket.h"
#include "model/token_bucket.h"
#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;

constexpr Instant kStart{1'700'000'000'000'000'000};

RC_GTEST_PROP(LeakyBucket, AnswersAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kLeakyBucket), *any_steps());
}

RC_GTEST_PROP(LeakyQueue, AnswersAndDelaysAsTheRationalModelDoesThoughTheClockJumpsBack, ()) {
  play_all<model::TokenBucket>(any_limit(Algorithm::kLeakyQueue), *any_steps());
}

// Released one after another, admitted requests never outrun the rate: each starts when the ones before have drained.
RC_GTEST_PROP(LeakyQueue, ReleasesWhatItAdmitsNoFasterThanTheRate, ()) {
  BucketUnderTest queue(any_limit(Algorithm::kLeakyQueue));
  RC_PRE(queue.limit().window() < Duration(1'000'000'000'000'000'000));
  const model::Rational rate = model::per_second(queue.limit().rate());
  Clock clock(*any_start());
  model::Rational free_from = model::seconds(clock.now());
  Duration wait;
  for (const Step& step : *any_forward_steps()) {
    clock.go(step, queue, wait);
    const Tokens cost = cost_of_step(step, queue.limit(), queue.remaining(clock.now()));
    const Decision decision = queue.take(cost, clock.now());
    if (decision.verdict == Verdict::kLimited) wait = decision.retry_after;
    if (!decision.allowed()) continue;
    const Instant released = clock.now() + decision.delay;
    RC_ASSERT(model::seconds(released) >= free_from);
    RC_ASSERT(decision.delay.ns == 0 || model::seconds(Instant(released.ns - 1)) < free_from);
    free_from = std::max(free_from, model::seconds(clock.now())) + model::tokens(cost) / rate;
  }
}

TEST(LeakyQueue, SpreadsABurstOutAtTheRate) {
  BucketUnderTest queue(*Limit::leaky_queue(*Rate::per_second(10), Tokens::whole(3)));
  EXPECT_EQ(queue.take(kOneToken, kStart).delay, Duration());
  EXPECT_EQ(queue.take(kOneToken, kStart).delay, Duration::millis(100));
  EXPECT_EQ(queue.take(kOneToken, kStart).delay, Duration::millis(200));
  const Decision fourth = queue.take(kOneToken, kStart);
  EXPECT_EQ(fourth.verdict, Verdict::kLimited);
  EXPECT_EQ(fourth.retry_after, Duration::millis(100));
}

TEST(LeakyBucket, AsAMeterDelaysNothing) {
  BucketUnderTest meter(*Limit::leaky_bucket(*Rate::per_second(10), Tokens::whole(3)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(meter.take(kOneToken, kStart).delay, Duration());
}

}  // namespace
}  // namespace sluice
