// Any bytes are a request or a fault; whatever the request, it gets an answer that the headers and the body can tell,
// and the index finds the rules that looking at each of them finds.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "documents/json_reader.h"
#include "doors/decision_json.h"
#include "doors/headers.h"
#include "doors/problem.h"
#include "doors/request_json.h"
#include "limiter/worker.h"
#include "rules/explain.h"
#include "rules/jwt/verified_claims.h"
#include "rules/language/load.h"
#include "stores/memory/memory_store.h"

namespace {

namespace doors = sluice::doors;
namespace rules = sluice::rules;

constexpr std::string_view kRules = R"({
  "trust_upstream_jwt": true, "trusted_proxies": ["10.0.0.0/8", "::1"], "headers": ["ietf", "legacy", "x"],
  "kill_switches": [{"key": "header:x-api-key", "value": {"prefix": "bad"}}],
  "policies": [
    {"id": "a", "selector": {"pathPrefix": "/v1", "hosts": ["*.example.com", "x.y"]}, "rules": [
      {"name": "cost", "limit_keys": ["ip:address/24", "cookie:sid"],
       "algorithm_config": {"rps": 1, "burst": 5, "cost_source": "header:cost", "max_cost": 9}},
      {"name": "claim", "limit_keys": ["jwt:org.id", "query:page"], "match": {"jwt:plan": ["a", "b"]},
       "on_missing_key": "skip", "algorithm": "leaky_queue", "algorithm_config": {"rps": 1, "burst": 5}}]},
    {"id": "b", "rules": [
      {"name": "path", "limit_keys": ["path", "method", "host"], "match": {"ip:address": {"cidr": "203.0.113.0/24"}},
       "algorithm": "sliding_window_log", "algorithm_config": {"limit": 3, "window_seconds": 5}},
      {"name": "all", "limit_keys": ["attr:user"], "mode": "shadow", "algorithm_config": {"rps": 1, "burst": 2}}]}]})";

class Engine {
 public:
  Engine() : store_(std::move(*sluice::memory::MemoryStore::create({.max_bytes = 4 << 20}))) {
    if (loaded_.rules == nullptr) std::abort();
    limiter_.set_rules(loaded_.rules);
  }

  void ask(const rules::Request& request) {
    now_.instant = now_.instant + sluice::Duration::millis(100);
    worker_.decide(check_, request, now_);
    const sluice::limiter::Answer& answer = check_.answer();
    headers_.render(answer, {loaded_.rules->headers, sluice::Duration::micros(now_.unix_us)});
    body_.clear();
    doors::JsonWriter json(body_);
    answer.allowed ? doors::write_decision(json, answer) : doors::write_problem(json, answer);
    const rules::Report report = rules::explain(*loaded_.rules, request, now_, worker_.claims());
    size_t applied = 0;
    for (const rules::RuleReport& rule : report.rules) applied += rule.applies ? 1 : 0;
    const bool was_asked = report.ruling == rules::Ruling::kAsk;
    if (was_asked && applied != answer.buckets.size() + answer.shadow.size()) std::abort();
  }

 private:
  const rules::Loaded loaded_ = rules::load_text(kRules, "fuzz.json", rules::Format::kJson);
  std::unique_ptr<sluice::memory::MemoryStore> store_;
  sluice::limiter::Limiter limiter_{{*store_, *store_, rules::jwt::make_verified_claims}};
  sluice::limiter::Worker worker_{limiter_};
  sluice::limiter::PlainCheck check_;
  doors::HeaderFields headers_;
  std::string body_;
  rules::Now now_{sluice::Instant(), 1'800'000'000'000'000};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Engine engine;
  auto parsed = sluice::documents::read_json({reinterpret_cast<const char*>(data), size});
  auto* const node = std::get_if<sluice::documents::Node>(&parsed);
  if (node == nullptr) return 0;
  const auto described = doors::describe_request(std::move(*node));
  if (const auto* request = std::get_if<doors::DescribedRequest>(&described)) engine.ask(request->request());
  return 0;
}
