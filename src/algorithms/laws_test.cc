// The laws of rate limiting that hold for a single bucket (1, 2, 4, 5, 7), each for every algorithm that claims it.
// Law 3 is in long_run_test.cc, law 8 in full_bucket_test.cc; law 6 belongs to the stores.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;
__extension__ using Wide = __int128;

// Some bucket, somewhere in its life, and the clock beside it.
struct Scene {
  BucketUnderTest bucket;
  Clock clock;
};

Scene any_scene(Algorithm algorithm, const Steps& steps) {
  Scene scene{BucketUnderTest(any_limit(algorithm)), Clock(*any_start())};
  admissions(scene.bucket, scene.clock, steps);
  return scene;
}

RC_GTEST_PROP(Law1Burst, FromFullExactlyCapacityOverCostRequestsPassAtOneInstant, ()) {
  const Limit limit = any_limit(*any_algorithm());
  const int64_t capacity = limit.capacity().micros();
  const int64_t parts = *between(1, 300);
  const Tokens cost = Tokens::micros(std::max<int64_t>(1, capacity / parts + *between(-1, 1)));
  RC_PRE(cost <= limit.capacity());
  const Instant now = *any_start();
  BucketUnderTest bucket(limit, 1024);
  int64_t passed = 0;
  while (bucket.take(cost, now).allowed()) ++passed;
  RC_ASSERT(passed == capacity / cost.micros());
}

// All intervals that start and end with an admission: the tightest ones.
void expect_cap(const Limit& limit, const std::vector<Passed>& passed) {
  const Wide period_ns = Wide{limit.rate().denominator()} * 1000;
  for (size_t first = 0; first < passed.size(); ++first) {
    Wide admitted = 0;
    for (size_t last = first; last < passed.size(); ++last) {
      admitted += passed[last].micros;
      const Wide refilled = Wide{limit.rate().numerator()} * (passed[last].at.ns - passed[first].at.ns);
      RC_ASSERT(admitted * period_ns <= limit.capacity().micros() * period_ns + refilled);
    }
  }
}

RC_GTEST_PROP(Law2Cap, NoIntervalAdmitsMoreThanCapacityPlusRateTimesItsLength, ()) {
  BucketUnderTest bucket(any_limit(*any_bucket_algorithm()));
  Clock clock(*any_start());
  expect_cap(bucket.limit(), admissions(bucket, clock, *any_forward_steps()));
}

RC_GTEST_PROP(Law2Cap, HoldsForGreedyCallersWhoTakeAllThereIsAtEveryInstant, ()) {
  BucketUnderTest bucket(any_limit(*any_bucket_algorithm()));
  Clock clock(*any_start());
  Steps steps = *any_forward_steps();
  for (Step& step : steps) {
    step.cost = CostPlan::kRemaining;
    step.action = Action::kTake;
  }
  expect_cap(bucket.limit(), admissions(bucket, clock, steps));
}

RC_GTEST_PROP(Law2Cap, HoldsOnTheTimeThatNeverGoesBackThoughTheClockDoes, ()) {
  BucketUnderTest bucket(any_limit(*any_bucket_algorithm()));
  Clock clock(*any_start());
  expect_cap(bucket.limit(), admissions(bucket, clock, *any_steps()));
}

RC_GTEST_PROP(Law2Cap, NoWindowWhereverItStartsHoldsMoreThanTheCapacityOfASlidingLog, ()) {
  // Few slots, so that admissions are also merged.
  BucketUnderTest bucket(any_limit(Algorithm::kSlidingWindowLog), static_cast<uint32_t>(*between(1, 20)));
  Clock clock(*any_start());
  const std::vector<Passed> passed = admissions(bucket, clock, *any_steps());
  for (size_t first = 0; first < passed.size(); ++first) {
    int64_t admitted = 0;
    for (size_t last = first; last < passed.size(); ++last) {
      if (passed[last].at - passed[first].at >= bucket.limit().window()) break;
      admitted += passed[last].micros;
      RC_ASSERT(admitted <= bucket.limit().capacity().micros());
    }
  }
}

RC_GTEST_PROP(Law4HonestWait, TheRejectedAreAdmittedWhenTheWaitIsOverAndNotSooner, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_steps());
  const Instant now = scene.clock.now();
  const Tokens there = scene.bucket.remaining(now);
  RC_PRE(there < scene.bucket.limit().capacity());
  const Tokens cost = Tokens::micros(*between(there.micros() + 1, scene.bucket.limit().capacity().micros()));
  const Decision rejection = scene.bucket.take(cost, now);
  RC_ASSERT(static_cast<int>(rejection.verdict) == static_cast<int>(Verdict::kLimited));
  expect_honest_wait(scene.bucket, rejection, cost, now);
}

