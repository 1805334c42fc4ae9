// Matching: what it costs to find the two rules that are for a request among ten, and among ten thousand.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "rules/matcher.h"

namespace sluice::bench {
namespace {

using namespace sluice::rules;

// Where rules are many: enough that the rules they are for do not stay in the nearest memory.
constexpr size_t kManyRequests = 4096;
// Where rules are few: as close as a request that was just read.
constexpr size_t kFewRequests = 64;

std::string number(size_t i) { return std::to_string(100'000 + i); }
std::string network_of(size_t i) { return "10." + std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255) + "."; }

KeySource source(const char* text) { return *KeySource::parse(text); }

Rule rule(std::string name, std::vector<KeySource> limit_keys) {
  Rule rule;
  rule.name = std::move(name);
  rule.limit_keys = std::move(limit_keys);
  rule.limits.push_back(*Limit::token_bucket(100, 100));
  return rule;
}

Policy policy(std::string id, std::vector<Rule> rules) { return {std::move(id), {}, std::move(rules), {}}; }

// How the rules of a shape differ from one another: each shape has `count` of them, the first for all requests, and
// request i is for one more.
using Shape = RuleSet (*)(size_t count);

RuleSet with_global() {
  RuleSet rules;
  rules.policies.push_back(policy("everybody", {rule("global", {})}));
  return rules;
}

template <class Change>
RuleSet policies(size_t count, const Change& change) {
  RuleSet rules = with_global();
  for (size_t i = 1; i < count; ++i) {
    rules.policies.push_back(policy("policy-" + number(i), {rule("per-address", {source("ip:address")})}));
    change(rules.policies.back(), i);
  }
  return rules;
}

RuleSet path_prefixes(size_t count) {
  return policies(count, [](Policy& policy, size_t i) { policy.selector.path_prefix = "/v1/service-" + number(i); });
}

RuleSet exact_paths(size_t count) {
  return policies(count,
                  [](Policy& policy, size_t i) { policy.selector.path = "/v1/service-" + number(i) + "/users"; });
}

RuleSet hosts(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.selector.hosts = {{"api-" + number(i) + ".example.com", false}};
  });
}

// A hundred paths on each of many hosts.
RuleSet paths_of_hosts(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.selector.hosts = {{"api-" + number(i / 100) + ".example.com", false}};
    policy.selector.path_prefix = "/v1/service-" + number(i % 100);
  });
}

// Where a hundred rules share a path and are told apart by lists of five.
constexpr std::array<const char*, 5> kFive = {"api", "www", "eu", "us", "beta"};

RuleSet paths_of_five_hosts(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    for (const std::string stem : kFive) {
      policy.selector.hosts.push_back({stem + "-" + number(i / 100) + ".example.com", false});
    }
    policy.selector.path_prefix = "/v1/service-" + number(i % 100);
  });
}

RuleSet paths_of_five_values(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.selector.path_prefix = "/v1/service-" + number(i % 100);
    policy.rules[0].match = {{source("attr:plan"), {"plan-" + number(i / 100)}, {}, {}}};
    for (const std::string stem : kFive) policy.rules[0].match[0].values.push_back(stem + "-" + number(i / 100));
  });
}

RuleSet paths_of_five_networks(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.selector.path_prefix = "/v1/service-" + number(i % 100);
    policy.rules[0].match = {{source("ip:address"), {}, {}, {*Network::parse(network_of(i / 100) + "0/24")}}};
    for (size_t k = 1; k < 5; ++k) {
      const std::string other = network_of(256 * k + i / 100);
      policy.rules[0].match[0].networks.push_back(*Network::parse(other + "0/24"));
    }
  });
}

// Each of a header of its own, and for none who does not send it.
RuleSet headers(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.rules[0] = rule("per-key", {source(("header:x-" + number(i)).c_str())});
    policy.rules[0].on_missing_key = OnMissingKey::kSkip;
  });
}

RuleSet networks(size_t count) {
  return policies(count, [](Policy& policy, size_t i) {
    policy.rules[0].match = {{source("ip:address"), {}, {}, {*Network::parse(network_of(i) + "0/24")}}};
  });
}

RuleSet tiers(size_t count) {
  RuleSet rules = with_global();
  rules.policies.push_back(policy("plans", {}));
  for (size_t i = 1; i < count; ++i) {
    Rule tier = rule("tier-" + number(i), {source("attr:user_id")});
    tier.match = {{source("attr:plan"), {"plan-" + number(i)}, {}, {}}};
    rules.policies[1].rules.push_back(std::move(tier));
  }
  return rules;
}

