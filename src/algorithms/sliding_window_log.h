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
  int64_t window_ns = 0;  // of the limit of the newest admission, or of a longer one that rejected since

  const Admission& operator[](uint32_t i) const { return entries[(first + i) % slots]; }
  Admission& operator[](uint32_t i) { return entries[(first + i) % slots]; }  // NOLINT: who may write, writes by this.
};

namespace sliding_window_log {

// Time as the log knows it: not before its newest admission (law 5).
inline int64_t time_of(const AdmissionLog& log, Instant now) {
  return log.count == 0 ? now.ns : exact::max(now.ns, log[log.count - 1].at_ns);
}

inline bool has_left(const Admission& admission, int64_t window_ns, int64_t now_ns) {
  return (Instant(now_ns) - Instant(admission.at_ns)).ns >= window_ns;
}

// Whether nothing is forgotten that this limit counts. One that does not admit leaves what a longer one counts.
inline bool remembers_for(const Limit& limit, const AdmissionLog& log) {
  return log.count == 0 || log.window_ns >= limit.window().ns;
}

// How many admissions, from the oldest on, no longer count. One that has left the window it was made in does not come
// back when the window is made longer (law 8).
inline uint32_t count_left(int64_t window_ns, const AdmissionLog& log, Instant now) {
  window_ns = exact::min(window_ns, log.window_ns);
  const int64_t time = time_of(log, now);
  uint32_t left = 0;
  while (left < log.count && has_left(log[left], window_ns, time)) ++left;
  return left;
}

// What it still counts, by its own window.
inline int64_t taken(const AdmissionLog& log, Instant now) {
  int64_t taken = log.total;
  for (uint32_t left = count_left(log.window_ns, log, now), i = 0; i < left; ++i) taken -= log[i].micros;
  return taken;
}

inline bool is_full(const AdmissionLog& log, Instant now) {
  return log.count == 0 || has_left(log[log.count - 1], log.window_ns, now.ns);
}

inline Decision decide(const Limit& limit, const AdmissionLog& log, Tokens cost, Instant now) {
  Decision decision;
  int64_t taken = log.total;
  uint32_t next = count_left(limit.window().ns, log, now);
  for (uint32_t i = 0; i < next; ++i) taken -= log[i].micros;
  const int64_t left = limit.capacity().micros() - taken;
  if (cost.micros() <= left) {
    decision.remaining = Tokens::micros(left - cost.micros());
    return decision;
  }
  decision.remaining = Tokens::micros(exact::max(0, left));
  if (cost > limit.capacity()) {
    decision.verdict = Verdict::kCostExceedsCapacity;
    decision.retry_after = kForever;
    return decision;
  }
  decision.verdict = Verdict::kLimited;
  // It passes when enough of the oldest admissions have left.
  for (int64_t missing = cost.micros() - left; missing > 0; ++next) {
    missing -= log[next].micros;
    decision.retry_after = exact::wait_until(Instant(log[next].at_ns) + limit.window(), now);
  }
  return decision;
}

// Drops what no longer counts, and puts the rest under this limit's window.
inline void carry_over(const Limit& limit, AdmissionLog& log, Instant now) {
  for (uint32_t left = count_left(limit.window().ns, log, now); left > 0; --left) {
    log.total -= log[0].micros;
    log.first = (log.first + 1) % log.slots;
    --log.count;
  }
  log.window_ns = limit.window().ns;
}

// Writes down an admission that decide() allowed. REQUIRES: log.slots > 0.
inline void record(const Limit& limit, AdmissionLog& log, Tokens cost, Instant now) {
  carry_over(limit, log, now);
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
  carry_over(limit, log, now);
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
  if (log.count == count_left(limit.window().ns, log, now)) return {};
  return exact::wait_until(Instant(log[log.count - 1].at_ns) + limit.window(), now);
}

}  // namespace sliding_window_log
}  // namespace sluice
