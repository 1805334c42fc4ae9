// Violations in the tables of a PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include "audit/violation_table.h"
#include "sql/outcome.h"
#include "sql/postgres/connection.h"

namespace sluice::audit {

// Connects, and makes or migrates the tables. After kAway every call says kAway: open another.
//
// No violation is ever refused for what is in it. Any bytes of keys and names come back as they were. Of a user_id,
// more than kMostOfUser bytes are cut off, since an index takes no more. What is no address leaves ip_address empty.
sql::Outcome<std::unique_ptr<ViolationTable>> open_postgres_violations(const std::string& url,
                                                                       const sql::postgres::Patience& patience = {});

constexpr size_t kMostOfUser = 2'000;

}  // namespace sluice::audit
