#include "rules/table/load_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/json_reader.h"
#include "rules/rules_testing.h"
#include "rules/table/table_testing.h"
#include "stopwatch/cpu_stopwatch.h"

namespace sluice::rules {
namespace {

using ::testing::AllOf;
using testing::defined_row;
using ::testing::ElementsAre;
using testing::faults_of;
using ::testing::HasSubstr;
using testing::inactive;
using ::testing::IsEmpty;
using testing::kTable;
using testing::rules_of;
using ::testing::SizeIs;
using testing::snapshot_of;
using testing::table_row;
using testing::TestMatcher;
using testing::TestRequest;

constexpr const char* kLimit = R"("algorithm_config": {"rps": 1, "burst": 1})";

std::string ruled(const std::string& rest) { return "{" + rest + ", " + kLimit + "}"; }

std::vector<std::string> names_of(const RuleSet& rules) {
  std::vector<std::string> names;
  for (const Policy& policy : rules.policies) {
    for (const Rule& rule : policy.rules) names.push_back(policy.id + "/" + rule.name);
  }
  return names;
}

TEST(LoadSnapshot, AnEmptyTableIsNoRulesAndNoFault) {
  const Loaded loaded = load_snapshot({}, kTable);
  ASSERT_NE(loaded.rules, nullptr);
  EXPECT_THAT(loaded.rules->policies, IsEmpty());
}

TEST(LoadSnapshot, RowsOfEveryFormAreRulesAndKnowTheirRow) {
  const RuleSet rules = rules_of(snapshot_of({
      defined_row("policy:api", R"({"selector": {"pathPrefix": "/v1/"}, "rules": [
          {"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}},
          {"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 2}]})"),
      table_row("user:{user_id}", 10, 50),
      defined_row("rule:login", ruled(R"("limit_keys": ["ip:address"], "match": {"path": "/login"})")),
      table_row("user:{user_id}", 100, 500, "pro"),
  }));
  EXPECT_THAT(names_of(rules), ElementsAre("default/user:{user_id}", "default/login", "default/user:{user_id}@pro",
                                           "api/a", "api/user:{user_id}"));
  EXPECT_EQ(rules.policies[0].rules[0].row_id, 2);
  EXPECT_EQ(rules.policies[0].rules[0].limits[0], *Limit::token_bucket(10, 50));
  EXPECT_EQ(rules.policies[0].rules[1].row_id, 3);
  EXPECT_EQ(rules.policies[0].rules[2].row_id, 4);
  EXPECT_EQ(rules.policies[1].rules[0].row_id, 1);
  EXPECT_EQ(rules.policies[1].rules[1].row_id, 1);
  EXPECT_EQ(rules.policies[1].selector.path_prefix, "/v1");
}

TEST(LoadSnapshot, APlansOwnRowReplacesTheOneForAllWhicheverCameFirst) {
  for (const bool is_plan_first : {true, false}) {
    std::vector<Row> rows = {table_row("user:{user_id}", 1, 2), table_row("user:{user_id}", 10, 20, "pro")};
    if (is_plan_first) std::swap(rows[0], rows[1]);
    TestMatcher matcher(rules_of(snapshot_of(std::move(rows))));
    TestRequest pro, free, none;
    pro.attribute("user_id", "1").attribute("plan", "pro");
    free.attribute("user_id", "1").attribute("plan", "free");
    none.attribute("user_id", "1");
    EXPECT_THAT(matcher.keys(pro), ElementsAre("default|user:{user_id}@pro|1"));
    EXPECT_THAT(matcher.keys(free), ElementsAre("default|user:{user_id}|1"));
    EXPECT_THAT(matcher.keys(none), ElementsAre("default|user:{user_id}|1"));
  }
}

TEST(LoadSnapshot, UserEndpointGlobalAndAddressApplyTogether) {
  TestMatcher matcher(rules_of(snapshot_of({table_row("global", 1, 2), table_row("user:{user_id}", 1, 2),
                                            table_row("endpoint:/api/search", 1, 2), table_row("ip:{ip}", 1, 2),
                                            table_row("endpoint:/api/search", 1, 2, "pro")})));
  TestRequest request;
  request.path("/api/search").ip("10.0.0.1").attribute("user_id", "1");
  EXPECT_THAT(matcher.keys(request),
              ::testing::UnorderedElementsAre("default|global", "default|user:{user_id}|1",
                                              "default|endpoint:/api/search|/api/search", "default|ip:{ip}|10.0.0.1"));
  request.attribute("plan", "pro");
  EXPECT_THAT(matcher.keys(request), ::testing::Contains("default|endpoint:/api/search@pro|/api/search"));
  EXPECT_THAT(matcher.keys(request), SizeIs(4));
}

TEST(LoadSnapshot, TwoPatternsWithTheSameKeysAreTiersAndTheSecondIsSaidNeverToApply) {
  EXPECT_THAT(
      faults_of(snapshot_of({table_row("user:{user_id}", 1, 2), table_row("u:{user_id}", 1, 2)})),
      ElementsAre("sqlite:sluice.db: rule 2 (u:{user_id}): the rule 'u:{user_id}' can never apply: the rule "
                  "'user:{user_id}' in row 1 has the same limit_keys, is asked first, and holds whenever it does"
                  "\n  hint: rules with the same limit_keys are tiers of one limit, asked by priority and then "
                  "by row: give this one a plan or a match of its own, or switch one of the two off"));
  rules_of(snapshot_of({table_row("user:{user_id}", 1, 2), inactive(table_row("u:{user_id}", 1, 2))}));
}

TEST(LoadSnapshot, InactiveRowsAreCheckedAndLeftOut) {
  const std::string rule = ruled(R"("limit_keys": [])");
  const std::string policy = R"({"rules": [{"name": "r", "limit_keys": [], )" + std::string(kLimit) + "}]}";
  EXPECT_THAT(
      names_of(rules_of(snapshot_of({inactive(table_row("global", 1, 2)), inactive(defined_row("rule:r", rule)),
                                     inactive(defined_row("policy:p", policy)), defined_row("policy:q", policy)}))),
      ElementsAre("q/r"));
  EXPECT_THAT(faults_of(snapshot_of({inactive(table_row("global", 0, 2)), inactive(defined_row("rule:r", "{}")),
                                     inactive(defined_row("policy:p", "{}"))})),
              ElementsAre(HasSubstr("rule 1 (global): rate_per_second: "), HasSubstr("limit_keys is missing"),
                          HasSubstr("algorithm_config is missing"), HasSubstr("rules is missing")));
}

TEST(LoadSnapshot, FaultsNameTheRowAndTheLineOfItsDefinition) {
  const Row row = table_row("user:{user_id}", 0, 2, "free");
  const Loaded loaded = load_snapshot(snapshot_of({row}), kTable);
  ASSERT_THAT(loaded.faults, SizeIs(1));
  EXPECT_EQ(loaded.faults[0].file, "sqlite:sluice.db");
  EXPECT_EQ(loaded.faults[0].field, "rule 1 (user:{user_id}@free): rate_per_second");
  EXPECT_EQ(loaded.faults[0].message, "rate_per_second must be greater than 0, but is 0");
  EXPECT_EQ(loaded.faults[0].line, 0);
  EXPECT_EQ(loaded.faults[0].row_id, 1);
  EXPECT_THAT(faults_of(snapshot_of({defined_row("policy:p",
                                                 "{\"rules\": [{\"name\": \"r\", \"limit_keys\": [],\n"
                                                 "  \"algorithm_config\": {\"rps\": 0, \"burst\": 1}}]}")})),
              ElementsAre(HasSubstr("sqlite:sluice.db:2:31: rule 1 (policy:p): rules[0].algorithm_config.rps: ")));
}

TEST(LoadSnapshot, FaultsComeByRow) {
  EXPECT_THAT(faults_of(snapshot_of({defined_row("rule:a", "{\n\n}"), table_row("global", 0, 1)})),
              ElementsAre(HasSubstr("rule 1 (rule:a): limit_keys is missing"), HasSubstr("algorithm_config is missing"),
                          HasSubstr("rule 2 (global)")));
}

TEST(LoadSnapshot, ADefinitionSaysOnlyWhatHasNoColumn) {
  const std::string rest = R"("limit_keys": [])";
  EXPECT_THAT(faults_of(snapshot_of({defined_row("rule:a", ruled(R"("name": "a", )" + rest))})),
              ElementsAre(AllOf(HasSubstr(":1:2: rule 1 (rule:a): name: name does not belong into a definition"),
                                HasSubstr("key_pattern says it"))));
  EXPECT_THAT(faults_of(snapshot_of({defined_row("rule:a", ruled(R"("description": "a", )" + rest))})),
              ElementsAre(HasSubstr("description does not belong into a definition")));
  EXPECT_THAT(faults_of(snapshot_of({defined_row("rule:a", ruled(R"("is_active": true, )" + rest))})),
              ElementsAre(HasSubstr("is_active does not belong into a definition")));
  EXPECT_THAT(faults_of(snapshot_of({defined_row("global", "{}")})),
              ElementsAre(HasSubstr("a row in the table form has no definition"),
                          HasSubstr("rate_per_second is missing"), HasSubstr("burst_capacity is missing")));
  Row row = defined_row("rule:a", ruled(rest));
  row.rate_per_second = 1;
  row.plan = "free";
  EXPECT_THAT(faults_of(snapshot_of({row})),
              ElementsAre(HasSubstr("rate_per_second is for rows in the table form, but this is a rule"),
                          HasSubstr("plan is for rows in the table form")));
}

TEST(LoadSnapshot, ADefinitionThatIsNoObjectIsRefused) {
  Row none;
  none.key_pattern = "rule:none";
  EXPECT_THAT(faults_of(snapshot_of({none, defined_row("rule:list", "[]"), defined_row("policy:torn", "{\n\"a\"")})),
              ElementsAre(HasSubstr("rule 1 (rule:none): definition: definition is missing"),
                          HasSubstr("rule 2 (rule:list): definition: definition must be an object, but is a list"),
                          HasSubstr("sqlite:sluice.db:2:4: rule 3 (policy:torn): definition: expected ")));
}

TEST(LoadSnapshot, ANameOfTwoRowsIsToldWithBoth) {
  const Row rule = defined_row("rule:user:{user_id}", ruled(R"("limit_keys": ["path"])"));
  EXPECT_THAT(faults_of(snapshot_of({table_row("user:{user_id}", 1, 1), rule})),
              ElementsAre(HasSubstr("the rule 'user:{user_id}' is there twice, the first time in row 1")));
}

TEST(LoadSnapshot, ThePolicyDefaultIsNotThereTwice) {
  const Row policy =
      defined_row("policy:default", R"({"rules": [{"name": "r", "limit_keys": [], )" + std::string(kLimit) + "}]}");
  EXPECT_THAT(names_of(rules_of(snapshot_of({policy}))), ElementsAre("default/r"));
  EXPECT_THAT(faults_of(snapshot_of({policy, table_row("global", 1, 1)})),
              ElementsAre(HasSubstr("rule 1 (policy:default): the policy 'default' is made up of the rules that stand "
                                    "in no policy, such as the one in row 2, but is also given here")));
}

TEST(LoadSnapshot, TheTopLevelIsThatOfAFile) {
  const RuleSet rules = rules_of(snapshot_of(
      {}, {{"headers", R"(["x"])"}, {"trusted_proxies", R"(["10.0.0.0/8"])"}, {"forwarded_header", R"("forwarded")"}}));
  EXPECT_TRUE(rules.headers.x && !rules.headers.ietf);
  EXPECT_THAT(rules.trusted_proxies, SizeIs(1));
  EXPECT_EQ(rules.forwarded_header, ForwardedHeader::kForwarded);
  EXPECT_THAT(faults_of(snapshot_of({}, {{"headers", "[\"y\"]"}, {"heders", "[]"}, {"jwt", "{"}, {"rules", "[]"}})),
              ::testing::UnorderedElementsAre(HasSubstr("sqlite:sluice.db:1:2: top level: headers[0]: "),
                                              HasSubstr("did you mean 'headers'?"), HasSubstr("top level: jwt: "),
                                              HasSubstr("rules have rows of their own")));
}

TEST(LoadSnapshot, ADraftIsToldByItsOwnLines) {
  const auto parsed =
      documents::read_json("{\"key_pattern\": \"global\",\n \"rate_per_second\": -1,\n \"burst_capacity\": 1}");
  const Draft draft{1, &std::get<documents::Node>(parsed)};
  const Loaded loaded =
      load_snapshot(snapshot_of({table_row("user:{user_id}", 1, 1), table_row("global", -1, 1)}), kTable, draft);
  ASSERT_THAT(loaded.faults, SizeIs(1));
  EXPECT_EQ(loaded.faults[0].field, "rate_per_second");
  EXPECT_EQ(loaded.faults[0].line, 2);
  EXPECT_EQ(loaded.faults[0].column, 21);
}

TEST(LoadSnapshot, TenThousandRowsTakeLittleTime) {
  std::vector<Row> rows;
  for (int i = 0; i < 5'000; ++i) rows.push_back(table_row("user:{user_id}", 1, 2, "plan-" + std::to_string(i)));
  for (int i = 0; i < 3'000; ++i) rows.push_back(table_row("endpoint:/api/" + std::to_string(i), 1, 2));
  for (int i = 0; i < 2'000; ++i) {
    rows.push_back(
        defined_row("rule:r" + std::to_string(i),
                    ruled(R"("limit_keys": ["ip:address"], "match": {"path": "/p)" + std::to_string(i) + R"("})")));
  }
  const Snapshot snapshot = snapshot_of(std::move(rows));
  const CpuStopwatch stopwatch;
  const Loaded loaded = load_snapshot(snapshot, kTable);
  EXPECT_LT(stopwatch.seconds(), 0.7);
  RecordProperty("seconds", std::to_string(stopwatch.seconds()));
  ASSERT_NE(loaded.rules, nullptr);
  EXPECT_THAT(loaded.rules->policies[0].rules, SizeIs(10'000));
}

}  // namespace
}  // namespace sluice::rules
