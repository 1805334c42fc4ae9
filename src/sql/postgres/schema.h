// The tables of PostgreSQL, as SQL. Constants; never edited once released: a change is a migration of its own.
#pragma once

namespace sluice::sql::postgres {

// rate_limit_rule and rate_limit_top_level.
extern const char* const kRuleTables;
// rate_limit_change, and the triggers that write it.
extern const char* const kHistory;
// Numbers below 1 are refused, and none is given twice; the history has the role too.
extern const char* const kRuleGuards;
// rate_limit_violation, and which batches of it have arrived.
extern const char* const kViolationTables;

}  // namespace sluice::sql::postgres
