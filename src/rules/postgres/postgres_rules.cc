#include "rules/postgres/postgres_rules.h"

#include <utility>

#include "rules/postgres/postgres_edit.h"
#include "rules/postgres/rows.h"
#include "sql/postgres/conditions.h"
#include "sql/postgres/migrations.h"
#include "sql/postgres/transaction.h"

namespace sluice::rules {

using sql::Done;
using sql::Outcome;
using sql::Trouble;
using sql::postgres::Conditions;
using sql::postgres::Connection;
using sql::postgres::Result;
using sql::postgres::Transaction;
using sql::postgres::Values;

namespace {

class PostgresRules : public RuleTable {
 public:
  explicit PostgresRules(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Outcome<Snapshot> snapshot() override;
  Outcome<std::vector<Row>> list(const RowFilter& filter) override;
  Outcome<std::optional<Row>> find(int64_t id) override;
  Outcome<std::vector<Change>> changes(const ChangeFilter& filter) override;
  Outcome<std::unique_ptr<TableEdit>> edit(const std::string& who) override {
    return PostgresEdit::begin(*connection_, who);
  }
  Outcome<int64_t> latest_change() override;
  int notice_fd() const override { return connection_->notice_fd(); }
  // Also where nobody is told of changes: a standby cannot LISTEN.
  std::chrono::milliseconds poll_interval() const override { return std::chrono::milliseconds(500); }

 private:
  std::unique_ptr<Connection> connection_;
};

Outcome<Snapshot> PostgresRules::snapshot() {
  // Inside an edit all is still already, and a second transaction would end the first.
  if (connection_->in_transaction()) return read_snapshot(*connection_);
  const Outcome<Transaction> moment = Transaction::begin(*connection_, Transaction::Kind::kRead);
  if (!moment) return moment.fault();
  return read_snapshot(*connection_);
}

Outcome<std::vector<Row>> PostgresRules::list(const RowFilter& filter) {
  Conditions conditions;
  conditions.with("rule_id > %::bigint").integer(filter.after_id);
  if (filter.key_pattern) conditions.with("key_pattern = %::text").text(*filter.key_pattern);
  if (filter.plan) conditions.with("plan = %::text").text(*filter.plan);
  if (filter.is_active) conditions.with("is_active = %::boolean").boolean(*filter.is_active);
  conditions.then(" ORDER BY rule_id LIMIT %::bigint").integer(static_cast<int64_t>(filter.most));
  const Outcome<Result> found =
      connection_->run("SELECT " + kRowColumns + " FROM rate_limit_rule" + conditions.text(), conditions.values());
  if (!found) return found.fault();
  std::vector<Row> rows;
  for (size_t i = 0; i < found->rows(); ++i) rows.push_back(read_row(*found, i));
  return rows;
}

Outcome<std::optional<Row>> PostgresRules::find(int64_t id) {
  const Outcome<Result> found = connection_->run(
      "SELECT " + kRowColumns + " FROM rate_limit_rule WHERE rule_id = $1::bigint", Values().integer(id));
  if (!found) return found.fault();
  return found->rows() == 0 ? std::nullopt : std::optional(read_row(*found, 0));
}

Outcome<std::vector<Change>> PostgresRules::changes(const ChangeFilter& filter) {
  Conditions conditions;
  if (filter.rule_id && *filter.rule_id == 0) conditions.with("rule_id IS NULL");
  if (filter.rule_id && *filter.rule_id != 0) conditions.with("rule_id = %::bigint").integer(*filter.rule_id);
  if (filter.before) conditions.with("change_id < %::bigint").integer(*filter.before);
  conditions.then(" ORDER BY change_id DESC LIMIT %::bigint").integer(static_cast<int64_t>(filter.most));
  const Outcome<Result> found =
      connection_->run("SELECT " + kChangeColumns + " FROM rate_limit_change" + conditions.text(), conditions.values());
  if (!found) return found.fault();
  std::vector<Change> changes;
  for (size_t i = 0; i < found->rows(); ++i) changes.push_back(read_change(*found, i));
  return changes;
}

// What is notified after this, is told by the descriptor again; what was before is in the answer.
Outcome<int64_t> PostgresRules::latest_change() {
  if (const Outcome<Done> taken = connection_->take_notices(); !taken) return taken.fault();
  return read_latest_change(*connection_);
}

}  // namespace

Outcome<std::unique_ptr<RuleTable>> open_postgres_rules(const std::string& url,
                                                        const sql::postgres::Patience& patience) {
  Outcome<std::unique_ptr<Connection>> connection = Connection::open(url, patience);
  if (!connection) return connection.fault();
  if (const Outcome<Done> ready = sql::postgres::migrate(**connection); !ready) return ready.fault();
  // A standby tells nothing by itself: there it is asked.
  const Outcome<Done> listening = (*connection)->listen("rate_limit_change");
  if (!listening && listening.fault().trouble != Trouble::kReadOnly) return listening.fault();
  return std::unique_ptr<RuleTable>(std::make_unique<PostgresRules>(std::move(*connection)));
}

}  // namespace sluice::rules
