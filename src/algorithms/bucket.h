// One bucket of any algorithm: what the stores, the simulator and the scenario runner hold. Freestanding.
#pragma once

#include "algorithms/fixed_window.h"
#include "algorithms/sliding_window_counter.h"
#include "algorithms/sliding_window_log.h"
#include "algorithms/state.h"
#include "algorithms/token_bucket.h"
#include "sluice/limit.h"

namespace sluice {

// Only the member that the limit's algorithm uses has a meaning. The log's memory belongs to the holder.
struct Bucket {
  BucketState state;
  WindowCounts counts;
  AdmissionLog log;
};

struct BucketOutcome {
  Decision decision;
  Bucket next;  // for the log: unchanged, see keep()
  bool changed = false;
};

// Whether the algorithm remembers no more than a BucketState.
constexpr bool is_small(Algorithm algorithm) {
  return algorithm != Algorithm::kSlidingWindowLog && algorithm != Algorithm::kSlidingWindowCounter;
}

// REQUIRES: is_small(limit.algorithm()).
[[gnu::always_inline]] inline Outcome decide_small(const Limit& limit, BucketState state, Tokens cost, Instant now) {
  if (limit.algorithm() == Algorithm::kFixedWindow) return fixed_window::decide(limit, state, cost, now);
  return token_bucket::decide(limit, state, cost, now);
}

// Decides without changing anything; keep() makes it so.
inline BucketOutcome decide(const Limit& limit, const Bucket& bucket, Tokens cost, Instant now) {
  switch (limit.algorithm()) {
    case Algorithm::kSlidingWindowLog: {
      const Decision decision = sliding_window_log::decide(limit, bucket.log, cost, now);
      return {decision, bucket, decision.allowed() || !sliding_window_log::remembers_for(limit, bucket.log)};
    }
    case Algorithm::kSlidingWindowCounter: {
      const auto outcome = sliding_window_counter::decide(limit, bucket.counts, cost, now);
      return {outcome.decision, {{}, outcome.counts, {}}, outcome.changed};
    }
    default: {
      const Outcome outcome = decide_small(limit, bucket.state, cost, now);
      return {outcome.decision, {outcome.state, {}, {}}, outcome.changed};
    }
  }
}

// Makes an outcome of decide() the bucket's state. REQUIRES: for a log that allowed, bucket.log.slots > 0.
inline void keep(const Limit& limit, Bucket& bucket, const BucketOutcome& outcome, Tokens cost, Instant now) {
  if (!outcome.changed) return;
  if (limit.algorithm() == Algorithm::kSlidingWindowLog && outcome.decision.allowed()) {
    sliding_window_log::record(limit, bucket.log, cost, now);
  } else if (limit.algorithm() == Algorithm::kSlidingWindowLog) {
    sliding_window_log::carry_over(limit, bucket.log, now);
  } else {
    bucket.state = outcome.next.state;
    bucket.counts = outcome.next.counts;
  }
}

inline void refund(const Limit& limit, Bucket& bucket, Tokens cost, Instant now) {
  switch (limit.algorithm()) {
    case Algorithm::kSlidingWindowLog: sliding_window_log::refund(limit, bucket.log, cost, now); break;
    case Algorithm::kSlidingWindowCounter:
      bucket.counts = sliding_window_counter::refund(limit, bucket.counts, cost, now);
      break;
    case Algorithm::kFixedWindow: bucket.state = fixed_window::refund(limit, bucket.state, cost, now); break;
    default: bucket.state = token_bucket::refund(limit, bucket.state, cost, now);
  }
}

// What a sliding window counts as taken, also beyond its capacity. REQUIRES: !is_small(algorithm).
inline int64_t taken(Algorithm algorithm, const Bucket& bucket, Instant now) {
  return algorithm == Algorithm::kSlidingWindowLog ? sliding_window_log::taken(bucket.log, now)
                                                   : sliding_window_counter::taken(bucket.counts, now);
}

inline Duration time_to_full(const Limit& limit, const Bucket& bucket, Instant now) {
  switch (limit.algorithm()) {
    case Algorithm::kSlidingWindowLog: return sliding_window_log::time_to_full(limit, bucket.log, now);
    case Algorithm::kSlidingWindowCounter: return sliding_window_counter::time_to_full(limit, bucket.counts, now);
    case Algorithm::kFixedWindow: return fixed_window::time_to_full(limit, bucket.state, now);
    default: return token_bucket::time_to_full(limit, bucket.state, now);
  }
}

}  // namespace sluice
