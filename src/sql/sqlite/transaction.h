// All or nothing: what is done while it lives is written by commit(), or never was. Must go before its database does.
#pragma once

#include <utility>

#include "sql/sqlite/database.h"

namespace sluice::sql::sqlite {

class Transaction {
 public:
  // Sees the file as it is at its first look, however long it takes.
  static Outcome<Transaction> read(Database& database) { return begin(database, "BEGIN DEFERRED"); }
  // Nobody else writes meanwhile; kBusy if somebody has been writing for too long.
  static Outcome<Transaction> write(Database& database) { return begin(database, "BEGIN IMMEDIATE"); }

  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // False once SQLite has rolled it back by itself, as after a full disk: what came then would be written at once.
  bool is_open() const { return database_ != nullptr && database_->is_in_transaction(); }

  // On the disk once it has said so. After a fault nothing of it is there, unless that is kAway: then nobody knows.
  Outcome<Done> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  static Outcome<Transaction> begin(Database& database, const char* how);

  Database* database_;  // none: it has ended
};

}  // namespace sluice::sql::sqlite
