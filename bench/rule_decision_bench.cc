// A whole decision in process: three rules of a hundred apply (address, API key, everybody), headers are rendered.
// Beside it what the store alone takes for the same three buckets.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "doors/headers.h"
#include "limiter/worker.h"
#include "rules/language/load.h"
#include "stores/memory/memory_store.h"

namespace sluice::bench {
namespace {

constexpr size_t kClients = 1024;

// Half of every bucket is spent at first, and does not come back before the program ends: a full bucket is forgotten,
// and what is measured is one that is known.
constexpr double kRate = 1000;
constexpr double kBurst = 1e9;
constexpr int64_t kSpentAtFirst = 400'000;

std::string rule(const std::string& name, const std::string& keys) {
  return R"({"name": ")" + name + R"(", "limit_keys": [)" + keys +
         R"(], "algorithm_config": {"rps": 1000, "burst": 1000000000}})";
}

std::string rules_text() {
  std::string text = R"({"policies": [{"id": "api", "selector": {"pathPrefix": "/v1"}, "rules": [)" +
                     rule("address", R"("ip:address")") + "," + rule("key", R"("header:x-api-key")") + "," +
                     rule("everybody", "") + "]}";
  for (int i = 0; i < 97; ++i) {
    const std::string number = std::to_string(i);
    text += R"(,{"id": "service-)" + number + R"(", "selector": {"pathPrefix": "/service/)" + number +
            R"("}, "rules": [)" + rule("user", R"("attr:user_id")") + "]}";
  }
  return text + "]}";
}

// What a browser sends along, and a key.
struct Client {
  explicit Client(size_t i)
      : ip("203.0." + std::to_string(i / 256) + "." + std::to_string(i % 256)), key("key-" + std::to_string(i * 7919)) {
    headers = {{"Host", "api.example.com"},
               {"User-Agent", "Mozilla/5.0 (X11; Linux x86_64)"},
               {"Accept", "application/json"},
               {"Accept-Language", "en"},
               {"Accept-Encoding", "gzip, br"},
               {"Connection", "keep-alive"},
               {"Cookie", "theme=dark; sid=1"},
               {"X-Request-Id", "5d41402abc4b2a76b9719d911017c592"},
               {"X-Api-Key", key},
               {"Content-Type", "application/json"}};
    request.method = "POST";
    request.path = "/v1/orders";
    request.host = "api.example.com";
    request.ip = ip;
    request.headers = headers;
  }

  std::string ip;
  std::string key;
  std::vector<rules::Field> headers;
  rules::Request request;
};

std::vector<std::unique_ptr<Client>> clients() {
  std::vector<std::unique_ptr<Client>> all;
  for (size_t i = 0; i < kClients; ++i) all.push_back(std::make_unique<Client>(i));
  return all;
}

void report(benchmark::State& state, uint64_t allowed) {
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(state.iterations());
}

void rule_decision(benchmark::State& state) {
  const auto store = std::move(*memory::MemoryStore::create({}));
  limiter::Limiter limiter({*store, *store, {}});
  const rules::Loaded loaded = rules::load_text(rules_text(), "bench.json", rules::Format::kJson);
  if (loaded.rules == nullptr) {
    state.SkipWithError(describe(loaded.faults.front()).c_str());
    return;
  }
  limiter.set_rules(loaded.rules);
  limiter::Worker worker(limiter);
  limiter::PlainCheck check;
  doors::HeaderFields headers;
  const auto all = clients();
  Clock& clock = system_clock();
  for (const auto& client : all) {
    rules::Request first = client->request;
    first.cost = Tokens::whole(kSpentAtFirst);
    worker.decide(check, first, {clock.now(), 0});
  }
  uint64_t allowed = 0;
  size_t i = 0;
  for (auto _ : state) {
    const rules::Now now{clock.now(), 1'800'000'000'000'000};
    worker.decide(check, all[i++ % kClients]->request, now);
    headers.render(check.answer(), {loaded.rules->headers, Duration::micros(now.unix_us)});
    benchmark::DoNotOptimize(headers.fields().data());
    allowed += check.answer().allowed && check.answer().buckets.size() == 3 ? 1 : 0;
  }
  report(state, allowed);
}

void rule_decision_store_alone(benchmark::State& state) {
  const auto store = std::move(*memory::MemoryStore::create({}));
  const Limit limit = *Limit::token_bucket(kRate, kBurst);
  const auto all = clients();
  std::vector<std::string> keys;
  for (const auto& client : all) {
    keys.push_back("api|address|" + client->ip);
    keys.push_back("api|key|" + client->key);
  }
  stores::BucketResult results[3];
  Clock& clock = system_clock();
  for (const std::string& key : keys) store->take({key, &limit, Tokens::whole(kSpentAtFirst)}, clock.now());
  uint64_t allowed = 0;
  size_t i = 0;
  for (auto _ : state) {
    const size_t client = i++ % kClients;
    const Take takes[] = {{keys[2 * client], &limit}, {keys[2 * client + 1], &limit}, {"api|everybody", &limit}};
    stores::Ask ask{stores::Action::kTake, takes, 3, clock.now(), results, nullptr};
    store->ask(ask);
    allowed += results[0].decision.allowed() ? 1 : 0;
  }
  report(state, allowed);
}

BENCHMARK(rule_decision);
BENCHMARK(rule_decision_store_alone);

}  // namespace
}  // namespace sluice::bench
