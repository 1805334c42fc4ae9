// Law 8: a full bucket is no bucket. What a store may forget, and how soon it may.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/rational.h"
#include "properties/steps.h"

namespace sluice {
namespace {

using namespace properties;

rc::Gen<Algorithm> any_small_algorithm() {
  return rc::gen::element(Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kLeakyQueue,
                          Algorithm::kFixedWindow);
}

void expect_same_answers(BucketUnderTest kept, BucketUnderTest fresh, Instant start) {
  Clock clock(start);
  Duration wait;
  for (const Step& step : *any_forward_steps()) {
    clock.go(step, fresh, wait);
    const Instant now = clock.now();
    const Tokens cost = cost_of_step(step, fresh.limit(), fresh.remaining(now));
    if (step.action == Action::kRefund) {
      kept.refund(cost, now);
      fresh.refund(cost, now);
    }
    const Decision a = kept.take(cost, now);
    const Decision b = fresh.take(cost, now);
    RC_ASSERT(static_cast<int>(a.verdict) == static_cast<int>(b.verdict));
    RC_ASSERT(a.remaining == b.remaining);
    RC_ASSERT(a.retry_after == b.retry_after);
    RC_ASSERT(a.delay == b.delay);
    RC_ASSERT(kept.time_to_full(now) == fresh.time_to_full(now));
    if (b.verdict == Verdict::kLimited) wait = b.retry_after;
  }
}

// A moment at which the bucket says that it is full: the first, or one after it.
Instant moment_of_fullness(const BucketUnderTest& bucket, Instant now) {
  int64_t not_yet = now.ns;
  int64_t full = now.ns;
  for (int64_t stride = 1; !bucket.is_full(Instant(full)); stride *= 2) {
    RC_PRE(full < INT64_MAX / 4);
    not_yet = full;
    full = now.ns + stride;
  }
  while (full - not_yet > 1) {
    const int64_t middle = not_yet + (full - not_yet) / 2;
    (bucket.is_full(Instant(middle)) ? full : not_yet) = middle;
  }
  return Instant(full + *rc::gen::element<int64_t>(0, 0, 1, 1'000'000'000));
}

RC_GTEST_PROP(Law8FullBucket, AnswersAsOneNeverSeenUnderItsOwnLimit, ()) {
  const Limit limit = any_limit(*any_algorithm());
  BucketUnderTest bucket(limit);
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  expect_same_answers(bucket, BucketUnderTest(limit), moment_of_fullness(bucket, clock.now()));
}

RC_GTEST_PROP(Law8FullBucket, AnswersAsOneNeverSeenUnderAnyOtherLimit, ()) {
  BucketUnderTest bucket(any_limit(*any_small_algorithm()));
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Instant full = moment_of_fullness(bucket, clock.now());
  const Limit other = any_limit(*any_algorithm());
  bucket.change(other);
  expect_same_answers(bucket, BucketUnderTest(other), full);
}

RC_GTEST_PROP(Law8FullBucket, AnswersAsOneNeverSeenUnderALimitThatDiffersALittle, ()) {
  const Limit limit = any_limit(Algorithm::kTokenBucket);
  BucketUnderTest bucket(limit);
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Instant full = moment_of_fullness(bucket, clock.now());
  const auto rate = Rate::per_second(limit.rate().as_double() * (0.997 + 0.006 * *share()));
  const Limit other = *Limit::token_bucket(*rate, Tokens::micros(limit.capacity().micros() + *between(0, 10)));
  bucket.change(other);
  expect_same_answers(bucket, BucketUnderTest(other), full);
}

RC_GTEST_PROP(Law8FullBucket, OfASlidingCounterAnswersAsOneNeverSeenUnderAnotherWindow, ()) {
  BucketUnderTest bucket(any_limit(Algorithm::kSlidingWindowCounter));
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Instant full = moment_of_fullness(bucket, clock.now());
  const Limit other = any_limit(Algorithm::kSlidingWindowCounter);
  bucket.change(other);
  expect_same_answers(bucket, BucketUnderTest(other), full);
}

RC_GTEST_PROP(Law8FullBucket, IsNeverSaidToBeFullWhileSomethingIsMissing, ()) {
  BucketUnderTest bucket(any_limit(*any_algorithm()));
  Clock clock(*any_start());
  admissions(bucket, clock, *any_steps());
  const Duration to_full = bucket.time_to_full(clock.now());
  RC_PRE(to_full.ns > 0 && to_full < kForever);
  RC_ASSERT(!bucket.is_full(clock.now() + Duration(*between(0, to_full.ns - 1))));
  RC_ASSERT(!bucket.is_full(clock.now() + Duration(to_full.ns - 1)));
}

// The pace is off by less than 1/64, counts microseconds, and units of 1024 us beyond two years.
RC_GTEST_PROP(Law8FullBucket, IsKnownToBeFullAtTheLatestASixtyFourthAfterItIs, ()) {
  const Limit limit = any_limit(*any_small_algorithm());
  BucketUnderTest bucket(limit);
  Clock clock(*any_start());
  const std::vector<Passed> passed = admissions(bucket, clock, *any_forward_steps());
  RC_PRE(!passed.empty() && bucket.time_to_full(clock.now()).ns > 0 && bucket.time_to_full(clock.now()) < kForever);
  const Instant full = clock.now() + bucket.time_to_full(clock.now());
  const int64_t before_admission =
      limit.algorithm() == Algorithm::kFixedWindow ? limit.window().ns : limit.rate().denominator() * 1000;
  const int64_t elapsed = full.ns - passed.back().at.ns + before_admission;
  const int64_t rounding = elapsed >> 55 != 0 ? 1'025'000 : 2'000;
  RC_PRE(elapsed < INT64_MAX / 4);
  RC_ASSERT(bucket.is_full(full + Duration(elapsed / 64 + rounding)));
}

}  // namespace
}  // namespace sluice
