// Rules in the tables of a PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include "rules/table/rule_table.h"
#include "sql/outcome.h"
#include "sql/postgres/connection.h"

namespace sluice::rules {

// Connects, and makes or migrates the tables. One connection, which also listens for changes that others make. After
// kAway every call says kAway: open another.
sql::Outcome<std::unique_ptr<RuleTable>> open_postgres_rules(const std::string& url,
                                                             const sql::postgres::Patience& patience = {});

}  // namespace sluice::rules
