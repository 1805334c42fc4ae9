#include "rules/sqlite/rule_table.h"

#include <utility>

#include "rules/sqlite/rule_rows.h"
#include "sql/sqlite/migrations.h"
#include "sql/sqlite/transaction.h"

namespace sluice::rules::sqlite {
namespace {

using sql::Done;
using sql::Outcome;
using sql::sqlite::Transaction;

// A look at the data version costs less than a microsecond, so that five a second are nothing.
constexpr std::chrono::milliseconds kPollInterval{200};

class Edit final : public TableEdit {
 public:
  Edit(Database& database, Transaction transaction) : database_(database), transaction_(std::move(transaction)) {}

  Outcome<Done> begin(const std::string& who) {
    return database_.prepare("INSERT INTO rate_limit_editor (name) VALUES (?1)").bind(who).run();
  }

  Outcome<Snapshot> snapshot() override {
    return within([&] { return read_snapshot(database_); });
  }
  Outcome<Row> insert(const Row& row) override {
    return within([&] { return insert_row(database_, row); });
  }
  Outcome<Row> update(const Row& row) override {
    return within([&] { return update_row(database_, row); });
  }
  Outcome<Done> remove(int64_t id) override {
    return within([&] { return remove_row(database_, id); });
  }
  Outcome<Done> set_top_level(const std::string& field, const std::optional<std::string>& value) override {
    return within([&] { return write_top_level(database_, field, value); });
  }

  Outcome<Done> commit() override {
    auto forgotten = within([&] { return database_.execute("DELETE FROM rate_limit_editor"); });
    if (!forgotten) return forgotten;
    return transaction_.commit();
  }

 private:
  // After a full disk the transaction may be gone, though whoever edits goes on.
  template <class Step>
  auto within(Step step) -> decltype(step()) {
    if (!transaction_.is_open()) {
      return sql::Fault{sql::Trouble::kBroken, "this change of " + database_.path() + " was undone", "make it again"};
    }
    return step();
  }

  Database& database_;
  Transaction transaction_;
};

class Table final : public RuleTable {
 public:
  explicit Table(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Outcome<Snapshot> snapshot() override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    auto transaction = Transaction::read(*database_);
    if (!transaction) return transaction.fault();
    return read_snapshot(*database_);
  }

  Outcome<std::vector<Row>> list(const RowFilter& filter) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    return read_rows(*database_, filter);
  }

  Outcome<std::optional<Row>> find(int64_t id) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    return read_row(*database_, id);
  }

  Outcome<std::vector<Change>> changes(const ChangeFilter& filter) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    return read_changes(*database_, filter);
  }

  Outcome<std::unique_ptr<TableEdit>> edit(const std::string& who) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    auto transaction = Transaction::write(*database_);
    if (!transaction) return transaction.fault();
    auto edit = std::make_unique<Edit>(*database_, std::move(*transaction));
    if (auto begun = edit->begin(who); !begun) return begun.fault();
    return std::unique_ptr<TableEdit>(std::move(edit));
  }

  // The number itself is found in microseconds; somebody else's file under our name would never show in it.
  Outcome<int64_t> latest_change() override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    return read_latest_change(*database_);
  }

  std::chrono::milliseconds poll_interval() const override { return kPollInterval; }

 private:
  const std::unique_ptr<Database> database_;
};

}  // namespace

Outcome<std::unique_ptr<RuleTable>> open_rules(const std::string& path, const sql::sqlite::Options& options) {
  auto database = sql::sqlite::open_migrated(path, options);
  if (!database) return database.fault();
  return std::unique_ptr<RuleTable>(std::make_unique<Table>(std::move(*database)));
}

}  // namespace sluice::rules::sqlite
