// The token bucket: bursts up to the capacity, then the rate. Also the leaky bucket, which is the same bucket seen from
// above (its level is what was spent), as a meter and as a queue. Pure, exact, freestanding.
//
// The state is a point on a line: `spent` at `since`, falling by `numerator` every `period`. An admission adds its cost
// and moves the point along the line by whole periods only, so nothing is ever rounded into the state. What is rounded
// is the answer: tokens down, waits up. docs/decisions/0001-exact-line.md has the proof.
#pragma once

#include "algorithms/exact.h"
#include "algorithms/pace.h"
#include "algorithms/state.h"
#include "sluice/limit.h"

namespace sluice::token_bucket {

// How far the bucket has come since its state was written.
struct Refill {
  int64_t periods = 0;    // whole periods of the rate
  int64_t micros = 0;     // tokens come back, rounded down
  bool complete = false;  // all of them: the bucket is full
};

// A rate of n/d tokens per second brings n millionths every d microseconds.
inline int64_t period_ns(const Limit& limit) { return limit.rate().denominator() * 1000; }

// The same for every period; given a constant one, the compiler divides by multiplying.
[[gnu::always_inline]] inline Refill refill_by(uint64_t elapsed, uint64_t numerator, uint64_t period) {
  const uint64_t periods = elapsed / period;
  const uint64_t rest = elapsed - periods * period;
  return {static_cast<int64_t>(periods), static_cast<int64_t>(periods * numerator + rest * numerator / period), false};
}

// The time from `since` until `micros` have come back, rounded up.
inline int64_t time_to_refill(const Limit& limit, int64_t micros) {
  const int64_t numerator = limit.rate().numerator();
  const int64_t period = period_ns(limit);
  // Mostly the product fits and one division will do.
  if (micros >> 31 == 0 && period >> 31 == 0) {
    const auto product = static_cast<uint64_t>(micros * period + numerator - 1);
    return static_cast<int64_t>(exact::divide(product, static_cast<uint64_t>(numerator)));
  }
  const int64_t periods = micros / numerator;
  const int64_t rest = micros - periods * numerator;
  if (periods >= kForever.ns / period) return kForever.ns;
  return periods * period + (rest * period + numerator - 1) / numerator;
}

// REQUIRES: the capacity has come back since the state was written, and a period has passed beyond that. Spent is more
// where the capacity was larger then.
[[gnu::always_inline]] inline bool is_full_after(const Limit& limit, const BucketState& state, int64_t elapsed) {
  return state.spent <= limit.capacity().micros() + limit.rate().numerator() ||
         elapsed >= time_to_refill(limit, state.spent);
}

[[gnu::always_inline]] inline Refill refill(const Limit& limit, const BucketState& state, Instant now) {
  const int64_t period = period_ns(limit);
  const int64_t elapsed = exact::elapsed_ns(Instant(state.since_ns), now);
  // Beyond this the products could overflow, and the bucket is full anyway.
  if (state.spent == 0 || (elapsed - period >= limit.window().ns && is_full_after(limit, state, elapsed))) {
    return {0, state.spent, true};
  }
  const auto numerator = static_cast<uint64_t>(limit.rate().numerator());
  Refill come_back = limit.rate().denominator() == 1
                         ? refill_by(static_cast<uint64_t>(elapsed), numerator, 1000)
                         : refill_by(static_cast<uint64_t>(elapsed), numerator, static_cast<uint64_t>(period));
  come_back.complete = come_back.micros >= state.spent;
  return come_back;
}

// When `micros` will have come back, as a wait from `now`.
inline Duration wait_for(const Limit& limit, const BucketState& state, int64_t micros, Instant now) {
  const int64_t in_all = time_to_refill(limit, micros);
  if (in_all == kForever.ns) return kForever;
  return exact::wait_until(Instant(in_all), Instant((now - Instant(state.since_ns)).ns));
}

// Whether the state falls at this limit's rate, as far as can be told. Another capacity does not matter.
inline bool belongs_to(const Limit& limit, const BucketState& state) { return state.pace == limit.pace(); }

[[gnu::always_inline]] inline BucketState add(const Limit& limit, const BucketState& state, const Refill& come_back,
                                              int64_t cost, Instant now) {
  if (come_back.complete) return {cost, now.ns, limit.pace()};
  return {state.spent - come_back.periods * limit.rate().numerator() + cost,
          state.since_ns + come_back.periods * period_ns(limit), limit.pace()};
}

// What a request wanted, and the millionths there were.
struct Shortage {
  Tokens cost;
  int64_t left;
};

[[gnu::always_inline]] inline Decision reject(const Limit& limit, BucketState state, Shortage shortage, Instant now) {
  const Tokens cost = shortage.cost;
  Decision decision;
  decision.remaining = Tokens::micros(exact::max(0, shortage.left));
  if (cost > limit.capacity()) {
    decision.verdict = Verdict::kCostExceedsCapacity;
    decision.retry_after = kForever;
  } else {
    decision.verdict = Verdict::kLimited;
    const int64_t missing = state.spent + cost.micros() - limit.capacity().micros();
    decision.retry_after = wait_for(limit, state, missing, now);
  }
  return decision;
}

// REQUIRES: the state belongs to this limit, or is that of a full bucket.
[[gnu::always_inline]] inline Outcome decide_own(const Limit& limit, BucketState state, Tokens cost, Instant now) {
  const Refill come_back = refill(limit, state, now);
  const int64_t spent = come_back.complete ? 0 : state.spent - come_back.micros;
  const int64_t left = limit.capacity().micros() - spent;
  if (cost.micros() > left) {
    const Decision rejected = reject(limit, state, {cost, left}, now);
    return {rejected.by_parts(), state, false};
  }
  const bool must_queue = limit.algorithm() == Algorithm::kLeakyQueue && !come_back.complete;
  return {{Verdict::kAllowed, Tokens::micros(left - cost.micros()), Duration(),
           must_queue ? wait_for(limit, state, state.spent, now) : Duration(), 0},
          add(limit, state, come_back, cost.micros(), now),
          true};
}

// Apart, so that the usual way keeps its state in registers.
[[gnu::noinline]] inline Outcome decide_carried_over(const Limit& limit, BucketState state, Tokens cost, Instant now) {
  Outcome outcome = decide_own(limit, pace::carry_over(limit, state, now), cost, now);
  outcome.changed = true;
  return outcome;
}

[[gnu::always_inline]] inline Outcome decide(const Limit& limit, BucketState state, Tokens cost, Instant now) {
  if (state.spent != 0 && !belongs_to(limit, state)) return decide_carried_over(limit, state, cost, now);
  return decide_own(limit, state, cost, now);
}

// Gives back what was taken. A bucket never holds more than its capacity.
inline BucketState refund(const Limit& limit, BucketState state, Tokens cost, Instant now) {
  if (state.spent == 0) return {};
  if (!belongs_to(limit, state)) state = pace::carry_over(limit, state, now);
  const Refill come_back = refill(limit, state, now);
  if (come_back.complete || state.spent - come_back.micros <= cost.micros()) return {};
  return add(limit, state, come_back, -cost.micros(), now);
}

inline Duration time_to_full(const Limit& limit, BucketState state, Instant now) {
  if (state.spent == 0) return {};
  if (!belongs_to(limit, state)) state = pace::carry_over(limit, state, now);
  return wait_for(limit, state, state.spent, now);
}

}  // namespace sluice::token_bucket
