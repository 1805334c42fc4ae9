#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/language/load_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string row(const std::string& pattern, const std::string& rest = "") {
  return R"({"key_pattern": ")" + pattern + R"(", "rate_per_second": 10, "burst_capacity": 50)" +
         (rest.empty() ? "" : ", " + rest) + "}";
}
std::string rows(const std::string& list) { return "{\"rules\": [" + list + "]}"; }

Rule rule_of(const std::string& pattern, const std::string& rest = "") {
  const auto rules = loaded(rows(row(pattern, rest))).policies.at(0).rules;
  return rules.empty() ? Rule() : rules[0];
}

std::vector<std::string> keys_of(const std::string& pattern) {
  std::vector<std::string> keys;
  for (const KeySource& key : rule_of(pattern).limit_keys) keys.push_back(key.text());
  return keys;
}

TEST(TableRow, PatternsNameWhatHasABucketOfItsOwn) {
  EXPECT_THAT(keys_of("user:{user_id}"), ElementsAre("attr:user_id"));
  EXPECT_THAT(keys_of("ip:{ip}"), ElementsAre("ip:address"));
  EXPECT_THAT(keys_of("ip:{ip_address}"), ElementsAre("ip:address"));
  EXPECT_THAT(keys_of("user:{user_id}:{endpoint}:{method}"), ElementsAre("attr:user_id", "path", "method"));
  EXPECT_THAT(keys_of("{host}{path}"), ElementsAre("host", "path"));
  EXPECT_THAT(keys_of("global"), IsEmpty());
  EXPECT_THAT(keys_of("tenant:{tenant}:user:{user_id}:{ip}"), ElementsAre("attr:tenant", "attr:user_id", "ip:address"));
  const Rule endpoint = rule_of("endpoint:/api//search/");
  EXPECT_EQ(endpoint.limit_keys[0].text(), "path");
  EXPECT_EQ(endpoint.match[0].source.text(), "path");
  EXPECT_THAT(endpoint.match[0].values, ElementsAre("/api/search"));
}

TEST(TableRow, IsARuleWithATokenBucket) {
  const Rule rule = rule_of("user:{user_id}", R"("scope": "user", "description": "all users", "plan": null)");
  EXPECT_EQ(rule.name, "user:{user_id}");
  EXPECT_EQ(rule.description, "all users");
  EXPECT_THAT(rule.limits, ElementsAre(*Limit::token_bucket(10, 50)));
  EXPECT_THAT(rule.match, IsEmpty());
  EXPECT_EQ(rule.priority, 0);
}

TEST(TableRow, APlansOwnRowGoesFirst) {
  const Rule rule = rule_of("user:{user_id}", R"("plan": "pro")");
  EXPECT_EQ(rule.name, "user:{user_id}@pro");
  EXPECT_EQ(rule.priority, 1);
  EXPECT_EQ(rule.match[0].source.text(), "attr:plan");
  EXPECT_THAT(rule.match[0].values, ElementsAre("pro"));
  const RuleSet rules = loaded(rows(row("user:{user_id}") + "," + row("user:{user_id}", R"("plan": "free")") + "," +
                                    row("user:{user_id}", R"("plan": "Pro Plus")")));
  EXPECT_EQ(rules.policies[0].rules.size(), 3u);
}

TEST(TableRow, IsCheckedAndLeftOutWhenItIsNotActive) {
  const RuleSet rules = loaded(rows(row("global") + "," + row("user:{user_id}", R"("is_active": false)")));
  EXPECT_EQ(rules.policies[0].rules.size(), 1u);
  EXPECT_THAT(fault_of(rows(row("user:{", R"("is_active": false)"))), HasSubstr("a bracket without its other half"));
}

TEST(TableRow, IsUniqueByPatternAndPlan) {
  EXPECT_THAT(fault_of(rows(row("global") + "," + row("global"))), HasSubstr("the rule 'global' is there twice"));
  EXPECT_THAT(
      fault_of(rows(row("global", R"("plan": "a")") + "," + row("global", R"("plan": "a", "is_active": false)"))),
      HasSubstr("the rule 'global@a' is there twice"));
}

TEST(TableRow, RefusesPatternsThatSayNothing) {
  for (const char* pattern : {"user:42", "user:{}", "user:{a}{a}", "{a", "a}", "{a{b}}", "endpoint:api",
                              "endpoint:", "endpoint:/a/{id}", "", "a b", "user:{ip}:{ip_address}"}) {
    EXPECT_THAT(fault_of(rows(row(pattern))), HasSubstr("rules[0].key_pattern: ")) << pattern;
  }
  EXPECT_THAT(fault_of(rows(row(std::string(127, 'a') + "{b}"))), HasSubstr("1 to 128 visible ASCII characters"));
}

TEST(TableRow, TheScopeAgreesWithThePattern) {
  for (const char* good :
       {R"(user:{user_id}", "scope": "user)", R"(ip:{ip}", "scope": "ip)", R"(global", "scope": "global)",
        R"(endpoint:/a", "scope": "endpoint)", R"(user:{u}:{ip}", "scope": "ip)"}) {
    rule_of(good);
  }
  EXPECT_THAT(fault_of(rows(row("user:{user_id}", R"("scope": "ip")"))),
              HasSubstr("scope must be user for the key_pattern 'user:{user_id}', but is ip"));
  EXPECT_THAT(fault_of(rows(row("global", R"("scope": "gobal")"))), HasSubstr("did you mean 'global'?"));
}

TEST(TableRow, IsNotMixedWithTheOtherForm) {
  EXPECT_THAT(
      fault_of(rows(row("global", R"("limit_keys": [])"))),
      HasSubstr("'limit_keys' is a field of a rule, but this is a rule in the table form (write a rule either"));
  EXPECT_THAT(fault_of(limited_rule_with(R"("plan": "pro")")),
              HasSubstr("'plan' is a field of a rule in the table form, but this is a rule"));
}

TEST(TableRow, SaysWhatIsMissingAndWrong) {
  EXPECT_THAT(fault_of(rows(R"({"key_pattern": "global"})")), HasSubstr("rate_per_second is missing"));
  EXPECT_THAT(fault_of(rows(R"({"key_pattern": "global", "rate_per_second": 0, "burst_capacity": 1})")),
              HasSubstr("rate_per_second must be greater than 0, but is 0"));
  EXPECT_THAT(fault_of(rows(row("global", R"("plan": "")"))), HasSubstr("plan must be 1 to 64 ASCII characters"));
  EXPECT_THAT(fault_of(rows(row("global", R"("rule_id": 7)"))), HasSubstr("the row's number is the database's own"));
}

TEST(TableRow, OneThatCanNeverApplyIsToldBesideItsOtherFaults) {
  EXPECT_THAT(faults_of(rows(row("user:{user_id}") + "," + row("ip:{ip}:{user_id}", R"("scope": "global")") +
                             R"(, {"key_pattern": "person:{user_id}", "rate_per_second": 0, "burst_capacity": 1})")),
              ::testing::UnorderedElementsAre(HasSubstr("scope must be"), HasSubstr("rate_per_second must be"),
                                              HasSubstr("can never apply")));
}

}  // namespace
}  // namespace sluice::rules
