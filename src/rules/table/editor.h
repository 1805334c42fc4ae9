// Changes a table of rules, each change in one transaction: what the rules would be is loaded as a whole before
// anything is written, and a change that brings a fault is refused. Faults that were there before are no reason to: a
// table that was broken by hand is mended row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/table/load_snapshot.h"
#include "rules/table/row.h"
#include "rules/table/row_json.h"
#include "rules/table/rule_table.h"
#include "sql/outcome.h"

namespace sluice::rules {

// It is done. The row as it is now; none where one was removed, and for the top level.
struct Edited {
  std::optional<Row> row;
};
// Nothing was changed, for what was sent is not right, or would make others wrong.
struct Faulty {
  std::vector<Fault> faults;
};
// Somebody else has changed it meanwhile: the row as it is now, the value of the top level's field, or the latest
// change of the whole table.
struct Conflict {
  std::optional<Row> row{};
  std::optional<std::string> value{};
  std::optional<int64_t> change{};
};
// Another row has this key_pattern and plan.
struct Taken {
  Row row;
};
struct NotThere {};

using EditResult = std::variant<Edited, Faulty, Conflict, Taken, NotThere, sql::Fault>;

// Which version a change is meant for; none: any.
using Expected = std::optional<int64_t>;

// Used by the thread of its table, which must outlive it.
class Editor {
 public:
  Editor(RuleTable& table, TableName name, std::string who)
      : table_(table), name_(std::move(name)), who_(std::move(who)) {}

  // Texts are JSON as row_json() writes it.
  EditResult create(std::string_view text);
  EditResult replace(int64_t id, std::string_view text, Expected expected);
  // RFC 7386, on what row_json() writes.
  EditResult patch(int64_t id, std::string_view text, Expected expected);
  EditResult remove(int64_t id, Expected expected);

  // What create() would say, or replace() where the row is there. Only looks: neither a right to write is needed, nor
  // that nobody else edits. The row is as it would be.
  EditResult validate(std::string_view text, std::optional<int64_t> id);

  // `expected` is the value as it was; none: any. An empty text expects none.
  EditResult set_top_level(const std::string& field, std::string_view value,
                           const std::optional<std::string>& expected);
  EditResult remove_top_level(const std::string& field, const std::optional<std::string>& expected);

 private:
  EditResult merge(int64_t id, const documents::Node& changes, Expected expected);
  EditResult put(std::optional<int64_t> id, const RowBody& body, Expected expected);
  // Whether the table as it is takes the row; Edited has it as it is to be written.
  EditResult check(const Snapshot& before, std::optional<int64_t> id, const RowBody& body, Expected expected) const;
  EditResult change_top_level(const std::string& field, const std::optional<std::string>& value,
                              const std::optional<std::string>& expected);

  RuleTable& table_;
  const TableName name_;
  const std::string who_;
};

// What is wrong with `after` that was not with `before`; all that is wrong with the draft.
std::vector<Fault> new_faults(const Snapshot& before, const Snapshot& after, const TableName& name,
                              const Draft& draft = {});

}  // namespace sluice::rules
