#include "limiter/answer.h"

namespace sluice::limiter {
namespace {

std::string_view exceeded(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kTokenBucket: return "token_bucket_exceeded";
    case Algorithm::kLeakyBucket: return "leaky_bucket_exceeded";
    case Algorithm::kLeakyQueue: return "leaky_queue_exceeded";
    case Algorithm::kFixedWindow: return "fixed_window_exceeded";
    case Algorithm::kSlidingWindowLog: return "sliding_window_log_exceeded";
    case Algorithm::kSlidingWindowCounter: return "sliding_window_counter_exceeded";
  }
  return "";
}

}  // namespace

Reason reason_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllowed: return Reason::kNone;
    case Verdict::kLimited: return Reason::kExceeded;
    case Verdict::kCostExceedsCapacity: return Reason::kCostExceedsCapacity;
  }
  return Reason::kNone;
}

std::string_view reason_text(Verdict verdict, const Limit& limit) {
  return verdict == Verdict::kLimited ? exceeded(limit.algorithm()) : reason_text(reason_of(verdict));
}

std::string_view reason_text(const Answer& answer) {
  const bool has_algorithm = answer.reason == Reason::kExceeded;
  return has_algorithm ? exceeded(answer.tightest->limit->algorithm()) : reason_text(answer.reason);
}

std::string_view reason_text(Reason reason) {
  switch (reason) {
    case Reason::kNone: return "";
    case Reason::kExceeded: return "exceeded";
    case Reason::kCostExceedsCapacity: return "cost_exceeds_capacity";
    case Reason::kKillSwitch: return "kill_switch";
    case Reason::kMissingKey: return "missing_key";
    case Reason::kTooManyBuckets: return "too_many_buckets";
    case Reason::kStoreUnavailable: return "store_unavailable";
  }
  return "";
}

}  // namespace sluice::limiter