RC_GTEST_PROP(Law4HonestWait, PollingWhileWaitingDoesNotMoveTheMomentOfAdmission, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_forward_steps());
  const Instant now = scene.clock.now();
  const Tokens cost = scene.bucket.limit().capacity();
  const Decision first = scene.bucket.peek(cost, now);
  RC_PRE(first.verdict == Verdict::kLimited && first.retry_after < kForever &&
         now + first.retry_after < Instant(INT64_MAX));
  for (int poll = 0; poll < 20; ++poll) {
    const int64_t waited = *between(0, first.retry_after.ns - 1);
    const Decision again = scene.bucket.take(cost, now + Duration(waited));
    RC_ASSERT(!again.allowed());
    RC_ASSERT(again.retry_after.ns == first.retry_after.ns - waited);
  }
  RC_ASSERT(scene.bucket.take(cost, now + first.retry_after).allowed());
}

RC_GTEST_PROP(Law5Monotonic, AClockThatJumpsBackGrantsNothing, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_steps());
  const Instant later = scene.clock.now();
  const Tokens cost = Tokens::micros(*between(1, scene.bucket.limit().capacity().micros()));
  scene.bucket.take(cost, later);
  const Tokens there = scene.bucket.remaining(later);
  const Instant earlier(later.ns - *between(0, 1'000'000'000'000'000));
  RC_ASSERT(scene.bucket.remaining(earlier) <= there);
}

RC_GTEST_PROP(Law5Monotonic, AJumpBackAndForthIsAsIfItHadNotHappened, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_forward_steps());
  BucketUnderTest undisturbed = scene.bucket;
  const Instant later = scene.clock.now();
  const Tokens impossible = scene.bucket.limit().capacity() + Tokens::micros(1);
  for (const int64_t back : *rc::gen::container<std::vector<int64_t>>(between(0, 1'000'000'000'000'000))) {
    scene.bucket.take(impossible, Instant(later.ns - back));
  }
  const Instant after(later.ns + *between(0, 1'000'000'000'000));
  const Tokens cost = Tokens::micros(*between(1, scene.bucket.limit().capacity().micros()));
  const Decision disturbed = scene.bucket.take(cost, after);
  const Decision expected = undisturbed.take(cost, after);
  RC_ASSERT(disturbed.allowed() == expected.allowed());
  RC_ASSERT(disturbed.remaining.micros() == expected.remaining.micros());
  RC_ASSERT(disturbed.retry_after.ns == expected.retry_after.ns);
}

RC_GTEST_PROP(Law5Monotonic, ATakeBeforeTheLatestOneIsCreditedNoIntervalTwice, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_forward_steps());
  const Instant later = scene.clock.now();
  if (!scene.bucket.take(Tokens::micros(1), later).allowed()) RC_DISCARD("empty");
  BucketUnderTest undisturbed = scene.bucket;
  const Instant earlier(later.ns - *between(0, 1'000'000'000'000'000));
  const Tokens cost = Tokens::micros(*between(1, scene.bucket.limit().capacity().micros()));
  RC_PRE(scene.bucket.take(cost, earlier).allowed());
  RC_ASSERT(undisturbed.take(cost, later).allowed());
  const Instant after(later.ns + *between(0, 1'000'000'000'000));
  RC_ASSERT(scene.bucket.remaining(after) == undisturbed.remaining(after));
}

RC_GTEST_PROP(Law7Impossible, ACostAboveCapacityNeverPassesAndTakesNothing, ()) {
  Scene scene = any_scene(*any_algorithm(), *any_steps());
  const Instant now = scene.clock.now();
  const int64_t capacity = scene.bucket.limit().capacity().micros();
  const Tokens cost = Tokens::micros(capacity + *rc::gen::oneOf(between(1, 10), between(1, 900'000'000'000'000'000)));
  const Tokens before = scene.bucket.remaining(now);
  const Duration to_full = scene.bucket.time_to_full(now);
  const Decision decision = scene.bucket.take(cost, now);
  RC_ASSERT(static_cast<int>(decision.verdict) == static_cast<int>(Verdict::kCostExceedsCapacity));
  RC_ASSERT(decision.retry_after.ns == kForever.ns);
  RC_ASSERT(decision.remaining == before);
  RC_ASSERT(scene.bucket.remaining(now) == before);
  RC_ASSERT(scene.bucket.time_to_full(now).ns == to_full.ns);
}

}  // namespace
}  // namespace sluice
