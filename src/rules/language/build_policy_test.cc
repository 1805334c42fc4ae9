#include "rules/language/build_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/language/load_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRule = R"({"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}})";

std::string policy(const std::string& selector, const std::string& rule = kRule) {
  return R"({"policies": [{"id": "p", "selector": {)" + selector + "}, \"rules\": [" + rule + "]}]}";
}
std::string rule_matching(const std::string& conditions) {
  return R"({"name": "a", "limit_keys": [], "match": {)" + conditions +
         R"(}, "algorithm_config": {"rps": 1, "burst": 1}})";
}
Selector selector(const std::string& text) { return loaded(policy(text)).policies.at(0).selector; }

std::string switches(const std::string& list) {
  return R"({"kill_switches": [)" + list + "], \"rules\": [" + kRule + "]}";
}

TEST(Selector, TakesAllSpellingsOfItsNames) {
  for (const char* name : {"path", "pathExact", "path_exact"}) {
    EXPECT_EQ(selector("\"" + std::string(name) + "\": \"/a/\"").path, "/a") << name;
  }
  for (const char* name : {"pathPrefix", "path_prefix"}) {
    EXPECT_EQ(selector("\"" + std::string(name) + "\": \"/a//b\"").path_prefix, "/a/b") << name;
  }
  EXPECT_THAT(fault_of(policy(R"("path": "/a", "pathExact": "/a")")),
              HasSubstr("'pathExact' means the same as 'path'"));
}

TEST(Selector, MethodsAndHostsAreInOneSpelling) {
  const Selector parsed = selector(R"("methods": ["get"], "hosts": ["API.example.com", "*.Example.com", "[::1]"])");
  EXPECT_THAT(parsed.methods, ElementsAre("GET"));
  ASSERT_EQ(parsed.hosts.size(), 3u);
  EXPECT_EQ(parsed.hosts[0].name, "api.example.com");
  EXPECT_FALSE(parsed.hosts[0].is_wildcard);
  EXPECT_EQ(parsed.hosts[1].name, "example.com");
  EXPECT_TRUE(parsed.hosts[1].is_wildcard);
  EXPECT_EQ(parsed.hosts[2].name, "[::1]");
}

TEST(Selector, RefusesWhatIsNoHost) {
  for (const char* host : {"https://example.com", "example.com/", "example.com:80", "*", "*.", "a.*.com", "a..b", "",
                           ".", "\u00e9.com", "a b", "*.*.com"}) {
    EXPECT_THAT(fault_of(policy("\"hosts\": [\"" + std::string(host) + "\"]")),
                HasSubstr("expected a host or *.host, but found '"))
        << host;
  }
  EXPECT_THAT(fault_of(policy(R"("hosts": ["a.com", "A.com"])")), HasSubstr("'A.com' is in hosts twice"));
  EXPECT_THAT(fault_of(policy(R"("methods": ["GET", "get"])")), HasSubstr("'GET' is in methods twice"));
  EXPECT_THAT(fault_of(policy(R"("methods": [])")), HasSubstr("methods must not be empty"));
}

TEST(Selector, APathMustBeBelowThePrefix) {
  EXPECT_EQ(selector(R"("path": "/v1/a", "pathPrefix": "/v1")").path, "/v1/a");
  EXPECT_THAT(fault_of(policy(R"("path": "/v1x", "pathPrefix": "/v1/")")),
              HasSubstr("the path '/v1x' is not below the prefix '/v1': no request would ever be both"));
}

TEST(Policy, ARuleThatItsSelectorShutsOutIsRefused) {
  const auto fault = [](const std::string& of_policy, const std::string& of_rule) {
    return fault_of(policy(of_policy, rule_matching(of_rule)));
  };
  EXPECT_THAT(fault(R"("pathPrefix": "/v1")", R"("path": "/v2/a")"),
              HasSubstr("the rule 'a' can never apply: no path"));
  EXPECT_THAT(fault(R"("path": "/v1")", R"("path": {"prefix": "/v1/"})"), HasSubstr("can never apply"));
  EXPECT_THAT(fault(R"("methods": ["GET"])", R"("method": ["POST", "PUT"])"), HasSubstr("can never apply: no method"));
  EXPECT_THAT(fault(R"("hosts": ["*.example.com"])", R"("host": "example.com")"),
              HasSubstr("can never apply: no host"));
  EXPECT_EQ(fault(R"("pathPrefix": "/v1")", R"("path": {"prefix": "/v1/a"})"), "none");
  EXPECT_EQ(fault(R"("pathPrefix": "/v1")", R"("path": {"prefix": "/v"})"), "none");
  EXPECT_EQ(fault(R"("pathPrefix": "/v1")", R"("path": ["/v2", "/v1"])"), "none");
  EXPECT_EQ(fault(R"("methods": ["GET"])", R"("method": ["POST", "GET"])"), "none");
  EXPECT_EQ(fault(R"("hosts": ["*.example.com"])", R"("host": "a.b.example.com")"), "none");
  EXPECT_EQ(fault(R"("hosts": ["*.example.com"])", R"("host": {"prefix": "b"})"), "none");
  EXPECT_EQ(fault(R"("hosts": ["a.com", "b.com"])", R"("host": {"prefix": "b"})"), "none");
  EXPECT_THAT(fault(R"("hosts": ["a.com"])", R"("host": {"prefix": "b"})"),
              HasSubstr("no host that this condition names"));
}

