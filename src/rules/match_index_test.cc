#include "rules/match_index.h"

#include <gtest/gtest.h>

#include <chrono>

#include "rules/compiled_rules.h"
#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using testing::is;
using testing::is_in;
using testing::policy;
using testing::rule;
using testing::TestRequest;

constexpr size_t kMany = 10'000;

// How many rules of this set are looked at for a request.
size_t looked_at(const RuleSet& rules, const TestRequest& request) {
  const CompiledRules compiled(rules);
  Reader reader;
  reader.begin(compiled.plan(), request.view(), {}, nullptr);
  std::vector<uint32_t> found;
  compiled.index().find(reader, found);
  return found.size();
}

template <class Make>
RuleSet many_policies(const Make& make) {
  RuleSet rules;
  for (size_t i = 0; i < kMany; ++i) {
    rules.policies.push_back(policy("p" + std::to_string(i), {rule("r", {})}));
    make(rules.policies.back(), std::to_string(i));
  }
  return rules;
}

TEST(MatchIndex, LooksOnlyAtThePoliciesOfAPath) {
  const RuleSet prefixes = many_policies([](Policy& p, const std::string& i) { p.selector.path_prefix = "/v1/" + i; });
  const RuleSet paths = many_policies([](Policy& p, const std::string& i) { p.selector.path = "/v1/" + i; });
  TestRequest request;
  request.path("/v1/77");
  EXPECT_EQ(looked_at(prefixes, request), 1u);
  EXPECT_EQ(looked_at(paths, request), 1u);
  TestRequest other;
  other.path("/v2/77");
  EXPECT_EQ(looked_at(prefixes, other), 0u);
}

TEST(MatchIndex, LooksOnlyAtThePoliciesOfAHost) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    p.selector.hosts = {{"h" + i + ".com", false}, {"w" + i + ".com", true}};
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.host("h5.com")), 1u);
  TestRequest below;
  EXPECT_EQ(looked_at(rules, below.host("a.b.w9.com")), 1u);
  TestRequest unknown;
  EXPECT_EQ(looked_at(rules, unknown.host("com")), 0u);
}

TEST(MatchIndex, LooksOnlyAtTheTiersOfAValue) {
  RuleSet rules;
  rules.policies = {policy("p", {})};
  for (size_t i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    rules.policies[0].rules.push_back(rule("r" + number, {"attr:u"}, {is("attr:plan", {number, "x" + number})}));
  }
  rules.policies[0].rules.push_back(rule("rest", {"attr:u"}));
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.attribute("plan", "x123")), 2u);
}

TEST(MatchIndex, LooksOnlyAtTheNetworksOfAnAddress) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    const int number = std::stoi(i);
    const std::string network = "10." + std::to_string(number / 256) + "." + std::to_string(number % 256) + ".0/24";
    p.rules[0].match = {is_in({network})};
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.ip("10.3.4.5")), 1u);
}

TEST(MatchIndex, LooksOnlyAtTheHeadersThatARequestHas) {
  const RuleSet rules =
      many_policies([](Policy& p, const std::string& i) { p.rules[0].match = {is("header:x-" + i, {"yes"})}; });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.header("X-17", "yes").header("X-18", "no")), 1u);
}

TEST(MatchIndex, ChoosesOfAllThatARuleAsksForTheRarest) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    p.selector.path_prefix = "/v1";
    p.selector.methods = {"GET"};
    p.selector.hosts = {{"api.com", false}};
    p.rules[0].match = {is("attr:kind", {"user"}), is("attr:tenant", {i})};
  });
  TestRequest request;
  request.path("/v1").method("GET").host("api.com").attribute("kind", "user").attribute("tenant", "42");
  EXPECT_EQ(looked_at(rules, request), 1u);
}

// A hundred paths on a hundred hosts: neither alone says much.
TEST(MatchIndex, TellsApartByASecondValueWhatManyShareAFirstOf) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    p.selector.path_prefix = "/" + std::to_string(std::stoi(i) / 100);
    p.selector.hosts = {{"h" + std::to_string(std::stoi(i) % 100) + ".com", false}};
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.path("/7/x").host("h55.com")), 1u);
  TestRequest other;
  EXPECT_EQ(looked_at(rules, other.path("/7/x").host("h555.com")), 0u);
}

TEST(MatchIndex, TellsApartByAThirdValueAndByNames) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    const int number = std::stoi(i);
    p.selector.path_prefix = "/" + std::to_string(number / 500);
    p.selector.hosts = {{"h" + std::to_string(number / 25 % 20) + ".com", false}};
    p.rules[0].match = {is("attr:plan", {std::to_string(number % 25)})};
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.path("/3").host("h4.com").attribute("plan", "5")), 1u);
}

std::vector<std::string> five(const std::string& stem, int group) {
  std::vector<std::string> values;
  for (int i = 0; i < 5; ++i) values.push_back(stem + std::to_string(5 * group + i));
  return values;
}

