// Rows of rate_limit_violation, to and from PostgreSQL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "audit/violation.h"
#include "sql/postgres/conditions.h"
#include "sql/postgres/result.h"

namespace sluice::audit {

// All of a batch, for COPY ... (kCopiedColumns) FROM STDIN WITH (FORMAT binary).
inline const std::string kCopiedColumns =
    "bucket_key, user_id, ip_address, endpoint, requested_at, last_at, tokens_at_time, cost, count, rule_id, policy, "
    "rule, "
    "reason, is_shadow";
std::string copied_rows(const std::vector<Violation>& violations);

// What read_violation() reads, in this order.
inline const std::string kReadColumns =
    "violation_id, bucket_key, user_id, host(ip_address), endpoint, requested_at, last_at, tokens_at_time, cost, "
    "count, "
    "rule_id, policy, rule, reason, is_shadow";
Violation read_violation(const sql::postgres::Result& result, size_t row);

// What is asked for, as conditions; the newest first.
sql::postgres::Conditions conditions_of(const ViolationFilter& filter, const std::optional<Cursor>& after, size_t most);

}  // namespace sluice::audit
