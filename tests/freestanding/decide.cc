// The smallest program around the core: one bucket, one export. Built for WebAssembly without any library, it shows
// that every algorithm is freestanding; tools/checks/freestanding.py builds it and looks at what came out.
#include "algorithms/bucket.h"

namespace {

constexpr uint32_t kSlots = 16;
sluice::Admission admissions[kSlots];
sluice::Bucket bucket{{}, {}, {admissions, kSlots, 0, 0, 0}};

sluice::Result<sluice::Limit> limit_of(double algorithm, double rate, double capacity) {
  const auto tokens = sluice::capacity_of(capacity);
  if (!tokens) return tokens.error();
  const auto per_second = sluice::Rate::per_second(rate);
  if (!per_second) return per_second.error();
  const auto window = sluice::Duration::seconds(static_cast<int64_t>(capacity / rate) + 1);
  switch (static_cast<sluice::Algorithm>(static_cast<uint8_t>(algorithm))) {
    case sluice::Algorithm::kFixedWindow: return sluice::Limit::fixed_window(*tokens, window);
    case sluice::Algorithm::kSlidingWindowLog: return sluice::Limit::sliding_window_log(*tokens, window);
    case sluice::Algorithm::kSlidingWindowCounter: return sluice::Limit::sliding_window_counter(*tokens, window);
    default: return sluice::Limit::token_bucket(*per_second, *tokens);
  }
}

}  // namespace

// The wait in milliseconds before one token is there; 0 when it was taken, -1 when the limit is none.
extern "C" __attribute__((export_name("decide"))) double decide(double algorithm, double rate, double capacity,
                                                                double now_ms) {
  const auto limit = limit_of(algorithm, rate, capacity);
  if (!limit) return -1;
  const sluice::Instant now(static_cast<int64_t>(now_ms * 1e6));
  const sluice::BucketOutcome outcome = sluice::decide(*limit, bucket, sluice::kOneToken, now);
  sluice::keep(*limit, bucket, outcome, sluice::kOneToken, now);
  return static_cast<double>(outcome.decision.retry_after.ceil_millis());
}