TEST(KillSwitch, DeniesAValueUntilItExpires) {
  const RuleSet rules = loaded(switches(
      R"({"key": "header:X-Api-Key", "value": "leaked", "expires_at": "2030-01-01T00:00:00Z", "reason": "leaked"},
         {"key": "ip:address", "value": ["192.0.2.0/24"], "expires_at": 1893456000},
         {"key": "attr:user_id", "value": {"prefix": "bot-"}})"));
  ASSERT_EQ(rules.kill_switches.size(), 3u);
  EXPECT_EQ(rules.kill_switches[0].condition.source.text(), "header:x-api-key");
  EXPECT_THAT(rules.kill_switches[0].condition.values, ElementsAre("leaked"));
  EXPECT_EQ(rules.kill_switches[0].expires_at_us, 1'893'456'000'000'000);
  EXPECT_EQ(rules.kill_switches[0].reason, "leaked");
  EXPECT_EQ(rules.kill_switches[1].expires_at_us, 1'893'456'000'000'000);
  EXPECT_EQ(rules.kill_switches[1].condition.networks.size(), 1u);
  EXPECT_EQ(rules.kill_switches[2].expires_at_us, std::nullopt);
  EXPECT_THAT(rules.kill_switches[2].condition.prefixes, ElementsAre("bot-"));
}

TEST(KillSwitch, StandsInAPolicyToo) {
  const RuleSet rules = loaded(R"({"policies": [{"id": "p", "rules": [)" + std::string(kRule) +
                               R"(], "kill_switches": [{"key": "path", "value": "/a"}]}]})");
  EXPECT_EQ(rules.policies[0].kill_switches.size(), 1u);
  EXPECT_THAT(rules.kill_switches, IsEmpty());
}

TEST(KillSwitch, DeniesNothingInAPolicyInShadow) {
  const std::string text = R"({"policies": [{"id": "p", "mode": "shadow", "rules": [)" + std::string(kRule) +
                           R"(], "kill_switches": [{"key": "path", "value": "/a"}]}]})";
  EXPECT_THAT(loaded(text).policies[0].kill_switches, IsEmpty());
}

TEST(KillSwitch, ExpiresToTheMicrosecond) {
  const RuleSet rules = loaded(switches(R"({"key": "path", "value": "/a", "expires_at": "2030-01-01T00:00:00.25Z"},
                                           {"key": "path", "value": "/b", "expires_at": 1893456000.5})"));
  EXPECT_EQ(rules.kill_switches[0].expires_at_us, 1'893'456'000'250'000);
  EXPECT_EQ(rules.kill_switches[1].expires_at_us, 1'893'456'000'500'000);
}

TEST(KillSwitch, OneThatHasExpiredIsNoFault) {
  EXPECT_EQ(fault_of(switches(R"({"key": "path", "value": "/a", "expires_at": "2001-01-01T00:00:00Z"})")), "none");
}

TEST(KillSwitch, SaysWhatIsWrongWithIt) {
  const auto fault = [](const std::string& fields) { return fault_of(switches("{" + fields + "}")); };
  EXPECT_THAT(fault(R"("value": "x")"), HasSubstr("key is missing"));
  EXPECT_THAT(fault(R"("key": "path")"), HasSubstr("value is missing"));
  EXPECT_THAT(fault(R"("key": "user", "value": "x")"), HasSubstr("'user' is no source of a value"));
  EXPECT_THAT(fault(R"("key": "path", "value": "/a", "expires_at": "tomorrow")"),
              HasSubstr("expires_at must be a time such as"));
  EXPECT_THAT(fault(R"("key": "path", "value": "/a", "expires_at": 1893456000000)"),
              HasSubstr("expires_at must be at most 253402300799"));
  EXPECT_THAT(fault(R"("key": "path", "value": "/a", "expires_at": true)"), HasSubstr("expires_at must be a time"));
  EXPECT_THAT(fault(R"("key": "path", "value": null)"), HasSubstr("kill_switches[0].value: expected a string"));
  EXPECT_THAT(fault(R"("key": "path", "value": [])"), HasSubstr("nothing would ever match"));
}

TEST(Policy, MethodsWithFaultsLetTheOthersThrough) {
  EXPECT_THAT(faults_of(policy(R"("methods": ["GET", "PO ST"])", rule_matching(R"("method": "POST")"))),
              ElementsAre(HasSubstr("a method is a word such as GET")));
}

TEST(Policy, ARuleThatCanNeverApplyIsToldBesideItsOtherFaults) {
  EXPECT_THAT(
      faults_of(policy(R"("path": "/a")",
                       R"({"name": "a", "limit_keys": [], "match": {"path": "/b"}, "algorithm_config": {"rps": 1}})")),
      testing::UnorderedElementsAre(HasSubstr("burst"), HasSubstr("can never apply: no path")));
  const auto later = [](const std::string& fields) {
    return faults_of(
        R"({"rules": [{"name": "one two", "limit_keys": ["path"], "algorithm_config": {"rps": 1, "burst": 1}},
      {"name": "b", "limit_keys": ["path"], )" +
        fields + "}]}");
  };
  EXPECT_THAT(later(R"("algorithm_config": {"rps": 1, "burst": 1})"),
              testing::UnorderedElementsAre(HasSubstr("name must be"), HasSubstr("can never apply")));
  EXPECT_EQ(later(R"("on_missing_key": "no", "algorithm_config": {"rps": 1, "burst": 1, "cost_source": "x"})").size(),
            4u);
  EXPECT_EQ(later(R"("match": {"attr:a": ""}, "algorithm_config": {"rps": 1, "burst": 1})").size(), 2u);
  EXPECT_EQ(later(R"("priority": "1", "algorithm_config": {"rps": 1, "burst": 1})").size(), 2u);
}

TEST(KillSwitch, AValueIsLookedAtThoughItsKeyIsNone) {
  EXPECT_THAT(faults_of(switches(R"({"key": "user", "value": ["", "a", "a"]})")).size(), 3u);
}

}  // namespace
}  // namespace sluice::rules
