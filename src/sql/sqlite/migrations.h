// Brings a SQLite file to the schema of this version of Sluice.
#pragma once

#include <memory>
#include <string>

#include "sql/sqlite/database.h"

namespace sluice::sql::sqlite {

// The version of the schema that this Sluice writes: PRAGMA user_version.
int schema_version();

// Each step in one transaction, and once, however many processes come at the same time. kTooNew for the file of a later
// Sluice; kBroken for that of another program. One that may only be read must have the schema already.
Outcome<Done> migrate(Database& database);

Outcome<std::unique_ptr<Database>> open_migrated(const std::string& path, const Options& options);

}  // namespace sluice::sql::sqlite
