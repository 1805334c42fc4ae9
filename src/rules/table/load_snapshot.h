// From rows to rules: the same tree and the same checks as those of a file.
#pragma once

#include <filesystem>
#include <string>

#include "documents/document.h"
#include "rules/language/load.h"
#include "rules/table/row.h"

namespace sluice::rules {

// How faults speak of a table, and where the key files that its `jwt` names are looked for.
struct TableName {
  std::string text;  // "sqlite:sluice.db"; no passwords
  std::filesystem::path folder{};
};

// A row as somebody has just written it: faults tell its fields and lines as they stand there.
struct Draft {
  int64_t row_id = 0;  // of the row of the snapshot that it is the text of
  const documents::Node* tree = nullptr;
};

// Table-form rows and rules make up the policy `default`, which goes first; rows that are not active are checked and
// left out; no rows are no rules, and no fault.
Loaded load_snapshot(const Snapshot& snapshot, const TableName& name, const Draft& draft = {});

}  // namespace sluice::rules
