#include "sql/postgres/migrations.h"

#include <array>
#include <string>

#include "sql/postgres/schema.h"
#include "sql/postgres/transaction.h"

namespace sluice::sql::postgres {
namespace {

// One after another, each once; the place in the list, counted from 1, is the version. What is released stays as it is.
struct Migration {
  std::array<const char*, 3> scripts;
};
constexpr int64_t kVersion = 2;
const std::array<Migration, kVersion> kMigrations = {{
    {{kRuleTables, kHistory, kViolationTables}},
    {{kRuleGuards, nullptr, nullptr}},
}};

constexpr const char* kVersionTable = R"sql(
CREATE TABLE IF NOT EXISTS rate_limit_schema (
  version BIGINT PRIMARY KEY,
  migrated_at TIMESTAMPTZ NOT NULL DEFAULT now()
))sql";

// 0: there are no tables of ours.
Outcome<int64_t> version_of(Connection& connection) {
  const Outcome<Result> table = connection.run("SELECT to_regclass('rate_limit_schema') IS NOT NULL");
  if (!table) return table.fault();
  if (!table->boolean(0, 0)) return int64_t{0};
  const Outcome<Result> latest = connection.run("SELECT coalesce(max(version), 0) FROM rate_limit_schema");
  if (!latest) return latest.fault();
  return latest->integer(0, 0);
}

Fault too_new(const Connection& connection, int64_t version) {
  return {Trouble::kTooNew,
          "the tables of PostgreSQL at " + connection.where() + " are of schema " + std::to_string(version) +
              ", and this Sluice knows schemas up to " + std::to_string(kVersion),
          "use the Sluice that made them, or a later one"};
}

Outcome<Done> run_from(Connection& connection, int64_t version) {
  if (Outcome<Done> made = connection.run_script(kVersionTable); !made) return made;
  for (; version < kVersion; ++version) {
    for (const char* const script : kMigrations[static_cast<size_t>(version)].scripts) {
      if (script == nullptr) break;
      if (Outcome<Done> done = connection.run_script(script); !done) return done;
    }
    const Outcome<Result> noted =
        connection.run("INSERT INTO rate_limit_schema (version) VALUES ($1::bigint)", Values().integer(version + 1));
    if (!noted) return noted.fault();
  }
  return Done{};
}

// The lock is released by the end of the transaction, after what it did can be seen by others. Whoever waited for it
// therefore looks again. Names are bound to the schema in which tables are made, whatever others put before it later;
// tables that are there are migrated where they are.
Outcome<Done> migrate_alone(Connection& connection) {
  Outcome<Transaction> transaction = Transaction::begin(connection);
  if (!transaction) return transaction.fault();
  const Outcome<Result> locked = connection.run(
      "SELECT set_config('lock_timeout', $1::text, true), pg_advisory_xact_lock(hashtext('sluice migrations'))",
      Values().text(std::to_string(connection.patience().statement.count())));
  if (!locked) return locked.fault();
  // A statement of its own, so that it sees what was done before the lock was ours.
  const Outcome<Result> bound = connection.run(
      "SELECT set_config('search_path', quote_ident(coalesce((SELECT nspname FROM pg_class JOIN pg_namespace AS of_it "
      "ON of_it.oid = relnamespace WHERE pg_class.oid = to_regclass('rate_limit_schema')), current_schema())) || "
      "', pg_temp', true)");
  if (!bound) return bound.fault();
  const Outcome<int64_t> version = version_of(connection);
  if (!version) return version.fault();
  if (*version > kVersion) return too_new(connection, *version);
  if (*version == kVersion) return Done{};
  if (const Outcome<Done> done = run_from(connection, *version); !done) return done.fault();
  return transaction->commit();
}

}  // namespace

Outcome<Done> migrate(Connection& connection) {
  const Outcome<int64_t> version = version_of(connection);
  if (!version) return version.fault();
  if (*version > kVersion) return too_new(connection, *version);
  if (*version == kVersion) return Done{};
  Outcome<Done> done = migrate_alone(connection);
  if (done || done.fault().trouble != Trouble::kReadOnly) return done;
  return Fault{Trouble::kReadOnly,
               "the tables of Sluice are missing or old in PostgreSQL at " + connection.where() +
                   ", and they cannot be made: " + done.fault().message,
               "let a role that may create tables start Sluice once, then GRANT this one the use of them"};
}

}  // namespace sluice::sql::postgres
