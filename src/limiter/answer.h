// What a caller is told about one request, whichever door it came through. Views into the Check that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rules/evaluation.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice::limiter {

enum class Reason : uint8_t {
  kNone,                 // allowed
  kExceeded,             // a bucket has less than the cost: `<algorithm>_exceeded`. There is a tightest one.
  kCostExceedsCapacity,  // a bucket never will have it
  kKillSwitch,
  kMissingKey,
  kTooManyBuckets,    // more limits apply to the request than one request may have
  kStoreUnavailable,  // and a rule says to deny then
};

// The last of them is that of a store.
inline constexpr size_t kReasons = static_cast<size_t>(Reason::kStoreUnavailable) + 1;

// One bucket that was asked.
struct BucketAnswer {
  std::string_view policy;
  std::string_view rule;
  std::string_view key;
  const Limit* limit = nullptr;
  Tokens cost;
  bool allowed = true;
  Tokens remaining;      // after the take, rounded down; what is there now when the request was rejected
  Duration retry_after;  // exact; zero when this bucket allows, kForever when it never can
  Duration reset_after;  // until it is full
  int64_t row_id = 0;    // of rate_limit_rule, where the rule is from there; 0: from none
};

struct Answer {
  bool allowed = true;
  Reason reason = Reason::kNone;
  // What `reason` speaks of: the rule that rejects, or the kill switch's own words. Empty when allowed.
  std::string_view policy;
  std::string_view rule;
  std::string_view detail;
  // By a kill switch: the value that it holds for, and the client's address, as far as they are known. They view into
  // the request.
  std::string_view killed_value;
  std::string_view killed_address;
  int64_t row_id = 0;  // of that rule, as in BucketAnswer
  // How long until the same request passes if nobody comes first: exact. kForever where no wait helps or none is known.
  Duration retry_after;
  // Leaky queue: how long to hold an admitted request.
  Duration delay;
  // Enforced buckets; none when no rule applies.
  std::span<const BucketAnswer> buckets;
  // The one that headers speak of: the rejecting one, else that with the fewest remaining. nullptr when there is none.
  const BucketAnswer* tightest = nullptr;
  // Buckets of shadow rules, which have no say.
  std::span<const BucketAnswer> shadow;
  // Shadow rules that would have rejected it for a missing key, and so asked no bucket.
  std::span<const rules::Application> denied_in_shadow;
  // A store was away, and the rules said what to do without it.
  bool degraded = false;
};

// Why one bucket does not allow what was asked of it.
Reason reason_of(Verdict verdict);
std::string_view reason_text(Verdict verdict, const Limit& limit);

// `token_bucket_exceeded`, `cost_exceeds_capacity`, `kill_switch`, ...; empty when allowed.
std::string_view reason_text(const Answer& answer);
// The same for a reason alone; `exceeded`, where it depends on the algorithm.
std::string_view reason_text(Reason reason);

}  // namespace sluice::limiter
