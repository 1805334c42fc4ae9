// What PostgreSQL says went wrong, as faults.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

#include "sql/outcome.h"

namespace sluice::sql::postgres {

// By the five characters of an SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
Trouble trouble_of(std::string_view sqlstate);

// Of a statement that failed.
Fault fault_of(const PGresult* result);

// Of a connection that did not come about, in libpq's words. `where` is how people know the server.
Fault connect_fault(const std::string& where, std::string_view words);

// Of one that was there, and is not any more.
Fault lost_fault(const std::string& where, std::string_view words);

// All of it on one line: libpq likes to write several.
std::string first_line(std::string_view words);

}  // namespace sluice::sql::postgres
