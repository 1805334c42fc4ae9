// Rows of rate_limit_violation, read and written. For the files of this folder.
#pragma once

#include <optional>
#include <string>

#include "audit/violation.h"
#include "sql/sqlite/statement.h"

namespace sluice::audit::sqlite {

using sql::sqlite::Statement;

// The text to list by: only the conditions that are asked for, so that SQLite can pick the index that serves them.
std::string list_text(const ViolationFilter& filter, bool has_cursor);
void bind_list(Statement& list, const ViolationFilter& filter, const std::optional<Cursor>& after, size_t most);
Violation violation_at(const Statement& row);

extern const char* const kInsertText;
void bind_insert(Statement& insert, const Violation& violation);

}  // namespace sluice::audit::sqlite
