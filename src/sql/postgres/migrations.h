// Brings the tables of a database to what this Sluice knows. Any number of servers may do so at once: one of them does
// it, the others find it done. A role that may create nothing can work with tables that are there.
#pragma once

#include "sql/outcome.h"
#include "sql/postgres/connection.h"

namespace sluice::sql::postgres {

// kTooNew: a later Sluice was here. kReadOnly: tables are missing, and this role may not make them.
Outcome<Done> migrate(Connection& connection);

}  // namespace sluice::sql::postgres
