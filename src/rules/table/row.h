// Rules as rows of a database. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::rules {

// One row of rate_limit_rule. `key_pattern` says which of three things it is:
//   policy:ID     a policy; `definition` is its JSON object, without id and description
//   rule:NAME     a rule of the policy `default`; `definition` likewise, without name and description
//   all else      a rule of `default` in the table form: rate_per_second and burst_capacity, and no definition
struct Row {
  int64_t id = 0;  // 0: not in the table yet
  std::string key_pattern;
  std::optional<std::string> scope;
  std::optional<double> rate_per_second;
  std::optional<double> burst_capacity;
  std::optional<std::string> plan;  // none: for all plans without a row of their own
  bool is_active = true;
  std::optional<std::string> description;
  std::optional<std::string> definition;
  // Kept by the database.
  int64_t version = 0;     // one more with every change
  std::string created_at;  // 2026-11-16T05:18:31.123456Z
  std::string updated_at;

  friend bool operator==(const Row&, const Row&) = default;
};

// Not in the table yet: the database gives it its number and its version. One written by hand may have the number 0.
inline bool is_new(const Row& row) { return row.id == 0 && row.version == 0; }

// What a rules file says beside policies and rules: `headers`, `trusted_proxies`, `jwt`, ...: each a value in JSON.
using TopLevel = std::map<std::string, std::string>;

// All rows and the top level, as they were at one moment.
struct Snapshot {
  int64_t change = 0;     // RuleTable::latest_change() of what it holds
  std::vector<Row> rows;  // by id
  TopLevel top_level;
};

enum class ChangeKind : uint8_t { kCreated, kChanged, kRemoved };

// One entry of the history, which triggers write: edits with psql and sqlite3 are in it too.
struct Change {
  int64_t number = 0;
  ChangeKind kind = ChangeKind::kCreated;
  int64_t rule_id = 0;  // 0: of the top level
  std::string subject;  // the key_pattern, `key_pattern@plan`, or the name of the top level's field
  std::string at;
  std::string who;                    // a token's name, a user of the machine or of the database
  std::optional<std::string> role{};  // of the database, as that knows it; none where it knows no roles
  std::optional<std::string> before;  // JSON of the row, or of the value
  std::optional<std::string> after;
};

}  // namespace sluice::rules
