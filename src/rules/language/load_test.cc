#include "rules/language/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/language/folder_testing.h"
#include "rules/language/load_testing.h"
#include "stopwatch/cpu_stopwatch.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kExample = R"({"policies": [{
  "id": "public-api", "mode": "enforce",
  "selector": {"pathPrefix": "/v1/", "methods": ["GET", "POST"], "hosts": ["api.example.com"]},
  "rules": [
    {"name": "enterprise", "limit_keys": ["header:X-Api-Key"], "match": {"jwt:plan": "enterprise"},
     "algorithm": "token_bucket", "algorithm_config": {"rps": 1000, "burst": 2000}},
    {"name": "free", "limit_keys": ["header:x-api-key"],
     "algorithm": "token_bucket", "algorithm_config": {"rps": 10, "burst": 20}},
    {"name": "global", "limit_keys": [],
     "algorithm": "token_bucket", "algorithm_config": {"tokens_per_second": 50000, "burst": 100000}}
  ]}]})";

TEST(Load, TheExampleOfTheContractMeansWhatItSays) {
  const RuleSet rules = loaded(kExample);
  ASSERT_EQ(rules.policies.size(), 1u);
  const Policy& policy = rules.policies[0];
  EXPECT_EQ(policy.id, "public-api");
  EXPECT_EQ(policy.selector.path_prefix, "/v1");
  EXPECT_EQ(policy.selector.path, std::nullopt);
  EXPECT_THAT(policy.selector.methods, ElementsAre("GET", "POST"));
  ASSERT_EQ(policy.selector.hosts.size(), 1u);
  EXPECT_EQ(policy.selector.hosts[0].name, "api.example.com");
  ASSERT_EQ(policy.rules.size(), 3u);
  const Rule& first = policy.rules[0];
  EXPECT_EQ(first.name, "enterprise");
  EXPECT_EQ(first.mode, Mode::kEnforce);
  EXPECT_EQ(first.limit_keys[0].text(), "header:x-api-key");
  EXPECT_EQ(first.match[0].source.text(), "jwt:plan");
  EXPECT_THAT(first.match[0].values, ElementsAre("enterprise"));
  ASSERT_EQ(first.limits.size(), 1u);
  EXPECT_EQ(first.limits[0], *Limit::token_bucket(1000, 2000));
  EXPECT_TRUE(policy.rules[2].limit_keys.empty());
  EXPECT_EQ(policy.rules[2].limits[0], *Limit::token_bucket(50000, 100000));
}

TEST(Load, WhatIsLeftOutHasTheDefaultsOfTheContract) {
  const RuleSet rules = loaded(config(R"("rps": 1, "burst": 2)"));
  ASSERT_EQ(rules.policies.size(), 1u);
  EXPECT_EQ(rules.policies[0].id, "default");
  const Rule& rule = rules.policies[0].rules[0];
  EXPECT_EQ(rule.limits[0].algorithm(), Algorithm::kTokenBucket);
  EXPECT_EQ(rule.on_missing_key, OnMissingKey::kShare);
  EXPECT_EQ(rule.on_store_failure, OnStoreFailure::kAllow);
  EXPECT_EQ(rule.priority, 0);
  EXPECT_EQ(rule.cost.source, std::nullopt);
  EXPECT_EQ(rule.cost.fixed, kOneToken);
  EXPECT_EQ(rule.cost.fallback, kOneToken);
  EXPECT_EQ(rule.cost.most, std::nullopt);
  EXPECT_TRUE(rules.headers.ietf && rules.headers.legacy && !rules.headers.x);
  EXPECT_EQ(rules.forwarded_header, ForwardedHeader::kXForwardedFor);
  EXPECT_TRUE(rules.trusted_proxies.empty());
  EXPECT_FALSE(rules.trusts_unix);
  EXPECT_FALSE(rules.jwt.trust_upstream);
}

TEST(Load, YamlMeansTheSame) {
  const RuleSet rules = loaded(
      "description: all of it\n"
      "trusted_proxies: [10.0.0.0/8, unix, '::1']\n"
      "forwarded_header: forwarded\n"
      "headers: [x]\n"
      "trust_upstream_jwt: true\n"
      "rules:\n"
      "  - name: login\n"
      "    mode: shadow\n"
      "    priority: -3\n"
      "    limit_keys: [ip:address/24]\n"
      "    match: {method: post, path: /Login/../login}\n"
      "    algorithm: sliding_window_counter\n"
      "    algorithm_config: {limit: 5, window_seconds: 0.5}\n"
      "    on_missing_key: deny\n"
      "    on_store_failure: local\n",
      Format::kYaml);
  EXPECT_EQ(rules.trusted_proxies.size(), 2u);
  EXPECT_TRUE(rules.trusts_unix);
  EXPECT_EQ(rules.forwarded_header, ForwardedHeader::kForwarded);
  EXPECT_TRUE(rules.headers.x && !rules.headers.ietf && !rules.headers.legacy);
  EXPECT_TRUE(rules.jwt.trust_upstream);
  const Rule& rule = rules.policies[0].rules[0];
  EXPECT_EQ(rule.mode, Mode::kShadow);
  EXPECT_EQ(rule.priority, -3);
  EXPECT_EQ(rule.limit_keys[0].text(), "ip:address/24");
  EXPECT_THAT(rule.match[0].values, ElementsAre("POST"));
  EXPECT_THAT(rule.match[1].values, ElementsAre("/login"));
  EXPECT_EQ(rule.limits[0], *Limit::sliding_window_counter(Tokens::whole(5), Duration::millis(500)));
  EXPECT_EQ(rule.on_missing_key, OnMissingKey::kDeny);
  EXPECT_EQ(rule.on_store_failure, OnStoreFailure::kLocal);
}

