#include "rules/sqlite/rule_rows.h"

namespace sluice::rules::sqlite {
namespace {

using sql::Done;
using sql::Outcome;

// The columns that row_at reads, in its order, and where they come from.
std::string rules_where(std::string_view rest) {
  static constexpr std::string_view kRules =
      "SELECT rule_id, key_pattern, scope, rate_per_second, burst_capacity, plan, is_active, description, definition,"
      " version, created_at, updated_at FROM rate_limit_rule ";
  return std::string(kRules).append(rest);
}

Row row_at(const Statement& row) {
  return {.id = row.integer(0),
          .key_pattern = row.text(1),
          .scope = row.text_or_none(2),
          .rate_per_second = row.real_or_none(3),
          .burst_capacity = row.real_or_none(4),
          .plan = row.text_or_none(5),
          .is_active = row.integer(6) != 0,
          .description = row.text_or_none(7),
          .definition = row.text_or_none(8),
          .version = row.integer(9),
          .created_at = row.text(10),
          .updated_at = row.text(11)};
}

ChangeKind kind_of(const std::string& word) {
  if (word == "created") return ChangeKind::kCreated;
  return word == "removed" ? ChangeKind::kRemoved : ChangeKind::kChanged;
}

Change change_at(const Statement& row) {
  return {.number = row.integer(0),
          .kind = kind_of(row.text(1)),
          .rule_id = row.integer(2),
          .subject = row.text(3),
          .at = row.text(4),
          .who = row.text(5),
          .before = row.text_or_none(6),
          .after = row.text_or_none(7)};
}

// All rows that are left, each made by `make`.
template <class Make>
auto all_of(Statement& statement, Make make) -> Outcome<std::vector<decltype(make(statement))>> {
  std::vector<decltype(make(statement))> made;
  for (;;) {
    auto row = statement.step();
    if (!row) return row.fault();
    if (!*row) return made;
    made.push_back(make(statement));
  }
}

Outcome<Row> read_back(Database& database, int64_t id) {
  auto row = read_row(database, id);
  if (!row) return row.fault();
  if (!*row) return sql::Fault{sql::Trouble::kRefused, "there is no rule with the id " + std::to_string(id)};
  return **row;
}

}  // namespace

Outcome<Snapshot> read_snapshot(Database& database) {
  Snapshot snapshot;
  auto change = read_latest_change(database);
  if (!change) return change.fault();
  snapshot.change = *change;
  Statement all = database.prepare(rules_where("ORDER BY rule_id"));
  auto rows = all_of(all, row_at);
  if (!rows) return rows.fault();
  snapshot.rows = std::move(*rows);
  Statement fields = database.prepare("SELECT field, value FROM rate_limit_top_level");
  auto pairs = all_of(fields, [](const Statement& row) { return std::pair(row.text(0), row.text(1)); });
  if (!pairs) return pairs.fault();
  snapshot.top_level.insert(pairs->begin(), pairs->end());
  return snapshot;
}

Outcome<std::vector<Row>> read_rows(Database& database, const RowFilter& filter) {
  Statement some = database.prepare(
      rules_where("WHERE rule_id > ?1 AND (?2 IS NULL OR key_pattern = ?2) AND (?3 IS NULL OR plan = ?3)"
                  " AND (?4 IS NULL OR is_active = ?4) ORDER BY rule_id LIMIT ?5"));
  some.bind(filter.after_id, filter.key_pattern, filter.plan, filter.is_active, filter.most);
  return all_of(some, row_at);
}

Outcome<std::optional<Row>> read_row(Database& database, int64_t id) {
  Statement one = database.prepare(rules_where("WHERE rule_id = ?1"));
  auto row = one.bind(id).step();
  if (!row) return row.fault();
  return *row ? std::optional(row_at(one)) : std::nullopt;
}

Outcome<std::vector<Change>> read_changes(Database& database, const ChangeFilter& filter) {
  // Two texts, since SQLite picks an index before it knows the values. The top level has no rule: 0 here, null there.
  static constexpr char kOfAll[] =
      "SELECT change_id, kind, rule_id, subject, changed_at, changed_by, before, after FROM rate_limit_change"
      " WHERE change_id < ?2 ORDER BY change_id DESC LIMIT ?3";
  static constexpr char kOfOne[] =
      "SELECT change_id, kind, rule_id, subject, changed_at, changed_by, before, after FROM rate_limit_change"
      " WHERE rule_id IS nullif(?1, 0) AND change_id < ?2 ORDER BY change_id DESC LIMIT ?3";
  Statement some = database.prepare(filter.rule_id ? kOfOne : kOfAll);
  some.bind(filter.rule_id.value_or(0), filter.before.value_or(INT64_MAX), filter.most);
  return all_of(some, change_at);
}

// A backup that is put back over the file may end with the same number as what it replaces: the version of the schema,
// which SQLite then counts up, makes the difference.
Outcome<int64_t> read_latest_change(Database& database) {
  return database.number(
      "SELECT coalesce((SELECT (schema_version & 0x3fffff) << 40 | seq FROM pragma_schema_version, sqlite_sequence"
      " WHERE name = 'rate_limit_change' AND seq > 0), 0)");
}

Outcome<Row> insert_row(Database& database, const Row& row) {
  Statement insert = database.prepare(
      "INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity, plan, is_active, description,"
      " definition) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING rule_id");
  insert.bind(row.key_pattern, row.scope, row.rate_per_second, row.burst_capacity, row.plan, row.is_active,
              row.description, row.definition);
  auto inserted = insert.step();
  if (!inserted) return inserted.fault();
  const int64_t id = insert.integer(0);
  if (auto done = insert.run(); !done) return done.fault();
  return read_back(database, id);
}

Outcome<Row> update_row(Database& database, const Row& row) {
  Statement update = database.prepare(
      "UPDATE rate_limit_rule SET key_pattern = ?2, scope = ?3, rate_per_second = ?4, burst_capacity = ?5, plan = ?6,"
      " is_active = ?7, description = ?8, definition = ?9 WHERE rule_id = ?1");
  update.bind(row.id, row.key_pattern, row.scope, row.rate_per_second, row.burst_capacity, row.plan, row.is_active,
              row.description, row.definition);
  if (auto done = update.run(); !done) return done.fault();
  return read_back(database, row.id);
}

Outcome<Done> remove_row(Database& database, int64_t id) {
  return database.prepare("DELETE FROM rate_limit_rule WHERE rule_id = ?1").bind(id).run();
}

Outcome<Done> write_top_level(Database& database, const std::string& field, const std::optional<std::string>& value) {
  if (!value) return database.prepare("DELETE FROM rate_limit_top_level WHERE field = ?1").bind(field).run();
  return database
      .prepare(
          "INSERT INTO rate_limit_top_level (field, value) VALUES (?1, ?2)"
          " ON CONFLICT (field) DO UPDATE SET value = excluded.value")
      .bind(field, *value)
      .run();
}

}  // namespace sluice::rules::sqlite
