// Statements that count together or not at all. Gone without commit(), they never were.
#pragma once

#include <string_view>
#include <utility>

#include "sql/outcome.h"
#include "sql/postgres/connection.h"

namespace sluice::sql::postgres {

class Transaction {
 public:
  enum class Kind { kWrite, kRead };  // read: all statements see the same moment

  static Outcome<Transaction> begin(Connection& connection, Kind kind = Kind::kWrite) {
    const char* const sql =
        kind == Kind::kWrite ? "BEGIN" : "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";
    if (const Outcome<Done> begun = connection.run_script(sql); !begun) return begun.fault();
    return Transaction(connection);
  }
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    // What cannot be rolled back is lost with its connection, and the server rolls it back itself.
    if (connection_ != nullptr && connection_->in_transaction()) (void)connection_->run_script("ROLLBACK");
  }

  // kAway: it may have been committed or not.
  Outcome<Done> commit() {
    const Outcome<Result> ended = std::exchange(connection_, nullptr)->run("COMMIT");
    if (!ended) return ended.fault();
    // After a statement that failed, the server answers COMMIT with a rollback, and calls that no error.
    if (std::string_view(PQcmdStatus(ended->get())) == "COMMIT") return Done{};
    return Fault{Trouble::kBroken, "PostgreSQL rolled the transaction back: a statement of it had failed"};
  }

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}

  Connection* connection_;
};

}  // namespace sluice::sql::postgres