TEST(Load, AShadowPolicyMakesAllItsRulesShadow) {
  const RuleSet rules = loaded(R"({"policies": [{"id": "p", "mode": "shadow", "rules": [
      {"name": "a", "mode": "enforce", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})");
  EXPECT_EQ(rules.policies[0].rules[0].mode, Mode::kShadow);
}

TEST(Load, AnEmptyListOfRulesIsNoRules) { EXPECT_TRUE(loaded(R"({"rules": []})").policies.empty()); }

TEST(Load, AFileHasPoliciesOrRulesButNotBothAndNotNone) {
  EXPECT_EQ(fault_of("{}"), ": policies is missing (a file has policies, or just rules)");
  EXPECT_EQ(fault_of("", Format::kYaml), ": the file is empty (a file has policies, or just rules)");
  EXPECT_EQ(fault_of("[]"), ": expected an object, but found a list");
  EXPECT_EQ(fault_of(R"({"policies": []})"), "policies: policies must not be empty (leave it out, or fill it)");
  const std::string rule = R"([{"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}])";
  EXPECT_EQ(fault_of(R"({"policies": [{"id": "p", "rules": )" + rule + R"(}], "rules": )" + rule + "}"),
            "rules: a file has policies or rules, but this has both (put these rules into a policy)");
}

TEST(Load, SyntaxFaultsStandAlone) {
  EXPECT_EQ(faults_of("{\"rules\": [}\n"), std::vector<std::string>{"1: : expected a value, but found '}'"});
}

TEST(Load, WhatCannotBeReadOnIsOneFaultWithItsPlace) {
  const auto at_line_2 = [](const std::string& text) { return faults_of("{\"heders\": 1,\n" + text); };
  EXPECT_THAT(at_line_2("\"rules\": [1,]}"), ElementsAre("2: : expected no ',' before ']'"));
  EXPECT_THAT(at_line_2("\"rules\": [],}"), ElementsAre("2: : expected no ',' before '}'"));
  EXPECT_THAT(at_line_2("\"rules\": [\"\xff\"]}"),
              ElementsAre("2: : the text must be UTF-8, but a byte here is no part of it"));
  EXPECT_THAT(at_line_2("\"rules\": " + std::string(65, '[') + std::string(65, ']') + "}"),
              ElementsAre("2: : lists and objects must be nested at most 64 deep"));
}

TEST(Load, AFieldThatIsThereTwiceHidesNoOtherFault) {
  EXPECT_THAT(faults_of("{\"rules\": [],\n \"rules\": [],\n \"heders\": []}"),
              ElementsAre("2: rules: 'rules' is given twice, the first time in line 1 (leave one of them out)",
                          "3: heders: 'heders' is no field of the file (did you mean 'headers'?)"));
}

TEST(Load, IdsAndNamesAreUniqueWhereTheyMustBe) {
  const std::string rule = R"({"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}})";
  const std::string policy = R"({"id": "p", "rules": [)" + rule + "]}";
  EXPECT_THAT(faults_of("{\"policies\": [" + policy + ",\n" + policy + "]}"),
              ElementsAre("2: policies[1]: the policy 'p' is there twice, the first time in line 1 (a policy's id is "
                          "unique)"));
  EXPECT_THAT(faults_of("{\"rules\": [" + rule + R"(,
      {"name": "a", "limit_keys": ["path"], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
              ElementsAre("2: rules[1]: the rule 'a' is there twice, the first time in line 1 (a rule's name is unique "
                          "within its policy)"));
}

TEST(Load, NamesAreMadeOfASmallAlphabet) {
  for (const char* name : {"a", "A.b_c-9", "user:{id}/x"}) {
    loaded(R"({"rules": [{"name": ")" + std::string(name) +
           R"(", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})");
  }
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a@b"), std::string("\u00e9"), std::string(65, 'a')}) {
    EXPECT_THAT(fault_of(R"({"rules": [{"name": ")" + name +
                         R"(", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
                HasSubstr("name must be 1 to 64 of A-Z a-z 0-9 . _ - : / { }, but is '"));
  }
  EXPECT_THAT(fault_of(R"({"policies": [{"id": "a:b", "rules": [)"
                       R"({"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})"),
              HasSubstr("id must be 1 to 64 of A-Z a-z 0-9 . _ -, but is 'a:b'"));
}

