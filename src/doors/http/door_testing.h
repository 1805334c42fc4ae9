// For tests: a public door on a memory store, with a clock that stands until it is set, and a client that is a string.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "doors/http/public_door.h"
#include "limiter/limiter_testing.h"
#include "rules/jwt/verified_claims.h"
#include "rules/language/load.h"

namespace sluice::doors::http {

class TimeUnderTest final : public TimeSource {
 public:
  Instant instant() override { return now; }
  Duration since_epoch() override { return Duration(1'800'000'000'000'000'000 + now.ns); }

  Instant now;
};

// Two requests of ten per second for each API key, below /v1.
inline constexpr std::string_view kRulesUnderTest = R"({"policies": [{"id": "api", "selector": {"pathPrefix": "/v1"},
  "rules": [{"name": "key", "limit_keys": ["header:x-api-key"], "algorithm_config": {"rps": 10, "burst": 2}}]}]})";

class DoorUnderTest {
 public:
  explicit DoorUnderTest(const PublicSettings& settings = {}, std::string_view rules = kRulesUnderTest)
      : limiter({*stores.memory, *stores.local, rules::jwt::make_verified_claims}),
        desk(limiter, time),
        door(desk, settings) {
    load(rules);
    connect();
  }

  // Returns what is wrong with the rules; empty when nothing is.
  std::string load(std::string_view text) {
    const rules::Loaded loaded = rules::load_text(text, "rules.json", rules::Format::kJson);
    std::string faults;
    for (const rules::Fault& fault : loaded.faults) faults += describe(fault) + "\n";
    if (loaded.rules != nullptr) limiter.set_rules(loaded.rules);
    return faults;
  }

  // A new connection, with nothing received.
  void connect() {
    session = door.make(peer);
    received.clear();
    is_closed = false;
  }

  // Everything that is sent back. What the session leaves is shown to it again with the next bytes.
  std::string send(std::string_view bytes) {
    received += bytes;
    if (!is_closed) {
      const net::Consumed consumed = session->on_bytes(received, output);
      received.erase(0, consumed.bytes);
      is_closed = consumed.next == net::Next::kClose;
    }
    std::string sent(output.bytes());
    output.clear();
    return sent;
  }

  std::string post(std::string_view path, std::string_view body) {
    return send("POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + std::string(body));
  }

  // Only for its stores: the door's limiter verifies tokens too.
  limiter::LimiterUnderTest stores;
  limiter::Limiter limiter;
  TimeUnderTest time;
  LoopDesk desk;
  PublicDoor door;
  net::Peer peer{"203.0.113.7"};
  std::unique_ptr<net::Session> session;
  net::Output output;
  std::string received;
  bool is_closed = false;
};

inline int status_of_text(std::string_view response) {
  return response.size() > 12 ? std::stoi(std::string(response.substr(9, 3))) : 0;
}

inline std::string body_of(std::string_view response) {
  const size_t end = response.find("\r\n\r\n");
  return end == response.npos ? "" : std::string(response.substr(end + 4));
}

// The value of a field of a response; `none` where there is none.
inline std::string field_of(std::string_view response, std::string_view name) {
  const std::string line = "\r\n" + std::string(name) + ": ";
  const size_t at = response.substr(0, response.find("\r\n\r\n") + 2).find(line);
  if (at == response.npos) return "none";
  const std::string_view rest = response.substr(at + line.size());
  return std::string(rest.substr(0, rest.find("\r\n")));
}

}  // namespace sluice::doors::http
