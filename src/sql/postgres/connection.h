// A connection to PostgreSQL. Used by one thread at a time. Every call ends in bounded time: whatever the server does
// or does not, the connection is given up when the time is over. Once lost it stays lost, and says kAway to everything.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "sql/outcome.h"
#include "sql/postgres/bell.h"
#include "sql/postgres/connect.h"
#include "sql/postgres/deadline.h"
#include "sql/postgres/result.h"
#include "sql/postgres/values.h"

namespace sluice::sql::postgres {

// Each longer than the one before, so that the server gives up first, and in words.
struct Patience {
  std::chrono::milliseconds lock{3'000};        // for others to let go
  std::chrono::milliseconds statement{10'000};  // for the server to do it
  std::chrono::milliseconds call{13'000};       // for an answer of any kind
  std::chrono::milliseconds connect{5'000};
};

class Connection {
 public:
  static Outcome<std::unique_ptr<Connection>> open(const std::string& url, const Patience& patience = {});
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One statement, prepared when this connection first meets it. Values never stand in its text.
  Outcome<Result> run(const std::string& sql, const Values& values = {});
  // Any number of statements without values: the schema, BEGIN and its like.
  Outcome<Done> run_script(const std::string& sql);
  // `sql` is COPY ... FROM STDIN WITH (FORMAT binary); `rows` begin with copy_header() and end with copy_trailer().
  Outcome<Done> copy_in(const std::string& sql, const std::string& rows);

  // From now on notice_fd() is readable when somebody may have notified the channel, or the connection was lost.
  Outcome<Done> listen(const std::string& channel);
  int notice_fd() const { return bell_ ? bell_->fd() : -1; }
  // What was notified so far is taken as known.
  Outcome<Done> take_notices();

  bool is_lost() const { return connection_ == nullptr; }
  bool in_transaction() const;
  // For people: db.example.com:5432/limits
  const std::string& where() const { return where_; }
  int server_version() const { return PQserverVersion(connection_.get()); }  // 150018
  const Patience& patience() const { return patience_; }

 private:
  Connection(Connected connected, const Patience& patience);

  Outcome<Done> set_up();
  Outcome<std::string> prepared(const std::string& sql, const Deadline& deadline);
  Outcome<Done> send_rows(const std::string& rows, const Deadline& deadline);
  // Sends what is to be sent, and waits for all there is to the statement under way.
  Outcome<Result> finish(const Deadline& deadline);
  std::optional<Fault> await(const Deadline& deadline);
  std::optional<Fault> flush(const Deadline& deadline);
  bool forget_notices();
  Fault away() const;
  Fault lose(const std::string& why);
  Fault lose();

  std::unique_ptr<PGconn, Closes> connection_;
  std::string where_;
  Patience patience_;
  std::optional<Bell> bell_;
  std::unordered_map<std::string, std::string> names_;  // of prepared statements, by their text
};

}  // namespace sluice::sql::postgres
