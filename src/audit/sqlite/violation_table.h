// Violations in a SQLite file.
#pragma once

#include <memory>
#include <string>

#include "audit/violation_table.h"
#include "sql/sqlite/database.h"

namespace sluice::audit::sqlite {

// Makes the file and its tables where there are none. Rules may be in the same file.
sql::Outcome<std::unique_ptr<ViolationTable>> open_violations(const std::string& path,
                                                              const sql::sqlite::Options& options = {});

}  // namespace sluice::audit::sqlite
