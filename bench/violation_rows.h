// Violations as they come, for benchmarks of tables.
#pragma once

#include <cstdint>
#include <string>

#include "audit/violation.h"

namespace sluice::bench {

inline constexpr int64_t kMicrosecondsApart = 10;

// Many users, each with an address, times that rise.
inline audit::Violation violation_of(uint64_t number) {
  audit::Violation violation;
  const uint64_t user = number * 2'654'435'761u % 50'000;
  violation.bucket_key = "user:{user_id}|" + std::to_string(user);
  violation.user_id = std::to_string(user);
  violation.ip_address = "203.0.113." + std::to_string(user % 256);
  violation.endpoint = "/v1/search";
  violation.requested_at_us = 1'794'830'400'000'000 + static_cast<int64_t>(number) * kMicrosecondsApart;
  violation.last_at_us = violation.requested_at_us;
  violation.cost = 1;
  violation.rule_id = 7;
  violation.policy = "default";
  violation.rule = "user:{user_id}";
  violation.reason = "token_bucket_exceeded";
  return violation;
}

}  // namespace sluice::bench
