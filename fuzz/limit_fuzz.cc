// Any numbers at all: each is refused, or makes a limit that decides within its own bounds (laws 1, 4 and 7).
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "algorithms/bucket.h"

namespace {

struct Input {
  double rate;
  double capacity;
  double cost;
  int64_t first_ns;
  int64_t second_ns;
};

// Instants are 146 years around the origin: the difference of any two is a wait that can be told.
constexpr int64_t kLatestNs = int64_t{1} << 62;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_decision(const sluice::Limit& limit, const sluice::BucketOutcome& outcome, sluice::Tokens cost) {
  const sluice::Decision& decision = outcome.decision;
  require(decision.remaining >= sluice::Tokens() && decision.remaining <= limit.capacity());
  require((decision.verdict == sluice::Verdict::kCostExceedsCapacity) == (cost > limit.capacity()));
  require(decision.allowed() == (decision.retry_after == sluice::Duration()));
  require(decision.retry_after >= sluice::Duration() && decision.retry_after <= sluice::kForever);
}

void check_limit(const sluice::Limit& limit, sluice::Tokens cost, const Input& input) {
  sluice::Admission admissions[4];
  sluice::Bucket bucket;
  bucket.log = {admissions, 4, 0, 0, 0};
  for (const int64_t now_ns : {input.first_ns, input.second_ns, input.second_ns}) {
    const sluice::Instant now(now_ns % kLatestNs);
    const auto outcome = sluice::decide(limit, bucket, cost, now);
    check_decision(limit, outcome, cost);
    sluice::keep(limit, bucket, outcome, cost, now);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input;
  if (size != sizeof(input)) return 0;
  memcpy(&input, data, sizeof(input));
  const auto limit = sluice::Limit::token_bucket(input.rate, input.capacity);
  const auto cost = sluice::cost_of(input.cost);
  if (!limit || !cost) return 0;
  require(limit->rate().as_double() <= input.rate);
  check_limit(*limit, *cost, input);
  for (const auto& make :
       {sluice::Limit::fixed_window, sluice::Limit::sliding_window_log, sluice::Limit::sliding_window_counter}) {
    const auto windowed = make(limit->capacity(), limit->window());
    if (windowed) check_limit(*windowed, *cost, input);
  }
  return 0;
}
