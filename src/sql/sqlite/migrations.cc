#include "sql/sqlite/migrations.h"

#include <array>
#include <string>

#include "sql/sqlite/schema.h"
#include "sql/sqlite/statement.h"
#include "sql/sqlite/transaction.h"

namespace sluice::sql::sqlite {
namespace {

// Steps number 1, 2, ...: the SQL of one, and the statement that notes that it was done.
struct Migration {
  std::array<const char*, 2> texts;
  const char* note;
};

constexpr int kVersion = 2;
const std::array<Migration, kVersion> kMigrations = {{
    {{kRuleTables, kViolationTables}, "PRAGMA user_version = 1"},
    {{kRuleGuards, nullptr}, "PRAGMA user_version = 2"},
}};

Fault fault_of_another_program(const std::string& file) {
  return {Trouble::kBroken, file + " is the database of another program", "name another file: Sluice makes it"};
}

// The version of a file that is ours or new. REQUIRES: a transaction, so that the three belong together.
Outcome<int64_t> version_of(Database& database) {
  auto version = database.number("PRAGMA user_version");
  if (!version) return version;
  auto application = database.number("PRAGMA application_id");
  if (!application) return application;
  auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables;
  const bool is_ours = *application == kApplicationId && *version > 0;
  const bool is_new = *application == 0 && *version == 0 && *tables == 0;
  if (!is_ours && !is_new) return fault_of_another_program(database.path());
  if (*version > kVersion) {
    return Fault{Trouble::kTooNew,
                 database.path() + " has version " + std::to_string(*version) +
                     " of the schema, from a later Sluice; this one knows version " + std::to_string(kVersion),
                 "run the later Sluice, or name another file"};
  }
  return version;
}

Outcome<int64_t> look_at(Database& database) {
  auto transaction = Transaction::read(database);
  if (!transaction) return transaction.fault();
  return version_of(database);
}

// Texts of any bytes are kept as they are in UTF-8 only.
Outcome<Done> check_encoding(Database& database) {
  Statement ask = database.prepare("PRAGMA encoding");
  auto row = ask.step();
  if (!row) return row.fault();
  if (ask.text(0) != "UTF-8") return fault_of_another_program(database.path());
  return Done{};
}

Outcome<Done> take_step(Database& database, size_t number) {
  auto transaction = Transaction::write(database);
  if (!transaction) return transaction.fault();
  // Another process may have done it between our look and our turn.
  auto version = version_of(database);
  if (!version) return version.fault();
  if (*version >= static_cast<int64_t>(number)) return Done{};
  const Migration& migration = kMigrations[number - 1];
  for (const char* text : migration.texts) {
    if (text == nullptr) break;
    if (auto done = database.execute(text); !done) return done;
  }
  if (auto noted = database.execute(migration.note); !noted) return noted;
  const std::string mark = "PRAGMA application_id = " + std::to_string(kApplicationId);
  if (auto marked = database.execute(mark.c_str()); !marked) return marked;
  return transaction->commit();
}

}  // namespace

int schema_version() { return kVersion; }

Outcome<Done> migrate(Database& database) {
  auto version = look_at(database);
  if (!version) return version.fault();
  if (auto encoded = check_encoding(database); !encoded) return encoded;
  if (*version < kVersion && database.access() == Access::kReadOnly) {
    return Fault{Trouble::kReadOnly, database.path() + " lacks the tables of this Sluice, and may only be read",
                 "open it once with a Sluice that may write it"};
  }
  if (database.access() == Access::kReadOnly) return Done{};
  if (auto logged = database.use_write_ahead_log(); !logged) return logged;
  for (auto number = static_cast<size_t>(*version) + 1; number <= kMigrations.size(); ++number) {
    if (auto taken = take_step(database, number); !taken) return taken;
  }
  return Done{};
}

Outcome<std::unique_ptr<Database>> open_migrated(const std::string& path, const Options& options) {
  auto database = Database::open(path, options);
  if (!database) return database;
  if (auto migrated = migrate(**database); !migrated) return migrated.fault();
  return database;
}

}  // namespace sluice::sql::sqlite
