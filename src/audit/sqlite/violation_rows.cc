#include "audit/sqlite/violation_rows.h"

#include <algorithm>
#include <cstdint>

namespace sluice::audit::sqlite {
namespace {

// A count that no column holds; nobody gets there.
constexpr uint64_t kMostCount = INT64_MAX;

}  // namespace

std::string list_text(const ViolationFilter& filter, bool has_cursor) {
  std::string text =
      "SELECT violation_id, bucket_key, user_id, ip_address, endpoint, requested_at, last_at, tokens_at_time, cost,"
      " count, rule_id, policy, rule, reason, is_shadow FROM rate_limit_violation WHERE 1";
  if (filter.user_id) text += " AND user_id = ?1";
  if (filter.ip_address) text += " AND ip_address = ?2";
  if (filter.bucket_key) text += " AND bucket_key = ?3";
  if (filter.endpoint) text += " AND endpoint = ?4";
  if (filter.rule_id) text += " AND rule_id = ?5";
  if (filter.is_shadow) text += " AND is_shadow = ?6";
  if (filter.since_us) text += " AND requested_at >= ?7";
  if (filter.until_us) text += " AND requested_at < ?8";
  if (has_cursor) text += " AND (requested_at, violation_id) < (?9, ?10)";
  return text + " ORDER BY requested_at DESC, violation_id DESC LIMIT ?11";
}

void bind_list(Statement& list, const ViolationFilter& filter, const std::optional<Cursor>& after, size_t most) {
  const Cursor cursor = after.value_or(Cursor());
  const auto longest = static_cast<int64_t>(std::min<size_t>(most, INT64_MAX));
  list.bind(filter.user_id, filter.ip_address, filter.bucket_key, filter.endpoint, filter.rule_id, filter.is_shadow,
            filter.since_us, filter.until_us, cursor.requested_at_us, cursor.id, longest);
}

Violation violation_at(const Statement& row) {
  return {.id = row.integer(0),
          .bucket_key = row.text(1),
          .user_id = row.text_or_none(2),
          .ip_address = row.text_or_none(3),
          .endpoint = row.text_or_none(4),
          .requested_at_us = row.integer(5),
          .last_at_us = row.integer(6),
          .tokens_at_time = row.real(7),
          .cost = row.real(8),
          .count = static_cast<uint64_t>(row.integer(9)),
          .rule_id = row.integer_or_none(10),
          .policy = row.text(11),
          .rule = row.text(12),
          .reason = row.text(13),
          .is_shadow = row.integer(14) != 0};
}

const char* const kInsertText =
    "INSERT INTO rate_limit_violation (bucket_key, user_id, ip_address, endpoint, requested_at, last_at,"
    " tokens_at_time, cost, count, rule_id, policy, rule, reason, is_shadow)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

void bind_insert(Statement& insert, const Violation& violation) {
  const auto count = static_cast<int64_t>(std::min(violation.count, kMostCount));
  insert.bind(violation.bucket_key, violation.user_id, violation.ip_address, violation.endpoint,
              violation.requested_at_us, violation.last_at_us, violation.tokens_at_time, violation.cost, count,
              violation.rule_id, violation.policy, violation.rule, violation.reason, violation.is_shadow);
}

}  // namespace sluice::audit::sqlite
