// What the HTTP door spends on one request, without the kernel: bytes in, decision, bytes out. Beside it the message
// layer alone, with a handler that answers a constant.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "doors/http/public_door.h"
#include "rules/language/load.h"
#include "sluice/clock.h"
#include "stores/memory/memory_store.h"

namespace sluice::bench {
namespace {

namespace http = doors::http;

constexpr size_t kClients = 1024;
// Half of every bucket is spent at first, and does not come back before the program ends.
constexpr char kSpentAtFirst[] = "400000";

std::string rule(const std::string& name, const std::string& keys) {
  return R"({"name": ")" + name + R"(", "limit_keys": [)" + keys +
         R"(], "algorithm_config": {"rps": 1000, "burst": 1000000000, "cost_source": "header:cost"}})";
}

// Three rules apply: address, API key, everybody.
std::string rules_text() {
  return R"({"policies": [{"id": "api", "selector": {"pathPrefix": "/v1"}, "rules": [)" +
         rule("address", R"("ip:address")") + "," + rule("key", R"("header:x-api-key")") + "," + rule("everybody", "") +
         "]}]}";
}

// As a proxy asks, with what a browser sent it.
std::string decision_request(size_t client, const std::string& cost) {
  return "GET /v1/decision HTTP/1.1\r\nHost: sluice:8080\r\nX-Original-Method: POST\r\nX-Original-URI: "
         "/v1/orders?page=2\r\n"
         "X-Forwarded-For: 203.0.113.9\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: application/json\r\n"
         "Accept-Encoding: gzip, br\r\nCookie: theme=dark; sid=1\r\nX-Request-Id: 5d41402abc4b2a76b9719d911017c592\r\n"
         "X-Api-Key: key-" +
         std::to_string(client * 7919) + "\r\n" + cost + "\r\n";
}

std::string post(const std::string& path, const std::string& body) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: sluice:8080\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string named_request(size_t client, const std::string& cost) {
  return post("/v1/check", R"({"key": "user:)" + std::to_string(client) +
                               R"(", "rate": 1000, "burst": 1000000000, "cost": )" + cost + "}");
}

std::string ruled_request(size_t client, const std::string& cost) {
  return post("/v1/check",
              R"({"request": {"method": "GET", "path": "/v1/orders", "host": "api.example.com", "ip": "203.0.113.9", )"
              R"("headers": {"X-Api-Key": "key-)" +
                  std::to_string(client) + R"("}, "attributes": {"user_id": "42", "plan": "pro"}}, "cost": )" + cost +
                  "}");
}

class Door {
 public:
  Door() {
    limiter_.set_rules(rules::load_text(rules_text(), "bench.json", rules::Format::kJson).rules);
    session_ = door_.make(peer_);
  }

  // Whether it was allowed, by three or one.
  bool ask(const std::string& request) {
    output_.clear();
    session_->on_bytes(request, output_);
    return output_.bytes().starts_with("HTTP/1.1 200 OK");
  }

 private:
  std::unique_ptr<memory::MemoryStore> store_ = std::move(*memory::MemoryStore::create({}));
  limiter::Limiter limiter_{{*store_, *store_, {}}};
  doors::SystemTime time_{system_clock()};
  doors::LoopDesk desk_{limiter_, time_};
  http::PublicDoor door_{desk_, {}};
  net::Peer peer_{"203.0.113.7"};
  std::unique_ptr<net::Session> session_;
  net::Output output_;
};

void run(benchmark::State& state, std::string (*make)(size_t, const std::string&), const std::string& first,
         const std::string& later) {
  Door door;
  std::vector<std::string> requests;
  for (size_t i = 0; i < kClients; ++i) {
    door.ask(make(i, first));
    requests.push_back(make(i, later));
  }
  uint64_t allowed = 0;
  size_t i = 0;
  for (auto _ : state) allowed += door.ask(requests[i++ % kClients]) ? 1 : 0;
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(state.iterations());
}

void http_decision(benchmark::State& state) {
  run(state, decision_request, "Cost: " + std::string(kSpentAtFirst) + "\r\n", "");
}
void http_check_named(benchmark::State& state) { run(state, named_request, kSpentAtFirst, "1"); }
void http_check_by_rules(benchmark::State& state) { run(state, ruled_request, kSpentAtFirst, "1"); }

void http_message(benchmark::State& state) {
  const auto handler = [](const http::Request&, const net::Peer&, http::Response& response) {
    response.send({200, http::kJsonMediaType, {}, "{}"});
  };
  http::Hall hall(http::Router(doors::Access(), {{.path = "/", .methods = {"GET"}, .handler = handler}}));
  const net::Peer peer;
  http::Session session(hall, peer);
  net::Output output;
  const std::string request = "GET / HTTP/1.1\r\nHost: x:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";
  for (auto _ : state) {
    output.clear();
    session.on_bytes(request, output);
    benchmark::DoNotOptimize(output.bytes().data());
  }
}

BENCHMARK(http_message);
BENCHMARK(http_decision);
BENCHMARK(http_check_named);
BENCHMARK(http_check_by_rules);

}  // namespace
}  // namespace sluice::bench
