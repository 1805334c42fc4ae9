// The tables of a SQLite file, as SQL. Constants; never edited once released: a change is a migration of its own.
#pragma once

namespace sluice::sql::sqlite {

// "Slce": tells our files from those of other programs, which may number their schemas too.
inline constexpr int kApplicationId = 0x536c6365;

// rate_limit_rule, rate_limit_top_level, their history, and the triggers that write it.
extern const char* const kRuleTables;
// Numbers below 1 are refused, and rows that REPLACE removes are in the history too.
extern const char* const kRuleGuards;
// rate_limit_violation, and which batches of it have arrived.
extern const char* const kViolationTables;

}  // namespace sluice::sql::sqlite
