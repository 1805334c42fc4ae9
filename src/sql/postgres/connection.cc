#include "sql/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sql/postgres/fault.h"

namespace sluice::sql::postgres {
namespace {

constexpr int kOldestServer = 150000;
constexpr size_t kCopyPiece = 1 << 16;
constexpr int kBinary = 1;

bool is_failure(const Result& result) {
  const ExecStatusType status = PQresultStatus(result.get());
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

// Whatever role and database say otherwise. Commits are on disk when they are answered; if the database asks for more
// than that, it stays so. A process of ours that was stopped must not hold its locks for ever.
constexpr const char* kSetUp = R"sql(
SELECT set_config('statement_timeout', $1::text, false), set_config('lock_timeout', $2::text, false),
       set_config('idle_in_transaction_session_timeout', $3::text, false),
       set_config('plan_cache_mode', 'force_custom_plan', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                                        WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)
)sql";

std::string milliseconds_text(std::chrono::milliseconds time) { return std::to_string(time.count()); }

}  // namespace

Connection::Connection(Connected connected, const Patience& patience)
    : connection_(std::move(connected.connection)), where_(std::move(connected.where)), patience_(patience) {}

Outcome<std::unique_ptr<Connection>> Connection::open(const std::string& url, const Patience& patience) {
  Outcome<Connected> connected = connect(url, patience.connect);
  if (!connected) return connected.fault();
  std::unique_ptr<Connection> connection(new Connection(std::move(*connected), patience));
  if (const Outcome<Done> ready = connection->set_up(); !ready) return ready.fault();
  return connection;
}

Outcome<Done> Connection::set_up() {
  if (server_version() < kOldestServer) {
    return Fault{Trouble::kBroken,
                 "PostgreSQL at " + where_ + " is of version " + std::to_string(server_version() / 10000),
                 "Sluice needs PostgreSQL 15 or later"};
  }
  Values values;
  values.text(milliseconds_text(patience_.statement))
      .text(milliseconds_text(patience_.lock))
      .text(milliseconds_text(patience_.call * 2));
  if (const Outcome<Result> set = run(kSetUp, values); !set) return set.fault();
  return Done{};
}

bool Connection::in_transaction() const {
  return connection_ != nullptr && PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
}

Fault Connection::away() const {
  return {Trouble::kAway, "the connection to PostgreSQL at " + where_ + " was lost before"};
}

Fault Connection::lose(const std::string& why) {
  connection_.reset();
  if (bell_) bell_->ring();
  return lost_fault(where_, why);
}

Fault Connection::lose() { return lose(std::string(PQerrorMessage(connection_.get()))); }

std::optional<Fault> Connection::flush(const Deadline& deadline) {
  for (;;) {
    const int left = PQflush(connection_.get());
    if (left == 0) return std::nullopt;
    if (left < 0) return lose();
    // The server may not read on before it has been read itself.
    if (!wait_for_socket(PQsocket(connection_.get()), POLLIN | POLLOUT, deadline))
      return lose("it took nothing in time");
    if (PQconsumeInput(connection_.get()) == 0) return lose();
  }
}

std::optional<Fault> Connection::await(const Deadline& deadline) {
  if (std::optional<Fault> fault = flush(deadline)) return fault;
  while (PQisBusy(connection_.get()) != 0) {
    if (!wait_for_socket(PQsocket(connection_.get()), POLLIN, deadline)) return lose("no answer in time");
    if (PQconsumeInput(connection_.get()) == 0) return lose();
  }
  return std::nullopt;
}

Outcome<Result> Connection::finish(const Deadline& deadline) {
  Result latest;
  for (;;) {
    if (const std::optional<Fault> fault = await(deadline)) return *fault;
    Result next(PQgetResult(connection_.get()));
    if (!next) break;
    const bool is_copy = PQresultStatus(next.get()) == PGRES_COPY_IN;
    if (!latest || !is_failure(latest)) latest = std::move(next);
    if (is_copy) break;
  }
  if (bell_ && forget_notices()) bell_->ring();
  if (!latest) return lose("no result");
  if (!is_failure(latest)) return latest;
  Fault fault = fault_of(latest.get());
  // Its words came as those of a statement, but there will be no other.
  if (fault.trouble == Trouble::kAway || PQstatus(connection_.get()) == CONNECTION_BAD) return lose(fault.message);
  return fault;
}

Outcome<std::string> Connection::prepared(const std::string& sql, const Deadline& deadline) {
  if (const auto found = names_.find(sql); found != names_.end()) return found->second;
  const std::string name = "s" + std::to_string(names_.size());
  if (PQsendPrepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr) == 0) return lose();
  if (const Outcome<Result> done = finish(deadline); !done) return done.fault();
  return names_.emplace(sql, name).first->second;
}

Outcome<Result> Connection::run(const std::string& sql, const Values& values) {
  if (is_lost()) return away();
  const Deadline deadline(patience_.call);
  const Outcome<std::string> name = prepared(sql, deadline);
  if (!name) return name.fault();
  std::vector<const char*> data;
  std::vector<int> lengths;
  for (size_t i = 0; i < values.size(); ++i) {
    data.push_back(values.data(i));
    lengths.push_back(values.length(i));
  }
  const std::vector<int> formats(values.size(), kBinary);
  if (PQsendQueryPrepared(connection_.get(), name->c_str(), static_cast<int>(values.size()), data.data(),
                          lengths.data(), formats.data(), kBinary) == 0) {
    return lose();
  }
  return finish(deadline);
}

Outcome<Done> Connection::run_script(const std::string& sql) {
  if (is_lost()) return away();
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) return lose();
  if (const Outcome<Result> done = finish(Deadline(patience_.call)); !done) return done.fault();
  return Done{};
}

Outcome<Done> Connection::send_rows(const std::string& rows, const Deadline& deadline) {
  for (size_t begin = 0; begin < rows.size();) {
    const size_t size = std::min(kCopyPiece, rows.size() - begin);
    const int taken = PQputCopyData(connection_.get(), rows.data() + begin, static_cast<int>(size));
    if (taken < 0) return lose();
    if (taken > 0) begin += size;
    if (const std::optional<Fault> fault = flush(deadline)) return *fault;
  }
  for (;;) {
    const int taken = PQputCopyEnd(connection_.get(), nullptr);
    if (taken < 0) return lose();
    if (const std::optional<Fault> fault = flush(deadline)) return *fault;
    if (taken > 0) return Done{};
  }
}

Outcome<Done> Connection::copy_in(const std::string& sql, const std::string& rows) {
  if (is_lost()) return away();
  const Deadline deadline(patience_.call);
  if (PQsendQuery(connection_.get(), sql.c_str()) == 0) return lose();
  if (const Outcome<Result> ready = finish(deadline); !ready) return ready.fault();
  if (const Outcome<Done> sent = send_rows(rows, deadline); !sent) return sent.fault();
  if (const Outcome<Result> done = finish(deadline); !done) return done.fault();
  return Done{};
}

Outcome<Done> Connection::listen(const std::string& channel) {
  Outcome<Done> done = run_script("LISTEN " + channel);
  if (done) bell_.emplace(PQsocket(connection_.get()));
  return done;
}

bool Connection::forget_notices() {
  bool any = false;
  while (PGnotify* notice = PQnotifies(connection_.get())) {
    any = true;
    PQfreemem(notice);
  }
  return any;
}

Outcome<Done> Connection::take_notices() {
  if (is_lost()) return away();
  if (bell_) bell_->still();
  if (PQconsumeInput(connection_.get()) == 0) return lose();
  forget_notices();
  return Done{};
}

}  // namespace sluice::sql::postgres
