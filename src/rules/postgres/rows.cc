#include "rules/postgres/rows.h"

namespace sluice::rules {

using sql::Outcome;
using sql::postgres::Connection;
using sql::postgres::Result;
using sql::postgres::Values;

Row read_row(const Result& result, size_t row) {
  Row read;
  read.id = result.integer(row, 0);
  read.key_pattern = result.text(row, 1);
  read.scope = result.text_or_null(row, 2);
  read.rate_per_second = result.number_or_null(row, 3);
  read.burst_capacity = result.number_or_null(row, 4);
  read.plan = result.text_or_null(row, 5);
  read.is_active = result.boolean(row, 6);
  read.description = result.text_or_null(row, 7);
  read.definition = result.text_or_null(row, 8);
  read.version = result.integer(row, 9);
  read.created_at = result.text(row, 10);
  read.updated_at = result.text(row, 11);
  return read;
}

Values write_row(const Row& row) {
  Values values;
  values.text(row.key_pattern)
      .text(row.scope)
      .number(row.rate_per_second)
      .number(row.burst_capacity)
      .text(row.plan)
      .boolean(row.is_active)
      .text(row.description)
      .text(row.definition);
  return values;
}

Change read_change(const Result& result, size_t row) {
  const std::string_view kind = result.text(row, 1);
  Change change;
  change.number = result.integer(row, 0);
  change.kind = kind == "created"   ? ChangeKind::kCreated
                : kind == "changed" ? ChangeKind::kChanged
                                    : ChangeKind::kRemoved;
  change.rule_id = result.integer_or_null(row, 2).value_or(0);
  change.subject = result.text(row, 3);
  change.at = result.text(row, 4);
  change.who = result.text(row, 5);
  change.before = result.text_or_null(row, 6);
  change.after = result.text_or_null(row, 7);
  change.role = result.text_or_null(row, 8);
  return change;
}

Outcome<int64_t> read_latest_change(Connection& connection) {
  const Outcome<Result> latest = connection.run("SELECT coalesce(max(change_id), 0) FROM rate_limit_change");
  if (!latest) return latest.fault();
  return latest->integer(0, 0);
}

Outcome<Snapshot> read_snapshot(Connection& connection) {
  const Outcome<int64_t> change = read_latest_change(connection);
  if (!change) return change.fault();
  const Outcome<Result> rows = connection.run("SELECT " + kRowColumns + " FROM rate_limit_rule ORDER BY rule_id");
  if (!rows) return rows.fault();
  const Outcome<Result> fields = connection.run("SELECT field, value FROM rate_limit_top_level");
  if (!fields) return fields.fault();

  Snapshot snapshot{*change, {}, {}};
  snapshot.rows.reserve(rows->rows());
  for (size_t i = 0; i < rows->rows(); ++i) snapshot.rows.push_back(read_row(*rows, i));
  for (size_t i = 0; i < fields->rows(); ++i) {
    snapshot.top_level.emplace(fields->text(i, 0), fields->text(i, 1));
  }
  return snapshot;
}

}  // namespace sluice::rules
