// The sliding window counter: the count of this window plus the share of the last one that is still in sight.
// Assumes that the last window's requests came evenly: close to the sliding log, at the price of two counts, so it
// claims laws 1, 4, 5 and 7 but not 2. Pure, freestanding.
#pragma once

#include "algorithms/exact.h"
#include "algorithms/state.h"
#include "sluice/limit.h"

namespace sluice {

struct WindowCounts {
  int64_t current = 0;   // millionths of a token taken in the window that starts at start_ns
  int64_t previous = 0;  // and in the one before
  int64_t start_ns = 0;
  int64_t window_ns = 0;  // 0: never used

  friend constexpr bool operator==(const WindowCounts& a, const WindowCounts& b) {
    return a.current == b.current && a.previous == b.previous && a.start_ns == b.start_ns && a.window_ns == b.window_ns;
  }
};

namespace sliding_window_counter {

// How far `now` is into the window; a clock that jumped back stands at its start.
constexpr int64_t elapsed_in(const WindowCounts& counts, Instant now) {
  return exact::elapsed_ns(Instant(counts.start_ns), now);
}

// What is left of the previous window's count, rounded up.
constexpr int64_t faded(const WindowCounts& counts, Instant now) {
  const int64_t in_sight = counts.window_ns - elapsed_in(counts, now);
  return static_cast<int64_t>(exact::multiply_divide_ceil(static_cast<uint64_t>(counts.previous),
                                                          static_cast<uint64_t>(in_sight),
                                                          static_cast<uint64_t>(counts.window_ns)));
}

// The counts as they stand in the window of `now`, for the window they were made with.
constexpr WindowCounts rolled(const WindowCounts& counts, Instant now) {
  const int64_t start = exact::floor_to_multiple(now.ns, counts.window_ns);
  if (counts.start_ns >= start) return counts;
  const bool is_next = start - counts.window_ns == counts.start_ns;
  return {0, is_next ? counts.current : 0, start, counts.window_ns};
}

inline WindowCounts at(const Limit& limit, const WindowCounts& counts, Instant now) {
  const int64_t window = limit.window().ns;
  const WindowCounts unused{0, 0, exact::floor_to_multiple(now.ns, window), window};
  if (counts.window_ns == 0) return unused;
  const WindowCounts here = rolled(counts, now);
  if (counts.window_ns == window) return here;
  // The window's length was changed: what is in sight now counts as taken in the new one.
  const int64_t start = exact::floor_to_multiple(exact::max(now.ns, here.start_ns), window);
  return {here.current + faded(here, now), 0, start, window};
}

// What is still in sight, by its own window.
constexpr int64_t taken(const WindowCounts& counts, Instant now) {
  if (counts.window_ns == 0) return 0;
  const WindowCounts here = rolled(counts, now);
  return here.current + faded(here, now);
}

constexpr bool is_full(const WindowCounts& counts, Instant now) {
  if (counts.window_ns == 0) return true;
  const WindowCounts here = rolled(counts, now);
  return here.current == 0 && here.previous == 0;
}

// The time until `taken` of the past have faded to at most `room`, from the start of the window they fade in.
constexpr int64_t time_to_fade(int64_t taken, int64_t room, int64_t window) {
  if (taken <= room) return 0;
  return window - static_cast<int64_t>(exact::multiply_divide_floor(
                      static_cast<uint64_t>(room), static_cast<uint64_t>(window), static_cast<uint64_t>(taken)));
}

struct CounterOutcome {
  Decision decision;
  WindowCounts counts;
  bool changed = false;  // whether the counts must be kept: when allowed, or carried over to a window that was changed
};

inline CounterOutcome decide(const Limit& limit, const WindowCounts& before, Tokens cost, Instant now) {
  CounterOutcome outcome;
  WindowCounts& counts = outcome.counts;
  counts = at(limit, before, now);
  outcome.changed = before.window_ns != 0 && before.window_ns != limit.window().ns;
  const int64_t left = limit.capacity().micros() - counts.current - faded(counts, now);
  if (cost.micros() <= left) {
    counts.current += cost.micros();
    outcome.changed = true;
    outcome.decision.remaining = Tokens::micros(left - cost.micros());
    return outcome;
  }
  outcome.decision.remaining = Tokens::micros(exact::max(0, left));
  if (cost > limit.capacity()) {
    outcome.decision.verdict = Verdict::kCostExceedsCapacity;
    outcome.decision.retry_after = kForever;
    return outcome;
  }
  outcome.decision.verdict = Verdict::kLimited;
  const int64_t room = limit.capacity().micros() - cost.micros();
  const int64_t wait = counts.current <= room ? time_to_fade(counts.previous, room - counts.current, counts.window_ns)
                                              : counts.window_ns + time_to_fade(counts.current, room, counts.window_ns);
  outcome.decision.retry_after = exact::wait_until(Instant(counts.start_ns) + Duration(wait), now);
  return outcome;
}

inline WindowCounts refund(const Limit& limit, const WindowCounts& before, Tokens cost, Instant now) {
  WindowCounts counts = at(limit, before, now);
  const int64_t from_current = exact::min(counts.current, cost.micros());
  counts.current -= from_current;
  counts.previous = exact::max(0, counts.previous - (cost.micros() - from_current));
  return counts.current == 0 && counts.previous == 0 ? WindowCounts{} : counts;
}

// Until nothing of what was taken is in sight.
inline Duration time_to_full(const Limit& limit, const WindowCounts& before, Instant now) {
  const WindowCounts counts = at(limit, before, now);
  if (counts.current == 0 && counts.previous == 0) return {};
  const int64_t windows = counts.current > 0 ? 2 : 1;
  return exact::wait_until(Instant(counts.start_ns) + Duration(windows * counts.window_ns), now);
}

}  // namespace sliding_window_counter
}  // namespace sluice
