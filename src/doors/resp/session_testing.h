// For tests: the other end of a connection, on a clock that stands still until it is moved.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "doors/resp/session.h"
#include "limiter/limiter_testing.h"

namespace sluice::doors::resp {

class TimeUnderTest final : public TimeSource {
 public:
  Instant instant() override {
    ++readings;
    return now;
  }
  Duration since_epoch() override { return Duration(1'800'000'000'000'000'000 + now.ns); }

  Instant now{5'000'000'000};
  int readings = 0;
};

// A command as clients send it.
inline std::string command(std::initializer_list<std::string_view> arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string_view one : arguments) {
    bytes += "$" + std::to_string(one.size()) + "\r\n" + std::string(one) + "\r\n";
  }
  return bytes;
}

class SessionUnderTest {
 public:
  explicit SessionUnderTest(Options options = {}, stores::Store* store = nullptr)
      : limiter({store != nullptr ? *store : *memory, *memory, {}}), maker(desk, std::move(options)) {
    session = maker.make(peer);
  }

  // What is answered. Bytes that were left are sent along the next time.
  std::string send(std::string_view bytes) {
    waiting += bytes;
    net::Output output;
    const net::Consumed consumed = session->on_bytes(waiting, output);
    waiting.erase(0, consumed.bytes);
    is_closed = consumed.next == net::Next::kClose;
    return std::string(output.bytes());
  }
  std::string ask(std::initializer_list<std::string_view> arguments) { return send(command(arguments)); }

  std::unique_ptr<memory::MemoryStore> memory = std::move(*memory::MemoryStore::create({.max_bytes = 4 << 20}));
  limiter::Limiter limiter;
  TimeUnderTest time;
  LoopDesk desk{limiter, time};
  net::Peer peer{"203.0.113.7"};
  SessionMaker maker;
  std::unique_ptr<net::Session> session;
  std::string waiting;
  bool is_closed = false;
};

}  // namespace sluice::doors::resp
