#include "sql/sqlite/transaction.h"

namespace sluice::sql::sqlite {

Outcome<Transaction> Transaction::begin(Database& database, const char* how) {
  if (auto begun = database.execute(how); !begun) return begun.fault();
  return Transaction(database);
}

Transaction::~Transaction() {
  // Fails only where SQLite has rolled back by itself, after a full disk for one.
  if (database_ != nullptr) static_cast<void>(static_cast<bool>(database_->execute("ROLLBACK")));
}

Outcome<Done> Transaction::commit() {
  auto committed = database_->execute("COMMIT");
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace sluice::sql::sqlite