// An address, a key and everybody, of 33 services and one rule more.
RuleSet three_of_a_service(size_t count) {
  RuleSet rules;
  for (size_t i = 1; 3 * i <= count; ++i) {
    rules.policies.push_back(
        policy("service-" + number(i), {rule("per-address", {source("ip:address")}),
                                        rule("per-key", {source("header:x-api-key")}), rule("global", {})}));
    rules.policies.back().selector.path_prefix = "/v1/service-" + number(i);
  }
  rules.policies.push_back(policy("admin", {rule("per-user", {source("attr:user_id")})}));
  rules.policies.back().selector.path_prefix = "/admin";
  return rules;
}

// Requests as a door would bring them, with the headers that a client sends. Each lies in one piece of memory, and the
// next one behind it, so that what costs is finding the rules.
class Requests {
 public:
  // Whether the path, the host, the plan or the network alone says which rule it is, or only the path and one of the
  // others together.
  enum class Path : uint8_t { kAlone, kWithAnother };

  Requests(size_t rules, size_t count, Path path = Path::kAlone)
      : places_(std::make_unique<Place[]>(count)), count_(count) {
    for (size_t i = 0; i < count; ++i) fill(places_[i], 1 + i * 7919 % (rules - 1), i, path);
  }

  const Request& next() { return places_[next_++ & (count_ - 1)].request; }

 private:
  struct Place {
    Request request;
    std::array<Field, 6> headers;
    std::array<Field, 2> attributes;
    std::array<char, 128> bytes;
    size_t used = 0;

    std::string_view keep(const std::string& text) {
      const size_t begin = used;
      used += text.copy(bytes.data() + begin, bytes.size() - begin);
      return {bytes.data() + begin, used - begin};
    }
  };

  static void fill(Place& place, size_t rule, size_t i, Path path) {
    const size_t service = path == Path::kAlone ? rule : rule % 100;
    const size_t other = path == Path::kAlone ? rule : rule / 100;
    place.headers = {{{"Accept", "application/json"},
                      {"Accept-Encoding", "gzip, br"},
                      {"User-Agent", "client/1.0"},
                      {"X-Api-Key", place.keep("key-" + number(i))},
                      {"X-Request-Id", place.keep(number(i))},
                      {place.keep("x-" + number(rule)), "yes"}}};
    place.attributes = {{{"user_id", place.keep(number(i))}, {"plan", place.keep("plan-" + number(other))}}};
    place.request = {"GET",
                     place.keep("/v1/service-" + number(service) + "/users"),
                     place.keep("api-" + number(other) + ".example.com"),
                     place.keep(network_of(other) + std::to_string(i % 256)),
                     place.headers,
                     {},
                     place.attributes,
                     std::nullopt};
  }

  std::unique_ptr<Place[]> places_;
  size_t count_;  // a power of two
  size_t next_ = 0;
};

// `applied` is how many rules each request must find.
void match(benchmark::State& state, Shape shape, Requests requests, double applied) {
  const Matcher matcher(std::make_shared<const RuleSet>(shape(static_cast<size_t>(state.range(0)))));
  Evaluation evaluation;
  uint64_t found = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(matcher.match(requests.next(), {}, nullptr, evaluation));
    found += evaluation.applied().size();
  }
  if (static_cast<double>(found) != applied * static_cast<double>(state.iterations())) {
    state.SkipWithError("it does not find the rules it should");
  }
}

template <Shape kShape, Requests::Path kPath = Requests::Path::kAlone>
void match_two(benchmark::State& state) {
  match(state, kShape, Requests(static_cast<size_t>(state.range(0)), kManyRequests, kPath), 2);
}

void match_three(benchmark::State& state) {
  match(state, three_of_a_service, Requests(static_cast<size_t>(state.range(0)) / 3, kFewRequests), 3);
}

BENCHMARK(match_two<path_prefixes>)->Name("match_path_prefix")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_two<exact_paths>)->Name("match_path")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_two<hosts>)->Name("match_host")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_two<tiers>)->Name("match_tiers")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_two<networks>)->Name("match_network")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_two<paths_of_hosts, Requests::Path::kWithAnother>)
    ->Name("match_path_of_host")
    ->RangeMultiplier(10)
    ->Range(10, 10'000);
BENCHMARK(match_two<paths_of_five_hosts, Requests::Path::kWithAnother>)
    ->Name("match_path_of_five_hosts")
    ->RangeMultiplier(10)
    ->Range(10, 10'000);
BENCHMARK(match_two<paths_of_five_values, Requests::Path::kWithAnother>)
    ->Name("match_path_of_five_values")
    ->RangeMultiplier(10)
    ->Range(10, 10'000);
BENCHMARK(match_two<paths_of_five_networks, Requests::Path::kWithAnother>)
    ->Name("match_path_of_five_networks")
    ->RangeMultiplier(10)
    ->Range(10, 10'000);
BENCHMARK(match_two<headers>)->Name("match_present_header")->RangeMultiplier(10)->Range(10, 10'000);
BENCHMARK(match_three)->Arg(100);

}  // namespace
}  // namespace sluice::bench
