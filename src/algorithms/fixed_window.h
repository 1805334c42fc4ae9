// The fixed window: a count that starts anew at every multiple of the window. Cheap and coarse: around an edge it lets
// twice the capacity pass, so it claims no law 2. Pure, freestanding.
#pragma once

#include "algorithms/exact.h"
#include "algorithms/pace.h"
#include "algorithms/state.h"
#include "sluice/limit.h"

namespace sluice::fixed_window {

// Whether the state was made under a window of this length, as far as can be told: paces may agree by rounding.
inline bool belongs_to(const Limit& limit, const BucketState& state) {
  return state.pace == limit.pace() && exact::floor_to_multiple(state.since_ns, limit.window().ns) == state.since_ns;
}

// The state as it stands in the window of `now`: `since` is that window's start, also after a clock has jumped back.
inline BucketState current(const Limit& limit, const BucketState& state, Instant now) {
  const int64_t start = exact::floor_to_multiple(now.ns, limit.window().ns);
  if (state.spent == 0) return {0, start, limit.pace()};
  if (!belongs_to(limit, state)) {
    const int64_t not_before = exact::floor_to_multiple(exact::max(now.ns, state.since_ns), limit.window().ns);
    return {pace::still_spent(state, now), not_before, limit.pace()};
  }
  if (state.since_ns >= start) return state;
  return {0, start, limit.pace()};
}

inline Duration time_to_next(const Limit& limit, const BucketState& window, Instant now) {
  return exact::wait_until(Instant(window.since_ns) + limit.window(), now);
}

inline Outcome decide(const Limit& limit, const BucketState& state, Tokens cost, Instant now) {
  Outcome outcome;
  outcome.state = current(limit, state, now);
  const int64_t left = limit.capacity().micros() - outcome.state.spent;
  if (cost.micros() <= left) {
    outcome.state.spent += cost.micros();
    outcome.decision.remaining = Tokens::micros(left - cost.micros());
    outcome.changed = true;
    return outcome;
  }
  outcome.changed = state.spent != 0 && !belongs_to(limit, state);
  outcome.decision.remaining = Tokens::micros(exact::max(0, left));
  const bool never = cost > limit.capacity();
  outcome.decision.verdict = never ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
  outcome.decision.retry_after = never ? kForever : time_to_next(limit, outcome.state, now);
  return outcome;
}

inline BucketState refund(const Limit& limit, const BucketState& state, Tokens cost, Instant now) {
  BucketState window = current(limit, state, now);
  window.spent = exact::max(0, window.spent - cost.micros());
  return window.spent == 0 ? BucketState{} : window;
}

inline Duration time_to_full(const Limit& limit, const BucketState& state, Instant now) {
  const BucketState window = current(limit, state, now);
  return window.spent == 0 ? Duration() : time_to_next(limit, window, now);
}

}  // namespace sluice::fixed_window
