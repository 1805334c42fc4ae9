#include "audit/postgres/postgres_violations.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "audit/narrower_filter.h"
#include "audit/postgres/rows.h"
#include "sql/postgres/migrations.h"
#include "sql/postgres/text.h"
#include "sql/postgres/transaction.h"

namespace sluice::audit {

using sql::Done;
using sql::Outcome;
using sql::postgres::Conditions;
using sql::postgres::Connection;
using sql::postgres::Result;
using sql::postgres::Transaction;
using sql::postgres::Values;

namespace {

// Returns a row if the batch is new. Its lock makes two who write under one name take turns.
constexpr const char* kNoteBatch = R"sql(
INSERT INTO rate_limit_writer AS w (writer, last_batch) VALUES ($1::text, $2::bigint)
ON CONFLICT (writer) DO UPDATE SET last_batch = excluded.last_batch, updated_at = now()
WHERE w.last_batch < excluded.last_batch
RETURNING last_batch
)sql";

// Servers of a fleet may all be at it: what another is removing is left to it.
constexpr const char* kRemoveBefore = R"sql(
DELETE FROM rate_limit_violation WHERE violation_id IN (
  SELECT violation_id FROM rate_limit_violation WHERE requested_at < $1::timestamptz
  ORDER BY requested_at, violation_id LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
)sql";
constexpr const char* kForgetWriters = R"sql(
DELETE FROM rate_limit_writer WHERE writer IN (
  SELECT writer FROM rate_limit_writer WHERE updated_at < $1::timestamptz LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
)sql";
constexpr const char* kRemoveUpTo = R"sql(
DELETE FROM rate_limit_violation WHERE violation_id IN (
  SELECT violation_id FROM rate_limit_violation WHERE (requested_at, violation_id) <= ($1::timestamptz, $2::bigint)
  ORDER BY requested_at, violation_id LIMIT $3::bigint FOR UPDATE SKIP LOCKED)
)sql";
constexpr const char* kNewestBeyond = R"sql(
SELECT requested_at, violation_id FROM rate_limit_violation
ORDER BY requested_at DESC, violation_id DESC OFFSET $1::bigint LIMIT 1
)sql";

int64_t to_bigint(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

class PostgresViolations : public ViolationTable {
 public:
  explicit PostgresViolations(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Outcome<Done> append(const Batch& batch) override;
  Outcome<std::vector<Violation>> list(const ViolationFilter& filter, const std::optional<Cursor>& after,
                                       size_t most) override;
  Outcome<size_t> remove_before(int64_t requested_at_us, size_t most) override;
  Outcome<size_t> remove_beyond(uint64_t rows, size_t most) override;

 private:
  // All up to and including `end`, as they are ordered.
  Outcome<size_t> remove_up_to(const Cursor& end, size_t most);

  std::unique_ptr<Connection> connection_;
  // Finding it means walking over all rows that stay: once for all the pieces that are then removed.
  std::optional<std::pair<uint64_t, Cursor>> beyond_;
};

Outcome<Done> PostgresViolations::append(const Batch& batch) {
  Outcome<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.fault();
  const Outcome<Result> noted =
      connection_->run(kNoteBatch, Values().text(sql::postgres::to_text(batch.writer)).integer(batch.number));
  if (!noted) return noted.fault();
  if (noted->rows() == 0) return Done{};
  Outcome<Done> copied =
      connection_->copy_in("COPY rate_limit_violation (" + kCopiedColumns + ") FROM STDIN WITH (FORMAT binary)",
                           copied_rows(batch.violations));
  if (!copied) return copied;
  return transaction->commit();
}

Outcome<std::vector<Violation>> PostgresViolations::list(const ViolationFilter& filter,
                                                         const std::optional<Cursor>& after, size_t most) {
  const Conditions conditions = conditions_of(filter, after, most);
  const Outcome<Result> found = connection_->run(
      "SELECT " + kReadColumns + " FROM rate_limit_violation" + conditions.text(), conditions.values());
  if (!found) return with_narrower_filter(found.fault(), filter);
  std::vector<Violation> violations;
  violations.reserve(found->rows());
  for (size_t i = 0; i < found->rows(); ++i) violations.push_back(read_violation(*found, i));
  return violations;
}

Outcome<size_t> PostgresViolations::remove_before(int64_t requested_at_us, size_t most) {
  const Outcome<Result> forgotten =
      connection_->run(kForgetWriters, Values().time(requested_at_us - kWriterSpareUs).integer(to_bigint(most)));
  if (!forgotten) return forgotten.fault();
  const Outcome<Result> removed =
      connection_->run(kRemoveBefore, Values().time(requested_at_us).integer(to_bigint(most)));
  if (!removed) return removed.fault();
  return removed->affected();
}

Outcome<size_t> PostgresViolations::remove_up_to(const Cursor& end, size_t most) {
  const Outcome<Result> removed =
      connection_->run(kRemoveUpTo, Values().time(end.requested_at_us).integer(end.id).integer(to_bigint(most)));
  if (!removed) return removed.fault();
  return removed->affected();
}

// What was found to be too much stays so, whatever is added. Once it is gone there may be more.
Outcome<size_t> PostgresViolations::remove_beyond(uint64_t rows, size_t most) {
  size_t before = 0;
  if (const auto known = std::exchange(beyond_, std::nullopt); known && known->first == rows) {
    Outcome<size_t> removed = remove_up_to(known->second, most);
    if (removed && *removed == most) beyond_ = known;
    if (!removed || *removed == most) return removed;
    before = *removed;
  }
  const Outcome<Result> found = connection_->run(kNewestBeyond, Values().integer(to_bigint(rows)));
  if (!found) return found.fault();
  if (found->rows() == 0) return before;
  const Cursor end{found->time_us(0, 0), found->integer(0, 1)};
  Outcome<size_t> removed = remove_up_to(end, most - before);
  if (!removed) return removed;
  if (before + *removed == most) beyond_ = {rows, end};
  return before + *removed;
}

}  // namespace

Outcome<std::unique_ptr<ViolationTable>> open_postgres_violations(const std::string& url,
                                                                  const sql::postgres::Patience& patience) {
  Outcome<std::unique_ptr<Connection>> connection = Connection::open(url, patience);
  if (!connection) return connection.fault();
  if (const Outcome<Done> ready = sql::postgres::migrate(**connection); !ready) return ready.fault();
  return std::unique_ptr<ViolationTable>(std::make_unique<PostgresViolations>(std::move(*connection)));
}

}  // namespace sluice::audit
