#include "audit/postgres/rows.h"

#include <algorithm>
#include <limits>

#include "audit/postgres/postgres_violations.h"
#include "sql/postgres/text.h"

namespace sluice::audit {

using sql::postgres::clipped;
using sql::postgres::Conditions;
using sql::postgres::from_text;
using sql::postgres::Result;
using sql::postgres::to_text;
using sql::postgres::Values;

namespace {

std::string user_text(const std::string& user) { return clipped(to_text(user), kMostOfUser); }

void add(Values& values, const Violation& violation) {
  constexpr uint64_t kMostCounted = std::numeric_limits<int64_t>::max();
  values.text(to_text(violation.bucket_key));
  violation.user_id ? values.text(user_text(*violation.user_id)) : values.null();
  violation.ip_address ? values.address(*violation.ip_address) : values.null();
  violation.endpoint ? values.text(to_text(*violation.endpoint)) : values.null();
  values.time(violation.requested_at_us)
      .time(violation.last_at_us)
      .number(violation.tokens_at_time)
      .number(violation.cost)
      .integer(static_cast<int64_t>(std::min(violation.count, kMostCounted)))
      .integer(violation.rule_id)
      .text(to_text(violation.policy))
      .text(to_text(violation.rule))
      .text(to_text(violation.reason))
      .boolean(violation.is_shadow);
}

std::optional<std::string> bytes_or_null(const Result& result, size_t row, int column) {
  return result.is_null(row, column) ? std::nullopt : std::optional(from_text(result.text(row, column)));
}

}  // namespace

std::string copied_rows(const std::vector<Violation>& violations) {
  std::string rows = sql::postgres::copy_header();
  Values values;
  for (const Violation& violation : violations) {
    values.clear();
    add(values, violation);
    values.append_row_to(rows);
  }
  return rows + sql::postgres::copy_trailer();
}

Violation read_violation(const Result& result, size_t row) {
  Violation read;
  read.id = result.integer(row, 0);
  read.bucket_key = from_text(result.text(row, 1));
  read.user_id = bytes_or_null(result, row, 2);
  read.ip_address = result.text_or_null(row, 3);
  read.endpoint = bytes_or_null(result, row, 4);
  read.requested_at_us = result.time_us(row, 5);
  read.last_at_us = result.time_us(row, 6);
  read.tokens_at_time = result.number(row, 7);
  read.cost = result.number(row, 8);
  read.count = static_cast<uint64_t>(result.integer(row, 9));
  read.rule_id = result.integer_or_null(row, 10);
  read.policy = from_text(result.text(row, 11));
  read.rule = from_text(result.text(row, 12));
  read.reason = from_text(result.text(row, 13));
  read.is_shadow = result.boolean(row, 14);
  return read;
}

Conditions conditions_of(const ViolationFilter& filter, const std::optional<Cursor>& after, size_t most) {
  Conditions conditions;
  if (filter.user_id) conditions.with("user_id = %::text").text(user_text(*filter.user_id));
  if (filter.ip_address) conditions.with("ip_address = %::inet").address(*filter.ip_address);
  if (filter.bucket_key) conditions.with("bucket_key = %::text").text(to_text(*filter.bucket_key));
  if (filter.endpoint) conditions.with("endpoint = %::text").text(to_text(*filter.endpoint));
  if (filter.rule_id) conditions.with("rule_id = %::bigint").integer(*filter.rule_id);
  if (filter.is_shadow) conditions.with("is_shadow = %::boolean").boolean(*filter.is_shadow);
  if (filter.since_us) conditions.with("requested_at >= %::timestamptz").time(*filter.since_us);
  if (filter.until_us) conditions.with("requested_at < %::timestamptz").time(*filter.until_us);
  if (after) {
    conditions.with("(requested_at, violation_id) < (%::timestamptz, %::bigint)")
        .time(after->requested_at_us)
        .integer(after->id);
  }
  constexpr size_t kMostEver = std::numeric_limits<int64_t>::max();
  conditions.then(" ORDER BY requested_at DESC, violation_id DESC LIMIT %::bigint")
      .integer(static_cast<int64_t>(std::min(most, kMostEver)));
  return conditions;
}

}  // namespace sluice::audit
