#include "rules/match_index.h"

#include <gtest/gtest.h>

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
