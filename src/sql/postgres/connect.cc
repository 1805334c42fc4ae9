#include "sql/postgres/connect.h"

#include <errno.h>
#include <poll.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/postgres/deadline.h"
#include "sql/postgres/fault.h"
#include "sql/postgres/url.h"

namespace sluice::sql::postgres {
namespace {

using std::chrono::milliseconds;
using Raw = std::unique_ptr<PGconn, Closes>;

// What the URL may say otherwise.
void add_defaults(Target& target, milliseconds patience) {
  target.options.emplace("fallback_application_name", "sluice");
  // Bytes that nobody acknowledges: the kernel gives up as soon as we do.
  target.options.emplace("tcp_user_timeout", std::to_string(patience.count()));
  target.options["client_encoding"] = "UTF8";
}

milliseconds patience_of(const Target& target, milliseconds otherwise) {
  const auto found = target.options.find("connect_timeout");
  if (found == target.options.end()) return otherwise;
  int seconds = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), seconds);
  return seconds > 0 && seconds <= 60 ? milliseconds(seconds * 1000) : otherwise;
}

Raw begin(const Target& target) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : target.options) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  return Raw(PQconnectStartParams(names.data(), values.data(), 0));
}

// What the server remarks beside its answers; libpq would print it.
void keep_quiet(void* /*context*/, const PGresult* /*remark*/) {}

// Any other encoding lacks characters that callers may send: whatever came together with one would be refused whole.
std::optional<Fault> fault_of_encoding(const Target& target, const PGconn* connection) {
  const char* const encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) == "UTF8") return std::nullopt;
  return Fault{
      Trouble::kAway,
      "the database of PostgreSQL at " + target.where + " has the encoding " + encoding + ", and must have UTF8",
      "make another: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0"};
}

Outcome<Connected> connect_to(Target target, milliseconds patience) {
  add_defaults(target, patience);
  const Deadline deadline(patience_of(target, patience));
  Raw connection = begin(target);
  if (connection == nullptr) return Fault{Trouble::kBroken, "no memory for a connection to PostgreSQL"};
  if (PQstatus(connection.get()) == CONNECTION_BAD) {
    return connect_fault(target.where, PQerrorMessage(connection.get()));
  }
  // With the SQLSTATE in the words: of a connection that fails, libpq has nothing else to ask.
  PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
  PQsetNoticeReceiver(connection.get(), keep_quiet, nullptr);
  for (PostgresPollingStatusType state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK;) {
    if (state == PGRES_POLLING_FAILED) return connect_fault(target.where, PQerrorMessage(connection.get()));
    const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!wait_for_socket(PQsocket(connection.get()), events, deadline)) {
      return connect_fault(target.where, "no answer in time");
    }
    state = PQconnectPoll(connection.get());
  }
  if (auto fault = fault_of_encoding(target, connection.get())) return *fault;
  PQsetnonblocking(connection.get(), 1);
  return Connected{std::move(connection), target.where};
}

}  // namespace

bool wait_for_socket(int socket, short events, const Deadline& deadline) {
  for (;;) {
    pollfd source{socket, events, 0};
    const int ready = poll(&source, 1, deadline.left_ms());
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

Outcome<Connected> connect(const std::string& url, milliseconds patience) {
  const Outcome<std::vector<Target>> targets = read_url(url);
  if (!targets) return targets.fault();
  Outcome<Connected> latest = Fault{};
  for (const Target& target : *targets) {
    latest = connect_to(target, patience);
    if (latest) return latest;
  }
  return latest;
}

}  // namespace sluice::sql::postgres
