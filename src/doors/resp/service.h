// What RESP connections of one event loop share, and what each of them remembers. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "doors/access.h"
#include "doors/desk.h"
#include "doors/resp/batch.h"
#include "doors/resp/check_reader.h"
#include "doors/resp/limit_cache.h"
#include "doors/resp/parser.h"
#include "doors/resp/reply.h"
#include "net/session.h"

namespace sluice::doors::resp {

struct Options {
  Access access;
  Limits limits;
  // The ids of connections: each event loop starts at another number and steps by how many loops there are.
  uint64_t first_client_id = 1;
  uint64_t client_id_step = 1;
};

// What a client said of itself. Few do, so it is kept apart.
struct ClientNames {
  std::string name;
  std::string library;
  std::string library_version;
};

struct Client {
  Client(const net::Peer& connected, uint64_t number, Duration now) : peer(connected), id(number), since(now) {}

  const net::Peer& peer;
  const uint64_t id;
  const Duration since;  // by the calendar
  std::unique_ptr<ClientNames> names;
  Protocol protocol = Protocol::kResp2;
  bool is_authenticated = false;
};

// When all commands of one call are decided. Read at most once for each call, as all of them came together, and once
// more when they were answered.
class CallTime {
 public:
  explicit CallTime(TimeSource& source) : source_(source) {}

  Instant instant() {
    if (!instant_) instant_ = source_.instant();
    return *instant_;
  }
  // What each of so many commands took, where any needed the time. Their replies leave together, so each took as long
  // as all.
  void record(telemetry::Histogram& histogram, size_t commands) {
    if (instant_) doors::record(histogram, source_.instant() - *instant_, commands);
  }
  rules::Now now() { return {instant(), source_.since_epoch().ns / 1'000}; }

 private:
  TimeSource& source_;
  std::optional<Instant> instant_;
};

// One seat: memory for the commands of one call.
struct Service {
  // All must outlive it.
  Service(LoopDesk& shared_desk, const Options& given) : desk(shared_desk), options(given) {}

  Desk desk;
  const Options& options;
  Parser parser;
  Batch batch;
  LimitCache limits;
  CheckReader check_reader;
};

// One command on its way to its reply.
struct Call {
  Service& service;
  Client& client;
  std::span<const std::string_view> arguments;  // the command's name is the first
  CallTime& time;
  Reply& reply;
  bool closes = false;  // once the reply is sent

  // REQUIRES: there are that many.
  std::string_view argument(size_t i) const { return arguments[i]; }
  size_t count() const { return arguments.size(); }
};

}  // namespace sluice::doors::resp
