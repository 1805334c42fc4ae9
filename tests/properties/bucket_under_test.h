// One bucket of any algorithm with its memory, driven as a store would drive it.
#pragma once

#include <vector>

#include "algorithms/bucket.h"

namespace sluice::properties {

class BucketUnderTest {
 public:
  explicit BucketUnderTest(const Limit& limit, uint32_t log_slots = 512) : limit_(limit), memory_(log_slots) {}
  BucketUnderTest(const BucketUnderTest& other) { *this = other; }
  BucketUnderTest& operator=(const BucketUnderTest& other) {
    limit_ = other.limit_;
    bucket_ = other.bucket_;
    memory_ = other.memory_;
    adopt_memory();
    return *this;
  }

  Decision peek(Tokens cost, Instant now) const { return decide(limit_, bucket_, cost, now).decision; }

  // What is there: the answer to a request that can never pass.
  Tokens remaining(Instant now) const { return peek(limit_.capacity() + Tokens::micros(1), now).remaining; }

  Decision take(Tokens cost, Instant now) {
    adopt_memory();
    const BucketOutcome outcome = decide(limit_, bucket_, cost, now);
    keep(limit_, bucket_, outcome, cost, now);
    return outcome.decision;
  }

  void refund(Tokens cost, Instant now) {
    if (bucket_.log.count > 0 || limit_.algorithm() != Algorithm::kSlidingWindowLog) {
      sluice::refund(limit_, bucket_, cost, now);
    }
  }

  Duration time_to_full(Instant now) const { return sluice::time_to_full(limit_, bucket_, now); }

  // What a store asks before it forgets a bucket.
  bool is_full(Instant now) const {
    switch (limit_.algorithm()) {
      case Algorithm::kSlidingWindowLog: return sliding_window_log::is_full(bucket_.log, now);
      case Algorithm::kSlidingWindowCounter: return sliding_window_counter::is_full(bucket_.counts, now);
      default: return pace::is_full(bucket_.state, now);
    }
  }

  void change(const Limit& limit) { limit_ = limit; }
  const Limit& limit() const { return limit_; }
  const BucketState& state() const { return bucket_.state; }
  const WindowCounts& counts() const { return bucket_.counts; }

 private:
  void adopt_memory() {
    bucket_.log.entries = memory_.data();
    bucket_.log.slots = static_cast<uint32_t>(memory_.size());
  }

  Limit limit_;
  Bucket bucket_;
  std::vector<Admission> memory_;
};

}  // namespace sluice::properties