TEST(MatchIndex, TellsApartByListsWhatManyShareAPathOf) {
  const RuleSet hosts = many_policies([](Policy& p, const std::string& i) {
    p.selector.path_prefix = "/" + std::to_string(std::stoi(i) / 100);
    for (const std::string& name : five("h", std::stoi(i) % 100)) p.selector.hosts.push_back({name, false});
  });
  const RuleSet values = many_policies([](Policy& p, const std::string& i) {
    p.selector.path_prefix = "/" + std::to_string(std::stoi(i) / 100);
    p.rules[0].match = {is("attr:plan", five("h", std::stoi(i) % 100))};
  });
  const RuleSet networks = many_policies([](Policy& p, const std::string& i) {
    p.selector.path_prefix = "/" + std::to_string(std::stoi(i) / 100);
    Condition& condition = p.rules[0].match.emplace_back();
    for (const std::string& network : five("10.7.", std::stoi(i) % 50)) {
      condition.networks.push_back(*Network::parse(network + (std::stoi(i) % 100 < 50 ? ".0/25" : ".128/25")));
    }
  });
  TestRequest request;
  request.path("/7/x").host("h77").attribute("plan", "h77").ip("10.7.77.7");
  EXPECT_EQ(looked_at(hosts, request), 1u);
  EXPECT_EQ(looked_at(values, request), 1u);
  EXPECT_EQ(looked_at(networks, request), 1u);
}

TEST(MatchIndex, TellsApartByThreeListsOfEach) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    const int number = std::stoi(i);
    for (const std::string& name : five("h", number / 500)) p.selector.hosts.push_back({name, false});
    p.rules[0].match = {is("attr:plan", five("p", number / 25 % 20)), is("attr:user", five("u", number % 25))};
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.host("h12").attribute("plan", "p34").attribute("user", "u56")), 1u);
}

// Each value is shared by 1,296 of them, any two by 216, ...
TEST(MatchIndex, TellsApartWhatOnlyFiveValuesTogetherDo) {
  RuleSet rules;
  rules.policies = {policy("p", {})};
  for (int i = 0; i < 7776; ++i) {
    Rule each = rule("r" + std::to_string(i), {});
    for (int header = 0, rest = i; header < 5; ++header, rest /= 6) {
      each.match.push_back(is("header:x-" + std::to_string(header), {std::to_string(rest % 6)}));
    }
    rules.policies[0].rules.push_back(std::move(each));
  }
  TestRequest request;
  for (int header = 0; header < 5; ++header) request.header("X-" + std::to_string(header), "3");
  EXPECT_LE(looked_at(rules, request), 8u);
}

// As many as there could be of two lists of each rule: 400 x 400 x 400.
TEST(MatchIndex, StaysBoundedWhereListsOverlapAtRandom) {
  RuleSet rules;
  rules.policies = {policy("p", {})};
  for (uint32_t i = 0; i < 400; ++i) {
    Rule each = rule("r" + std::to_string(i), {});
    for (const char* from : {"attr:a", "attr:b", "attr:c"}) {
      std::vector<std::string> values;
      for (uint32_t k = 0; k < 400; ++k) values.push_back(std::to_string((i + 1) * (k + 1) * 2654435761U % 509));
      each.match.push_back(is(from, values));
    }
    rules.policies[0].rules.push_back(std::move(each));
  }
  const auto begin = std::chrono::steady_clock::now();
  TestRequest request;
  EXPECT_GT(looked_at(rules, request.attribute("a", "7").attribute("b", "8").attribute("c", "9")), 0u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(MatchIndex, LooksOnlyAtRulesWhoseKeysARequestHasIfTheyAreLeftOutElse) {
  const RuleSet rules = many_policies([](Policy& p, const std::string& i) {
    p.rules[0] = rule("r", {"header:x-" + i});
    p.rules[0].on_missing_key = OnMissingKey::kSkip;
  });
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.header("X-17", "yes").header("X-18", "no")), 2u);
}

TEST(MatchIndex, FindsKillSwitchesAsItFindsRules) {
  RuleSet rules;
  for (size_t i = 0; i < kMany; ++i) {
    rules.kill_switches.push_back({is("header:x-api-key", {"key" + std::to_string(i)}), std::nullopt, ""});
  }
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.header("x-api-key", "key99")), 1u);
}

TEST(MatchIndex, FindsARuleOnceThoughSeveralOfItsKeysFit) {
  RuleSet rules;
  Selector selector;
  selector.hosts = {{"a.b.c", false}, {"b.c", true}, {"c", true}};
  rules.policies = {policy("p", {rule("r", {})}, selector)};
  TestRequest request;
  EXPECT_EQ(looked_at(rules, request.host("a.b.c")), 1u);
}

}  // namespace
}  // namespace sluice::rules
