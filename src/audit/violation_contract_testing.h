// What tests on tables of violations share: violations to write, and outcomes that must hold.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "audit/violation.h"
#include "sql/outcome.h"

namespace sluice::audit {

template <class T>
T value_of(sql::Outcome<T> outcome) {
  if (outcome) return std::move(*outcome);
  ADD_FAILURE() << outcome.fault().message;
  // A test cannot go on without the value.
  throw std::runtime_error(outcome.fault().message);
}

// The noon of a day, and the microseconds after it.
inline int64_t noon(int64_t later_us = 0) { return 1'794'830'400'000'000 + later_us; }

inline Violation violation_of(const std::string& user, int64_t later_us) {
  Violation violation;
  violation.bucket_key = "user:" + user;
  violation.user_id = user;
  violation.requested_at_us = violation.last_at_us = noon(later_us);
  violation.cost = 1;
  violation.policy = "default";
  violation.rule = "user:{user_id}";
  violation.reason = "token_bucket_exceeded";
  return violation;
}

inline bool is_same(Violation a, const Violation& b) {
  a.id = b.id;
  const auto rest = [](const Violation& v) {
    return std::tie(v.last_at_us, v.tokens_at_time, v.cost, v.count, v.rule_id, v.policy, v.rule, v.reason,
                    v.is_shadow);
  };
  return std::tie(a.bucket_key, a.user_id, a.ip_address, a.endpoint, a.requested_at_us) ==
             std::tie(b.bucket_key, b.user_id, b.ip_address, b.endpoint, b.requested_at_us) &&
         rest(a) == rest(b);
}

}  // namespace sluice::audit
