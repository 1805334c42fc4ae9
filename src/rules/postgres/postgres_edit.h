// An edit of the tables of a PostgreSQL: a transaction that has both of them to itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rules/table/rule_table.h"
#include "sql/postgres/transaction.h"

namespace sluice::rules {

class PostgresEdit : public TableEdit {
 public:
  // kBusy: somebody else edits. Whoever types into psql waits, as we wait for them.
  static sql::Outcome<std::unique_ptr<TableEdit>> begin(sql::postgres::Connection& connection, const std::string& who);

  sql::Outcome<Snapshot> snapshot() override;
  sql::Outcome<Row> insert(const Row& row) override;
  sql::Outcome<Row> update(const Row& row) override;
  sql::Outcome<sql::Done> remove(int64_t id) override;
  sql::Outcome<sql::Done> set_top_level(const std::string& field, const std::optional<std::string>& value) override;
  sql::Outcome<sql::Done> commit() override;

 private:
  PostgresEdit(sql::postgres::Connection& connection, sql::postgres::Transaction transaction)
      : connection_(connection), transaction_(std::move(transaction)) {}

  // One statement that may fail without the edit: PostgreSQL would take no other after it.
  sql::Outcome<sql::postgres::Result> attempt(const std::string& sql, const sql::postgres::Values& values);
  sql::Outcome<Row> one_row(const sql::Outcome<sql::postgres::Result>& result, int64_t id);

  sql::postgres::Connection& connection_;
  sql::postgres::Transaction transaction_;
};

}  // namespace sluice::rules
