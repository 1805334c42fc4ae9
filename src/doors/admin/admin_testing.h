// For tests: an admin door beside a public one, on a memory store, with a clock that stands until it is set.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "doors/admin/admin_door.h"
#include "doors/http/door_testing.h"

namespace sluice::doors::admin {

class AdminUnderTest {
 public:
  explicit AdminUnderTest(const AdminSettings& settings = {}) { set(settings); }

  void set(const AdminSettings& settings) {
    door = std::make_unique<AdminDoor>(sources, settings);
    session = door->make(peer);
  }

  // The whole response. `head` are further lines of the request's, each with its end.
  std::string ask(const std::string& method, const std::string& target, const std::string& head = "",
                  const std::string& body = "") {
    net::Output output;
    const std::string length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
    session->on_bytes(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + head + length + "\r\n" + body,
                      output);
    return std::string(output.bytes());
  }
  std::string get(const std::string& target) { return ask("GET", target); }
  nlohmann::json get_json(const std::string& target) { return nlohmann::json::parse(http::body_of(get(target))); }
  std::string metrics() { return http::body_of(get("/metrics")); }

  // So many requests of one API key through the public door, at one instant.
  void take(const std::string& key, int times = 1) {
    for (int i = 0; i < times; ++i) {
      served.post("/v1/check", R"({"request": {"path": "/v1/x", "headers": {"x-api-key": ")" + key + R"("}}})");
    }
  }

  std::string host = "localhost";
  http::DoorUnderTest served;
  KeyCensus census{100, {&served.desk.figures.keys}};
  StoreFigures store;
  RulesFigures rules;
  bool is_draining = false;
  net::Traffic traffic;
  Sources sources{.limiter = served.limiter,
                  .time = served.time,
                  .census = census,
                  .loops = {&served.desk.figures},
                  .store = [this] { return store; },
                  .rules = [this] { return rules; },
                  .is_draining = [this] { return is_draining; },
                  .traffic = {{"http", &traffic}},
                  .build = {"1.2.3", "a compiler", "debug"}};
  net::Peer peer{"203.0.113.9"};
  std::unique_ptr<AdminDoor> door;
  std::unique_ptr<net::Session> session;
};

inline std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

}  // namespace sluice::doors::admin
