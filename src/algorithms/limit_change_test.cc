// Limits change while buckets live: what was consumed is kept, no instant is credited twice, and waits stay honest.
// How often they change does not matter: limit_polling_test.cc.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/against_model.h"

namespace sluice {
namespace {

using namespace properties;
using model::Rational;

constexpr Tokens kMillionth = Tokens::micros(1);

Tokens impossible_cost(const Limit& limit) { return limit.capacity() + kMillionth; }

// Makes the change known to the bucket as the next caller would; true when it was carried over.
bool apply(BucketUnderTest& bucket, const Limit& limit, Instant now) {
  bucket.change(limit);
  const bool carried = token_bucket::decide(limit, bucket.state(), impossible_cost(limit), now).changed;
  bucket.take(impossible_cost(limit), now);
  return carried;
}

// In which a pace counts elapsed time, and what it rounds off before that.
Rational elapsed_unit(const Rational& elapsed) {
  return elapsed >= model::fraction(int64_t{1} << 46, 1'000'000) ? model::fraction(1025, 1'000'000)
                                                                 : model::fraction(1, 1'000'000);
}

// What the pace may overstate: a 64th of the credit since the state was written (up to a period before the latest
// change), and what comes back in the unit in which it counts time.
Rational credit_error(const Limit& limit, const model::TokenBucket& model, Instant now) {
  const Rational rate = model::per_second(limit.rate());
  const Rational elapsed =
      model::seconds(now) - model::seconds(*model.latest()) + model::fraction(limit.rate().denominator(), 1'000'000);
  return rate * elapsed / 64 + rate * elapsed_unit(elapsed) + model::fraction(1, 1'000'000);
}

// What is spent of a bucket, also where that is more than it now holds.
Rational spent_of(const BucketUnderTest& bucket, Instant now) {
  const BucketState& state = bucket.state();
  if (state.spent == 0) return 0;
  const Rational spent =
      model::tokens(Tokens::micros(state.spent)) -
      model::per_second(bucket.limit().rate()) * (model::seconds(now) - model::seconds(Instant(state.since_ns)));
  return spent > 0 ? spent : Rational(0);
}

// The time before a change that is credited at the new rate: less than a period of the old pace of 65 ms, or than
// a millionth took. After two years time is told in units of 1024 us.
Rational longest_rest(const Limit& old, const Rational& elapsed) {
  const Rational period = model::fraction(pace::kLongestPeriodNs, 1'000'000'000);
  const Rational millionth = model::fraction(65, 64'000'000) / model::per_second(old.rate());
  return std::max(period, millionth) + elapsed_unit(elapsed);
}

void change_both(BucketUnderTest& bucket, model::TokenBucket& model, const Limit& limit, Instant now) {
  const Limit old = bucket.limit();
  const Instant before(bucket.state().since_ns);
  const bool carried = apply(bucket, limit, now);
  const Rational spent = spent_of(bucket, now);
  if (model.latest()) {
    const Rational truth =
        (model.moment_of(model::tokens(old.capacity())) - model::seconds(now)) * model::per_second(old.rate());
    const Instant since(bucket.state().since_ns);
    const Rational rest =
        carried && bucket.state().spent > 0 ? Rational(model::seconds(now) - model::seconds(since)) : Rational(0);
    RC_ASSERT(rest <= longest_rest(old, model::seconds(now) - model::seconds(before)));
    const Rational faster = model::per_second(limit.rate()) - model::per_second(old.rate());
    RC_ASSERT(spent >= truth - std::max(Rational(0), Rational(faster * rest)));
    const Rational most = truth + credit_error(old, model, now) + std::max(Rational(0), Rational(-faster * rest));
    RC_ASSERT(spent <= (most > 0 ? most : Rational(0)) + model::fraction(1, 1'000'000));
  } else {
    RC_ASSERT(spent == 0);
  }
  if (carried) {
    model.restart(limit, spent, now);
  } else if (model.latest()) {
    model.change_capacity(limit);
  } else {
    model = model::TokenBucket(limit);
  }
  // Nobody waits for longer than what was spent takes to come back at the new rate.
  expect_same(bucket.time_to_full(now), model.time_to_full(now));
}

// The same rate or one that differs by more than a pace can hide; any capacity.
Limit any_changed(const Limit& limit) {
  const Rate rate = *rc::gen::oneOf(rc::gen::just(limit.rate()), any_rate());
  const double ratio = rate.as_double() / limit.rate().as_double();
  RC_PRE(rate == limit.rate() || ratio > 1.01 || ratio < 0.99);
  const Tokens capacity = *rc::gen::oneOf(rc::gen::just(limit.capacity()), any_capacity());
  return bucket_limit(*any_bucket_algorithm(), rate, capacity);
}

RC_GTEST_PROP(LimitChange, KeepsWhatWasSpentAndCreditsNoTimeTwice, ()) {
  BucketUnderTest bucket(any_limit(Algorithm::kTokenBucket));
  model::TokenBucket model(bucket.limit());
  Clock clock(*any_start());
  for (int change = 0; change < 2; ++change) {
    Duration wait;
    for (const Step& step : *any_forward_steps()) {
      clock.go(step, bucket, wait);
      const Decision decision = play(step, bucket, model, clock.now());
      if (decision.verdict == Verdict::kLimited) wait = decision.retry_after;
    }
    change_both(bucket, model, any_changed(bucket.limit()), clock.now());
  }
}

// Servers that are reloaded one after the other, or callers who bring limits of their own, at one key.
RC_GTEST_PROP(LimitChange, BackAndForthAdmitsNoMoreThanTheLargestBucketAndTheHighestRate, ()) {
  const Rate rate = *any_rate();
  std::vector<Limit> limits;
  for (int i = 0; i < 3; ++i) {
    limits.push_back(
        bucket_limit(*any_bucket_algorithm(), *rc::gen::oneOf(rc::gen::just(rate), any_rate()), *any_capacity()));
  }
  BucketUnderTest bucket(limits[0]);
  Clock clock(*any_start());
  const Instant start = clock.now();
  Rational admitted = 0;
  for (const Step& step : *any_forward_steps()) {
    bucket.change(limits[*between(0, 2)]);
    clock.go(step, bucket, Duration());
    const Tokens cost = cost_of_step(step, bucket.limit(), bucket.remaining(clock.now()));
    if (step.action == Action::kPeek)
      bucket.peek(cost, clock.now());
    else if (bucket.take(cost, clock.now()).allowed())
      admitted += model::tokens(cost);
    Rational capacity = 0;
    Rational per_second = 0;
    for (const Limit& limit : limits) {
      capacity = std::max(capacity, model::tokens(limit.capacity()));
      per_second = std::max(per_second, model::per_second(limit.rate()));
    }
    RC_ASSERT(admitted <= capacity + per_second * (model::seconds(clock.now()) - model::seconds(start)));
  }
}

// Two rates of one pace cannot be told apart: the credit since the latest change is that of one or the other.
RC_GTEST_PROP(LimitChange, OfTheRateByLessThanAPaceTellsCreditsAtTheOldRateOrTheNew, ()) {
  const Limit old = any_limit(Algorithm::kTokenBucket);
  BucketUnderTest bucket(old);
  model::TokenBucket before(old);
  Clock clock(*any_start());
  const Instant drained = clock.now();
  const Tokens cost = Tokens::micros(*between(1, old.capacity().micros()));
  bucket.take(cost, drained);
  const auto rate = Rate::per_second(old.rate().as_double() * (1 + *share() / 600));
  RC_PRE(rate.ok());
  const Limit limit = *Limit::token_bucket(*rate, old.capacity());
  const Instant now = drained + Duration(*between(0, std::min(old.window().ns, int64_t{1} << 60)));
  before.take(cost, drained);
  model::TokenBucket after(limit);
  after.take(cost, drained);
  const Rational lower = std::min(before.tokens_at(now), after.tokens_at(now)) - credit_error(old, before, now);
  const Rational upper = std::max(before.tokens_at(now), after.tokens_at(now));
  apply(bucket, limit, now);
  RC_ASSERT(model::tokens(bucket.remaining(now)) <= upper);
  RC_ASSERT(model::tokens(bucket.remaining(now)) + model::fraction(1, 1'000'000) >= lower);
}

// Algorithms that keep their memory in the same form, so that a change carries it over.
std::pair<Algorithm, Algorithm> any_related_algorithms() {
  const Algorithm from = *any_algorithm();
  if (!is_small(from)) return {from, from};
  return {from, *rc::gen::suchThat(any_algorithm(), is_small)};
}

RC_GTEST_PROP(LimitChange, LeavesWaitsHonest, ()) {
  const auto [from, to] = any_related_algorithms();
  BucketUnderTest bucket(any_limit(from));
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Limit limit = any_limit(to);
  bucket.change(limit);
  const Instant now = clock.now();
  const Tokens cost = Tokens::micros(*between(1, bucket.limit().capacity().micros()));
  const Decision decision = bucket.take(cost, now);
  RC_PRE(decision.verdict == Verdict::kLimited);
  expect_honest_wait(bucket, decision, cost, now);
}

RC_GTEST_PROP(LimitChange, OfAWindowGivesNothingBackBeforeTheOldWindowIsOver, ()) {
  const Algorithm algorithm =
      *rc::gen::element(Algorithm::kFixedWindow, Algorithm::kSlidingWindowCounter, Algorithm::kSlidingWindowLog);
  const Limit old = any_limit(algorithm);
  BucketUnderTest bucket(old);
  Clock clock(*any_start());
  admissions(bucket, clock, *any_forward_steps());
  const Instant now = clock.now();
  const int64_t spent = old.capacity().micros() - bucket.remaining(now).micros();
  const Limit limit = any_limit(algorithm);
  RC_PRE(algorithm != Algorithm::kSlidingWindowLog || limit.window() >= old.window());
  bucket.change(limit);
  bucket.take(impossible_cost(limit), now);
  RC_ASSERT(bucket.remaining(now).micros() <= std::max<int64_t>(0, limit.capacity().micros() - spent));
}

// As much of the time of an admission as an algorithm remembers: its window, its period, or all of it.
Instant remembered_time(const Limit& limit, Instant at) {
  if (limit.algorithm() == Algorithm::kSlidingWindowLog) return at;
  if (is_windowed(limit.algorithm())) return Instant(exact::floor_to_multiple(at.ns, limit.window().ns));
  return Instant(at.ns - limit.rate().denominator() * 1000);
}

RC_GTEST_PROP(LimitChange, WhileTheClockIsBackCreditsNothingOnceItReturns, ()) {
  const Algorithm algorithm = *any_algorithm();
  const Limit old = any_limit(algorithm);
  BucketUnderTest bucket(old);
  const Instant later = *any_start();
  const Tokens cost = Tokens::micros(*between(1, old.capacity().micros()));
  bucket.take(cost, later);
  const Limit limit = any_limit(algorithm);
  bucket.change(limit);
  bucket.take(impossible_cost(limit), Instant(later.ns - *between(0, 1'000'000'000'000'000)));
  const int64_t room = std::max<int64_t>(0, limit.capacity().micros() - cost.micros());
  RC_ASSERT(bucket.remaining(remembered_time(old, later)).micros() <= room);
}

}  // namespace
}  // namespace sluice
