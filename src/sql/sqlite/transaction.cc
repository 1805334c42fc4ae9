#include "sql/sqlite/transaction.h"

namespace sluice::sql::sqlite {

Outcome<Transaction> Transaction::begin(Database& database, const char* how) {
  if (auto begun = database.execute(how); !begun) return begun.fault();
  return Transaction(database);
}

Transaction::~Transaction() {
  if (is_open()) static_cast<void>(static_cast<bool>(database_->execute("ROLLBACK")));
}

Outcome<Done> Transaction::commit() {
  if (!is_open()) {
    return Fault{Trouble::kBroken, "a change of " + database_->path() + " was undone before its end", "make it again"};
  }
  auto committed = database_->execute("COMMIT");
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace sluice::sql::sqlite
