// From rows to rules: the same tree and the same checks as those of a file.
#pragma once

#include <cstddef>
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
  size_t place = 0;  // in the rows of the snapshot: which of them it is the text of
  const documents::Node* tree = nullptr;
};

// Table-form rows and rules make up the policy `default`, which goes first; rows that are not active are checked and
// left out; no rows are no rules, and no fault.
Loaded load_snapshot(const Snapshot& snapshot, const TableName& name, const Draft& draft = {});

}  // namespace sluice::rules
