// Plays a random run on a bucket and on its model, and compares every answer: verdict, remaining, waits.
#pragma once

#include "model/rational.h"
#include "model/token_bucket.h"
#include "properties/steps.h"

namespace sluice::properties {

// Waits are the same to the nanosecond, but that those near the longest (142 years and more) may be cut to it.
inline void expect_same(Duration wait, Duration truth) {
  if (wait == kForever && truth.ns >= kForever.ns - Clock::kSpan) return;
  RC_ASSERT(wait.ns == truth.ns);
}

inline void expect_same(const Decision& decision, const model::Answer& answer) {
  RC_ASSERT(static_cast<int>(decision.verdict) == static_cast<int>(answer.verdict));
  RC_ASSERT(decision.remaining.micros() == answer.remaining.micros());
  expect_same(decision.retry_after, answer.retry_after);
  expect_same(decision.delay, answer.delay);
}

// Where the clock stands before the latest change the engine may decide as of up to one period earlier: stricter by
// less than the tokens of a period, and never laxer. Waits are exact all the same: they end where the tokens are.
inline void expect_agreement_after_jump_back(const Decision& decision, const model::TokenBucket& model,
                                             const BucketUnderTest& bucket, Tokens cost) {
  const Instant latest = *model.latest();
  const model::Answer laxest = model.answer(cost, latest);
  const model::Rational strictest =
      model.tokens_at(latest) - model::fraction(bucket.limit().rate().numerator(), 1'000'000);
  if (decision.allowed()) RC_ASSERT(laxest.verdict == Verdict::kAllowed);
  if (strictest >= model::tokens(cost)) RC_ASSERT(decision.allowed());
  RC_ASSERT(decision.remaining <=
            (decision.allowed() ? laxest.remaining : model::floor_to_millionth(model.tokens_at(latest))));
  const model::Rational left = strictest - (decision.allowed() ? model::tokens(cost) : model::Rational(0));
  RC_ASSERT(model::tokens(decision.remaining) + model::fraction(1, 1'000'000) > left);
}

inline void expect_agreement(const Decision& decision, const model::TokenBucket& model, const BucketUnderTest& bucket,
                             Tokens cost, Instant now) {
  if (!model.latest() || now >= *model.latest()) return expect_same(decision, model.answer(cost, now));
  expect_agreement_after_jump_back(decision, model, bucket, cost);
  if (decision.verdict == Verdict::kLimited) {
    expect_same(decision.retry_after, model::wait_until(model.moment_of(model::tokens(cost)), now));
  } else if (decision.allowed()) {
    expect_same(decision.delay, model.answer(cost, now).delay);
  }
}

template <class Model>
void expect_agreement(const Decision& decision, const Model& model, const BucketUnderTest&, Tokens cost, Instant now) {
  expect_same(decision, model.answer(cost, now));
}

// Law 4, at every rejection: admitted when the wait is over, and not a nanosecond sooner.
inline void expect_honest_wait(const BucketUnderTest& bucket, const Decision& rejection, Tokens cost, Instant now) {
  if (rejection.verdict != Verdict::kLimited) return;
  RC_ASSERT(rejection.retry_after.ns > 0);
  // A wait beyond the end of time cannot be waited for.
  if (rejection.retry_after == kForever || now + rejection.retry_after == Instant(INT64_MAX)) return;
  RC_ASSERT(bucket.peek(cost, now + rejection.retry_after).allowed());
  RC_ASSERT(!bucket.peek(cost, now + Duration(rejection.retry_after.ns - 1)).allowed());
  if (rejection.retry_after < Duration::millis(1)) return;
  RC_ASSERT(!bucket.peek(cost, now + Duration(rejection.retry_after.ns - 1'000'000)).allowed());
}

// A refund before the latest change of a bucket may be off by a period's tokens; it has a test of its own.
inline Instant refund_time(const model::TokenBucket& model, Instant now) {
  return std::max(now, model.latest().value_or(now));
}
template <class Model>
Instant refund_time(const Model&, Instant now) {
  return now;
}

// Plays one step on both; returns what the caller was told.
template <class Model>
Decision play(const Step& step, BucketUnderTest& bucket, Model& model, Instant now) {
  const Tokens cost = cost_of_step(step, bucket.limit(), bucket.remaining(now));
  if (step.action == Action::kRefund) {
    now = refund_time(model, now);
    bucket.refund(cost, now);
    model.refund(cost, now);
    RC_ASSERT(bucket.remaining(now) <= bucket.limit().capacity());
  }
  const bool takes = step.action == Action::kTake || step.action == Action::kPoll;
  const Decision decision = takes ? bucket.take(cost, now) : bucket.peek(cost, now);
  RC_LOG() << "at " << now.ns << " cost " << cost.micros() << (takes ? " take" : " peek") << " verdict "
           << static_cast<int>(decision.verdict) << " remaining " << decision.remaining.micros() << " retry_after "
           << decision.retry_after.ns << "\n";
  expect_agreement(decision, model, bucket, cost, now);
  if (takes && decision.allowed()) model.take(cost, now);
  expect_honest_wait(bucket, decision, cost, now);
  expect_same(bucket.time_to_full(now), model.time_to_full(now));
  return decision;
}

template <class Model>
void play_all(const Limit& limit, const Steps& steps) {
  BucketUnderTest bucket(limit);
  Model model(limit);
  Clock clock(*any_start());
  Duration wait;
  for (const Step& step : steps) {
    clock.go(step, bucket, wait);
    const Decision decision = play(step, bucket, model, clock.now());
    if (decision.verdict == Verdict::kLimited) wait = decision.retry_after;
  }
}

}  // namespace sluice::properties