TEST(Load, FaultsComeInTheOrderOfTheFileWithTheirPlace) {
  const Loaded result = load_text(
      "{\"rules\": [\n {\"limit_keys\": [\"pth\"],\n  \"algorithm_config\": {\"rps\": 0}}],\n"
      " \"heders\": []}",
      "some/rules.json", Format::kJson);
  ASSERT_EQ(result.faults.size(), 5u);
  EXPECT_EQ(
      describe(result.faults[0]),
      "some/rules.json:2:2: rules[0]: name is missing\n  hint: name: Names the rule in answers, logs and metrics: "
      "1 to 64 of A-Z a-z 0-9 . _ - : / { }, unique within its policy.");
  EXPECT_EQ(describe(result.faults[1]),
            "some/rules.json:2:18: rules[0].limit_keys[0]: 'pth' is no source of a value; expected 'path'?");
  EXPECT_EQ(describe(result.faults[2]),
            "some/rules.json:3:23: rules[0].algorithm_config: burst is missing\n  hint: burst is how many requests may "
            "come at once; 5 x rps suits an interactive API");
  EXPECT_EQ(describe(result.faults[3]),
            "some/rules.json:3:31: rules[0].algorithm_config.rps: rps must be greater than 0, but is 0");
  EXPECT_EQ(describe(result.faults[4]),
            "some/rules.json:4:2: heders: 'heders' is no field of the file\n  hint: did you mean 'headers'?");
}

TEST(Load, AMillionFaultsAreCountedNotKept) {
  std::string text = "{\"rules\": [";
  for (int i = 0; i < 5'000; ++i) text += "1,";
  const auto faults = load_text(text + "1]}", "rules", Format::kJson).faults;
  ASSERT_EQ(faults.size(), 1'001u);
  EXPECT_EQ(describe(faults.back()), "rules: and 4001 more faults, which are not listed");
}

TEST(Load, TenThousandRulesAreLoadedInLittleTime) {
  std::string text = "{\"rules\": [";
  for (int i = 0; i < 10'000; ++i) {
    text += (i > 0 ? ",\n" : "") + std::string("{\"name\": \"rule-") + std::to_string(i) +
            "\", \"limit_keys\": [\"header:x-api-key\"], \"match\": {\"attr:plan\": \"pro\", \"attr:tenant\": \"t" +
            std::to_string(i) + "\"}, \"algorithm_config\": {\"rps\": " + std::to_string(i + 1) + ", \"burst\": 10}}";
  }
  text += "]}";
  for (const Format format : {Format::kJson, Format::kYaml}) {
    const CpuStopwatch stopwatch;
    const RuleSet rules = loaded(text, format);
    EXPECT_EQ(rules.policies[0].rules.size(), 10'000u);
    RecordProperty(format == Format::kJson ? "json_ms" : "yaml_ms", static_cast<int>(stopwatch.seconds() * 1000));
#ifdef NDEBUG
    EXPECT_LT(stopwatch.seconds(), format == Format::kJson ? 2.0 : 10.0);
#endif
  }
}

using LoadFile = InAFolder;

TEST_F(LoadFile, TakesTheFormatFromTheNameElseFromTheText) {
  const std::string json = config(R"("rps": 1, "burst": 2)");
  const std::string yaml = "rules: [{name: a, limit_keys: [], algorithm_config: {rps: 1, burst: 1}}]";
  for (const char* name : {"a.json", "a.yaml", "a.yml", "a.conf", "a"}) {
    EXPECT_TRUE(load_file(write(name, json)).rules) << name;
  }
  for (const char* name : {"b.yaml", "b.yml", "b.conf", "b"}) EXPECT_TRUE(load_file(write(name, yaml)).rules) << name;
  EXPECT_FALSE(load_file(write("b.json", yaml)).rules);
  EXPECT_TRUE(load_file(write("c", "\xef\xbb\xbf \n" + json)).rules);
}

TEST_F(LoadFile, SaysWhyAFileCannotBeRead) {
  const auto missing = load_file(path("none.json"));
  ASSERT_EQ(missing.faults.size(), 1u);
  EXPECT_EQ(describe(missing.faults[0]), path("none.json") + ": the file cannot be read: No such file or directory");
  EXPECT_THAT(describe(load_file("/dev/zero").faults[0]), HasSubstr("it is no regular file"));
}

TEST(Load, TellsWhatIsCheckedAndHasNoEffect) {
  constexpr const char* kText = R"({"policies": [
    {"id": "off", "is_active": false, "rules": [
      {"name": "a", "is_active": false, "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]},
    {"id": "p", "mode": "shadow", "kill_switches": [{"key": "path", "value": "/x"}], "rules": [
      {"name": "a", "is_active": false, "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}},
      {"name": "b", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})";
  const LeftOut left_out = load_text(kText, "rules.json", Format::kJson).left_out;
  EXPECT_THAT(left_out.policies, testing::ElementsAre("off"));
  EXPECT_THAT(left_out.rules, testing::ElementsAre("p/a"));
  EXPECT_EQ(left_out.kill_switches, 1u);
}

}  // namespace
}  // namespace sluice::rules
