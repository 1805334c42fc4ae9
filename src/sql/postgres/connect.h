// From a URL to a connection, in bounded time.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <string>

#include "sql/outcome.h"

namespace sluice::sql::postgres {

struct Closes {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};

struct Connected {
  std::unique_ptr<PGconn, Closes> connection;
  std::string where;
};

// Tries each host of the URL in turn, each for as long as connect_timeout of the URL says, or `patience`. Only looking
// up a name may take longer: the resolver's own settings bound that.
Outcome<Connected> connect(const std::string& url, std::chrono::milliseconds patience);

// Until the socket can do one of `events`, as poll() names them; false when the deadline passed first.
class Deadline;
bool wait_for_socket(int socket, short events, const Deadline& deadline);

}  // namespace sluice::sql::postgres
