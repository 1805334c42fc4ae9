// Feeds bytes, read as limits and operations, to the pure decisions, and checks what must hold of every answer.
// Built with the sanitizers: an overflow anywhere is a finding too.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/bucket.h"

namespace sluice {
namespace {

#define MUST(condition)                                                       \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (false)

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }

  template <class T>
  T next() {
    T value{};
    const size_t taken = left_ < sizeof(T) ? left_ : sizeof(T);
    memcpy(&value, data_, taken);
    data_ += taken;
    left_ -= taken;
    return value;
  }

  // Any magnitude up to `most`, small ones as often as large ones.
  int64_t up_to(int64_t most) {
    const int shift = next<uint8_t>() % 63;
    return static_cast<int64_t>((next<uint64_t>() >> 1 >> shift) % (static_cast<uint64_t>(most) + 1));
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

constexpr int64_t kLargestCapacity = 1'000'000'000'000'000;
constexpr int64_t kLargestCost = 1'000'000'000'000'000'000;
// Clocks count from -31 to 115 years, so that a wait of any length can be told from any jump.
constexpr int64_t kEarliest = -1'000'000'000'000'000'000;
constexpr int64_t kLatest = 3'600'000'000'000'000'000;

Result<Limit> next_limit(Bytes& bytes) {
  const auto algorithm = static_cast<Algorithm>(bytes.next<uint8_t>() % 6);
  const Tokens capacity = Tokens::micros(bytes.up_to(kLargestCapacity));
  if (algorithm == Algorithm::kFixedWindow) return Limit::fixed_window(capacity, Duration(bytes.up_to(INT64_MAX)));
  if (algorithm == Algorithm::kSlidingWindowLog)
    return Limit::sliding_window_log(capacity, Duration(bytes.up_to(INT64_MAX)));
  if (algorithm == Algorithm::kSlidingWindowCounter) {
    return Limit::sliding_window_counter(capacity, Duration(bytes.up_to(INT64_MAX)));
  }
  const auto rate = bytes.next<uint8_t>() % 2 == 0
                        ? Rate::per_second(bytes.next<double>())
                        : Rate::per(bytes.up_to(INT64_MAX), Duration(bytes.up_to(INT64_MAX)));
  if (!rate) return rate.error();
  if (algorithm == Algorithm::kLeakyBucket) return Limit::leaky_bucket(*rate, capacity);
  if (algorithm == Algorithm::kLeakyQueue) return Limit::leaky_queue(*rate, capacity);
  return Limit::token_bucket(*rate, capacity);
}

// A bucket with its limit and clock; every operation checks its own answer.
class Run {
 public:
  explicit Run(const Limit& limit) : limit_(limit) {
    bucket_.log.entries = memory_;
    bucket_.log.slots = kSlots;
  }

  void change(const Limit& limit) {
    // Only algorithms that keep their memory in the same form inherit it.
    if (is_small(limit.algorithm()) && is_small(limit_.algorithm())) limit_ = limit;
    if (limit.algorithm() == limit_.algorithm()) limit_ = limit;
  }

  void move(int64_t ns) {
    if (ns > 0 ? now_.ns <= kLatest - ns : now_.ns >= kEarliest - ns) now_.ns += ns;
  }
  void wait_for_last_rejection() { move(last_wait_.ns); }

  void take(Tokens cost) {
    const BucketOutcome outcome = decide(limit_, bucket_, cost, now_);
    check(outcome.decision, cost);
    keep(limit_, bucket_, outcome, cost, now_);
    if (outcome.decision.verdict == Verdict::kLimited) {
      last_wait_ = outcome.decision.retry_after;
      check_honest(outcome.decision, cost);
    }
    check_time_to_full();
  }

  void give_back(Tokens cost) {
    const int64_t before = remaining(now_);
    refund(limit_, bucket_, cost, now_);
    MUST(remaining(now_) >= before);
    MUST(remaining(now_) <= limit_.capacity().micros());
    check_time_to_full();
  }

 private:
  static constexpr uint32_t kSlots = 16;

  int64_t remaining(Instant now) const {
    return decide(limit_, bucket_, limit_.capacity() + Tokens::micros(1), now).decision.remaining.micros();
  }

  void check(const Decision& decision, Tokens cost) const {
    MUST(decision.remaining.micros() >= 0 && decision.remaining <= limit_.capacity());
    MUST(decision.delay.ns >= 0 && decision.delay <= kForever);
    switch (decision.verdict) {
      case Verdict::kAllowed:
        MUST(cost <= limit_.capacity() && decision.retry_after.ns == 0);
        MUST(decision.remaining.micros() == remaining(now_) - cost.micros());
        break;
      case Verdict::kLimited:
        MUST(cost <= limit_.capacity() && decision.remaining < cost);
        MUST(decision.retry_after.ns > 0 && decision.retry_after <= kForever);
        break;
      case Verdict::kCostExceedsCapacity: MUST(cost > limit_.capacity() && decision.retry_after == kForever); break;
    }
  }

  void check_honest(const Decision& rejection, Tokens cost) const {
    const Instant then = now_ + rejection.retry_after;
    if (rejection.retry_after == kForever || then == Instant(INT64_MAX)) return;
    MUST(decide(limit_, bucket_, cost, then).decision.allowed());
    MUST(!decide(limit_, bucket_, cost, Instant(then.ns - 1)).decision.allowed());
  }

  void check_time_to_full() const {
    const Duration wait = time_to_full(limit_, bucket_, now_);
    MUST(wait.ns >= 0 && wait <= kForever);
    const Instant full = now_ + wait;
    if (wait == kForever || full == Instant(INT64_MAX)) return;
    MUST(remaining(full) == limit_.capacity().micros());
    if (is_small(limit_.algorithm()) && pace::is_full(bucket_.state, now_)) MUST(wait.ns == 0);
  }

  Limit limit_;
  Bucket bucket_;
  Admission memory_[kSlots];
  Instant now_;
  Duration last_wait_;
};

void step(Bytes& bytes, Run& run) {
  switch (bytes.next<uint8_t>() % 8) {
    case 0:
    case 1: run.take(Tokens::micros(1 + bytes.up_to(kLargestCapacity))); break;
    case 2: run.take(Tokens::micros(1 + bytes.up_to(kLargestCost - 1))); break;
    case 3: run.give_back(Tokens::micros(1 + bytes.up_to(kLargestCost - 1))); break;
    case 4: run.move(bytes.up_to(kLatest)); break;
    case 5: run.move(-bytes.up_to(kLatest)); break;
    case 6: run.wait_for_last_rejection(); break;
    default: {
      const auto limit = next_limit(bytes);
      if (limit) run.change(*limit);
    }
  }
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sluice::Bytes bytes(data, size);
  const auto limit = sluice::next_limit(bytes);
  if (!limit) return 0;
  sluice::Run run(*limit);
  while (!bytes.empty()) sluice::step(bytes, run);
  return 0;
}
