#include "audit/sqlite/violation_table.h"

#include <algorithm>
#include <utility>

#include "audit/narrower_filter.h"
#include "audit/sqlite/row_count.h"
#include "audit/sqlite/violation_rows.h"
#include "sql/sqlite/migrations.h"
#include "sql/sqlite/transaction.h"

namespace sluice::audit::sqlite {
namespace {

using sql::Done;
using sql::Outcome;
using sql::sqlite::Database;
using sql::sqlite::Transaction;

// Notes the number of a batch, unless it is an old one: then no row changes.
constexpr const char* kNoteText =
    "INSERT INTO rate_limit_writer (writer, last_batch) VALUES (?1, ?2) ON CONFLICT (writer) DO UPDATE SET"
    " last_batch = excluded.last_batch, updated_at = excluded.updated_at WHERE last_batch < excluded.last_batch";
constexpr const char* kRemoveBeforeText =
    "DELETE FROM rate_limit_violation WHERE violation_id IN (SELECT violation_id FROM rate_limit_violation"
    " WHERE requested_at < ?2 ORDER BY requested_at, violation_id LIMIT ?1)";
constexpr const char* kForgetWritersText =
    "DELETE FROM rate_limit_writer WHERE writer IN (SELECT writer FROM rate_limit_writer"
    " WHERE updated_at < strftime('%Y-%m-%dT%H:%M:%fZ', ?2 / 1e6, 'unixepoch') LIMIT ?1)";
constexpr const char* kRemoveOldestText =
    "DELETE FROM rate_limit_violation WHERE violation_id IN (SELECT violation_id FROM rate_limit_violation"
    " ORDER BY requested_at, violation_id LIMIT ?1)";

int64_t as_limit(uint64_t most) { return static_cast<int64_t>(std::min<uint64_t>(most, INT64_MAX)); }

class Table final : public ViolationTable {
 public:
  explicit Table(std::unique_ptr<Database> database)
      : database_(std::move(database)),
        note_(database_->prepare(kNoteText)),
        insert_(database_->prepare(kInsertText)),
        count_(*database_) {}

  Outcome<Done> append(const Batch& batch) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place;
    auto transaction = Transaction::write(*database_);
    if (!transaction) return transaction.fault();
    if (auto noted = note_.bind(batch.writer, batch.number).run(); !noted) return noted;
    if (database_->changed_rows() == 0) return Done{};
    for (const Violation& violation : batch.violations) {
      bind_insert(insert_, violation);
      if (auto inserted = insert_.run(); !inserted) return inserted;
    }
    auto committed = transaction->commit();
    if (committed) count_.add(static_cast<int64_t>(batch.violations.size()));
    return committed;
  }

  Outcome<std::vector<Violation>> list(const ViolationFilter& filter, const std::optional<Cursor>& after,
                                       size_t most) override {
    if (auto in_place = database_->check_in_place(); !in_place) return in_place.fault();
    Statement list = database_->prepare(list_text(filter, after.has_value()));
    bind_list(list, filter, after, most);
    std::vector<Violation> violations;
    for (;;) {
      auto row = list.step();
      if (!row) return with_narrower_filter(row.fault(), filter);
      if (!*row) return violations;
      violations.push_back(violation_at(list));
    }
  }

  Outcome<size_t> remove_before(int64_t requested_at_us, size_t most) override {
    auto transaction = Transaction::write(*database_);
    if (!transaction) return transaction.fault();
    Statement forget = database_->prepare(kForgetWritersText);
    forget.bind(as_limit(most), requested_at_us - kWriterSpareUs);
    if (auto forgotten = forget.run(); !forgotten) return forgotten.fault();
    Statement remove = database_->prepare(kRemoveBeforeText);
    remove.bind(as_limit(most), requested_at_us);
    return finish(remove, *transaction);
  }

  Outcome<size_t> remove_beyond(uint64_t rows, size_t most) override {
    auto transaction = Transaction::write(*database_);
    if (!transaction) return transaction.fault();
    auto surplus = count_.surplus_over(as_limit(rows));
    if (!surplus) return surplus.fault();
    if (*surplus == 0) return size_t{0};
    Statement remove = database_->prepare(kRemoveOldestText);
    remove.bind(std::min(*surplus, as_limit(most)));
    return finish(remove, *transaction);
  }

 private:
  Outcome<size_t> finish(Statement& remove, Transaction& transaction) {
    if (auto removed = remove.run(); !removed) return removed.fault();
    const int64_t rows = database_->changed_rows();
    if (auto committed = transaction.commit(); !committed) return committed.fault();
    count_.add(-rows);
    return static_cast<size_t>(rows);
  }

  const std::unique_ptr<Database> database_;
  Statement note_;
  Statement insert_;
  RowCount count_;
};

}  // namespace

Outcome<std::unique_ptr<ViolationTable>> open_violations(const std::string& path, const sql::sqlite::Options& options) {
  auto database = sql::sqlite::open_migrated(path, options);
  if (!database) return database.fault();
  return std::unique_ptr<ViolationTable>(std::make_unique<Table>(std::move(*database)));
}

}  // namespace sluice::audit::sqlite
