// Rules in a SQLite file.
#pragma once

#include <memory>
#include <string>

#include "rules/table/rule_table.h"
#include "sql/sqlite/database.h"

namespace sluice::rules::sqlite {

// Makes the file and its tables where there are none. Read-only tables refuse edits with kReadOnly.
sql::Outcome<std::unique_ptr<RuleTable>> open_rules(const std::string& path, const sql::sqlite::Options& options = {});

}  // namespace sluice::rules::sqlite
