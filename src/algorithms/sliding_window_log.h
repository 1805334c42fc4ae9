// The sliding window log: every admission of the last window is remembered, so no window of this length, wherever it
// starts, ever holds more than the capacity. Exact, and O(n) in memory. Decisions are pure; freestanding.
#pragma once

#include "algorithms/exact.h"
#include "algorithms/state.h"
#include "sluice/limit.h"

namespace sluice {

struct Admission {
  int64_t at_ns = 0;
  int64_t micros = 0;
};

// A ring of admissions, oldest first, in memory that the caller owns. REQUIRES: slots > 0 when count > 0.
// When it is full the newest two are merged into one at the later time: stricter than the truth, never laxer.
struct AdmissionLog {
  Admission* entries = nullptr;
  uint32_t slots = 0;
  uint32_t first = 0;
  uint32_t count = 0;
  int64_t total = 0;

  const Admission& operator[](uint32_t i) const { return entries[(first + i) % slots]; }
  Admission& operator[](uint32_t i) { return entries[(first + i) % slots]; }
};

namespace sliding_window_log {

// Time as the log knows it: not before its newest admission (law 5).
inline int64_t time_of(const AdmissionLog& log, Instant now) {
  return log.count == 0 ? now.ns : exact::max(now.ns, log[log.count - 1].at_ns);
}

inline bool has_left(const Admission& admission, int64_t window_ns, int64_t now_ns) {
  return (Instant(now_ns) - Instant(admission.at_ns)).ns >= window_ns;
}

// What was taken within the window before `now`.
inline int64_t taken(const Limit& limit, const AdmissionLog& log, Instant now) {
  const int64_t time = time_of(log, now);
  int64_t in_sight = log.total;
  for (uint32_t i = 0; i < log.count && has_left(log[i], limit.window().ns, time); ++i) in_sight -= log[i].micros;
  return in_sight;
}

inline bool is_full(const Limit& limit, const AdmissionLog& log, Instant now) {
  return log.count == 0 || has_left(log[log.count - 1], limit.window().ns, now.ns);
}

// When `micros` will have left the window, as a wait from `now`.
inline Duration wait_for(const Limit& limit, const AdmissionLog& log, int64_t micros, Instant now) {
  int64_t left = 0;
  for (uint32_t i = 0; i < log.count; ++i) {
    left += log[i].micros;
    if (left >= micros) return exact::wait_until(Instant(log[i].at_ns) + limit.window(), now);
  }
  return {};
}

inline Decision decide(const Limit& limit, const AdmissionLog& log, Tokens cost, Instant now) {
  Decision decision;
  const int64_t left = limit.capacity().micros() - taken(limit, log, now);
  if (cost.micros() <= left) {
    decision.remaining = Tokens::micros(left - cost.micros());
    return decision;
  }
  decision.remaining = Tokens::micros(exact::max(0, left));
  const bool never = cost > limit.capacity();
  decision.verdict = never ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
  decision.retry_after =
      never ? kForever : wait_for(limit, log, log.total + cost.micros() - limit.capacity().micros(), now);
  return decision;
}

inline void forget_old(const Limit& limit, AdmissionLog& log, Instant now) {
  const int64_t time = time_of(log, now);
  while (log.count > 0 && has_left(log[0], limit.window().ns, time)) {
    log.total -= log[0].micros;
    log.first = (log.first + 1) % log.slots;
    --log.count;
  }
}

// Writes down an admission that decide() allowed. REQUIRES: log.slots > 0.
inline void record(const Limit& limit, AdmissionLog& log, Tokens cost, Instant now) {
  forget_old(limit, log, now);
  const int64_t time = time_of(log, now);
  log.total += cost.micros();
  if (log.count > 0 && (log.count == log.slots || log[log.count - 1].at_ns == time)) {
    Admission& newest = log[log.count - 1];
    newest.at_ns = time;
    newest.micros += cost.micros();
    return;
  }
  ++log.count;
  log[log.count - 1] = {time, cost.micros()};
}

// Gives back the newest first.
inline void refund(const Limit& limit, AdmissionLog& log, Tokens cost, Instant now) {
  forget_old(limit, log, now);
  int64_t owed = cost.micros();
  while (log.count > 0 && owed > 0) {
    Admission& newest = log[log.count - 1];
    const int64_t back = exact::min(newest.micros, owed);
    newest.micros -= back;
    log.total -= back;
    owed -= back;
    if (newest.micros == 0) --log.count;
  }
}

inline Duration time_to_full(const Limit& limit, const AdmissionLog& log, Instant now) {
  if (is_full(limit, log, now)) return {};
  return exact::wait_until(Instant(log[log.count - 1].at_ns) + limit.window(), now);
}

}  // namespace sliding_window_log
}  // namespace sluice
