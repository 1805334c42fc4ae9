// Rows of rate_limit_rule and its history, to and from PostgreSQL.
#pragma once

#include <cstddef>
#include <string>

#include "rules/table/row.h"
#include "sql/outcome.h"
#include "sql/postgres/connection.h"

namespace sluice::rules {

// What read_row() reads, in this order.
inline const std::string kRowColumns =
    "rule_id, key_pattern, scope, rate_per_second, burst_capacity, plan, is_active, description, definition, version, "
    "rate_limit_time(created_at), rate_limit_time(updated_at)";
Row read_row(const sql::postgres::Result& result, size_t row);

// What write_row() gives, as $1 to $8: all but the id and what the database keeps.
inline const std::string kWrittenColumns =
    "key_pattern, scope, rate_per_second, burst_capacity, plan, is_active, description, definition";
inline const std::string kWrittenValues =
    "$1::text, $2::text, $3::double precision, $4::double precision, $5::text, $6::boolean, $7::text, $8::json";
sql::postgres::Values write_row(const Row& row);

// What read_change() reads, in this order.
inline const std::string kChangeColumns =
    "change_id, kind, rule_id, subject, rate_limit_time(changed_at), changed_by, before, after, session_role";
Change read_change(const sql::postgres::Result& result, size_t row);

// All there is. The caller sees to it that nothing changes meanwhile.
sql::Outcome<Snapshot> read_snapshot(sql::postgres::Connection& connection);
sql::Outcome<int64_t> read_latest_change(sql::postgres::Connection& connection);

}  // namespace sluice::rules
