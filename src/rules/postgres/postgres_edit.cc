#include "rules/postgres/postgres_edit.h"

#include <utility>

#include "rules/postgres/rows.h"
#include "sql/postgres/text.h"

namespace sluice::rules {

using sql::Done;
using sql::Fault;
using sql::Outcome;
using sql::Trouble;
using sql::postgres::Connection;
using sql::postgres::Result;
using sql::postgres::Transaction;
using sql::postgres::Values;

namespace {

// Against each other and against INSERT, UPDATE and DELETE of anybody; reading goes on.
constexpr const char* kLock = "LOCK TABLE rate_limit_rule, rate_limit_top_level IN SHARE ROW EXCLUSIVE MODE";

Fault no_such_rule(int64_t id) { return {Trouble::kRefused, "there is no rule " + std::to_string(id)}; }

}  // namespace

Outcome<std::unique_ptr<TableEdit>> PostgresEdit::begin(Connection& connection, const std::string& who) {
  if (connection.in_transaction()) return Fault{Trouble::kBusy, "an edit is under way on this connection"};
  Outcome<Transaction> transaction = Transaction::begin(connection);
  if (!transaction) return transaction.fault();
  if (const Outcome<Done> locked = connection.run_script(kLock); !locked) return locked.fault();
  const Outcome<Result> named =
      connection.run("SELECT set_config('sluice.who', $1::text, true)", Values().text(sql::postgres::to_text(who)));
  if (!named) return named.fault();
  return std::unique_ptr<TableEdit>(new PostgresEdit(connection, std::move(*transaction)));
}

Outcome<Snapshot> PostgresEdit::snapshot() { return read_snapshot(connection_); }

Outcome<Result> PostgresEdit::attempt(const std::string& sql, const Values& values) {
  if (const Outcome<Done> saved = connection_.run_script("SAVEPOINT before_row"); !saved) return saved.fault();
  Outcome<Result> result = connection_.run(sql, values);
  if (!result && connection_.is_lost()) return result;
  const Outcome<Done> released =
      connection_.run_script(result ? "RELEASE before_row" : "ROLLBACK TO before_row; RELEASE before_row");
  if (!released) return released.fault();
  return result;
}

Outcome<Row> PostgresEdit::one_row(const Outcome<Result>& result, int64_t id) {
  if (!result) return result.fault();
  if (result->rows() == 0) return no_such_rule(id);
  return read_row(*result, 0);
}

Outcome<Row> PostgresEdit::insert(const Row& row) {
  const std::string sql =
      "INSERT INTO rate_limit_rule (" + kWrittenColumns + ") VALUES (" + kWrittenValues + ") RETURNING " + kRowColumns;
  return one_row(attempt(sql, write_row(row)), row.id);
}

Outcome<Row> PostgresEdit::update(const Row& row) {
  const std::string sql = "UPDATE rate_limit_rule SET (" + kWrittenColumns + ") = (" + kWrittenValues +
                          ") WHERE rule_id = $9::bigint RETURNING " + kRowColumns;
  return one_row(attempt(sql, write_row(row).integer(row.id)), row.id);
}

Outcome<Done> PostgresEdit::remove(int64_t id) {
  const Outcome<Result> removed =
      attempt("DELETE FROM rate_limit_rule WHERE rule_id = $1::bigint", Values().integer(id));
  if (!removed) return removed.fault();
  if (removed->affected() == 0) return no_such_rule(id);
  return Done{};
}

Outcome<Done> PostgresEdit::set_top_level(const std::string& field, const std::optional<std::string>& value) {
  const Outcome<Result> done =
      value ? attempt(
                  "INSERT INTO rate_limit_top_level (field, value) VALUES ($1::text, $2::json) "
                  "ON CONFLICT (field) DO UPDATE SET value = excluded.value",
                  Values().text(field).text(*value))
            : attempt("DELETE FROM rate_limit_top_level WHERE field = $1::text", Values().text(field));
  if (!done) return done.fault();
  return Done{};
}

Outcome<Done> PostgresEdit::commit() { return transaction_.commit(); }

}  // namespace sluice::rules
