// Rows of the rule tables, read and written. For the files of this folder.
#pragma once

#include <string>
#include <vector>

#include "rules/table/row.h"
#include "rules/table/rule_table.h"
#include "sql/sqlite/database.h"
#include "sql/sqlite/statement.h"

namespace sluice::rules::sqlite {

using sql::sqlite::Database;
using sql::sqlite::Statement;

// REQUIRES: a transaction, so that rows, top level and number belong together.
sql::Outcome<Snapshot> read_snapshot(Database& database);
sql::Outcome<std::vector<Row>> read_rows(Database& database, const RowFilter& filter);
sql::Outcome<std::optional<Row>> read_row(Database& database, int64_t id);
sql::Outcome<std::vector<Change>> read_changes(Database& database, const ChangeFilter& filter);
// The highest number ever given to a change: also right where somebody has thinned out the history.
sql::Outcome<int64_t> read_latest_change(Database& database);

sql::Outcome<Row> insert_row(Database& database, const Row& row);
sql::Outcome<Row> update_row(Database& database, const Row& row);
sql::Outcome<sql::Done> remove_row(Database& database, int64_t id);
sql::Outcome<sql::Done> write_top_level(Database& database, const std::string& field,
                                        const std::optional<std::string>& value);

}  // namespace sluice::rules::sqlite
