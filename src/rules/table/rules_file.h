// A rules file into a table, and a table as a rules file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/table/editor.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/rule_table.h"

namespace sluice::rules {

// The rows that mean what a file does: each rule and each policy is one. The rules of a policy `default` that says
// nothing else are rows themselves.
struct FileRows {
  std::vector<Row> rows;  // in the order of the file; without ids
  TopLevel top_level;
};

// Faults are those of the file, with its lines.
std::variant<FileRows, std::vector<Fault>> rows_of_file(std::string_view text, const std::string& file, Format format);

enum class ImportMode : uint8_t {
  kReplace,  // afterwards the table says what the file does, in its order, and nothing else
  kMerge,    // rows with the same key_pattern and plan are changed, new ones go behind all others
};

struct Imported {
  size_t added = 0;
  size_t changed = 0;
  size_t removed = 0;
  size_t unchanged = 0;
};

using ImportResult = std::variant<Imported, Faulty, Conflict, sql::Fault>;

// Which changes may be the table's latest when a file comes in; none: any.
using ExpectedChanges = std::optional<std::vector<int64_t>>;

// In one transaction; all or nothing.
ImportResult import_file(RuleTable& table, const TableName& name, const std::string& who, const FileRows& file,
                         ImportMode mode, const ExpectedChanges& expected = std::nullopt);

// As a file in JSON that loads to the same rules; rows that are not active are in it, as such. Faults: a row has no
// definition that could be written down.
std::variant<std::string, std::vector<Fault>> export_file(const Snapshot& snapshot, const TableName& name);

}  // namespace sluice::rules
