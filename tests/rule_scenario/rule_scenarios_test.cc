// Every rule scenario in every home that knows rules.
#include <gtest/gtest.h>

#include "rule_scenario/rule_home.h"
#include "rule_scenario/rule_scenario.h"
#include "scenario/discover.h"

namespace sluice::scenario {
namespace {

using nlohmann::json;

struct Case {
  std::string file;
  RuleHomeEntry home;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& file : rule_scenario_files()) {
    for (const RuleHomeEntry& home : rule_homes()) cases.push_back({file, home});
  }
  return cases;
}

void PrintTo(const Case& one, std::ostream* out) { *out << stem_of(one.file) << " in " << one.home.name; }

void replay(const RuleStep& step, RuleHome& home) {
  if (step.operation == RuleOperation::kReload) {
    EXPECT_EQ(home.load(step.rules.dump()), "");
    return;
  }
  const std::string request = step.request.dump();
  int64_t allowed = 0;
  json last;
  for (int64_t i = 0; i < step.repeat; ++i) {
    last = json::parse(home.decide(request, step.at + Duration(i * step.every.ns), step.operation));
    if (last.value("allowed", false)) ++allowed;
  }
  if (step.allowed) {
    EXPECT_EQ(allowed, *step.allowed) << last;
  }
  EXPECT_EQ(step.expect.is_null() ? "" : difference(step.expect, last, ""), "") << last;
}

class RuleScenarios : public testing::TestWithParam<Case> {};

TEST_P(RuleScenarios, AreAnsweredAsExpected) {
  RuleScenario scenario;
  try {
    scenario = load_rule_scenario(GetParam().file);
  } catch (const ScenarioError& error) {
    FAIL() << error.what();
  }
  EXPECT_EQ(scenario.name, stem_of(GetParam().file)) << "a scenario is named as its file";
  const auto home = GetParam().home.make();
  ASSERT_EQ(home->load(scenario.rules.dump()), "");
  for (size_t i = 0; i < scenario.steps.size(); ++i) {
    SCOPED_TRACE("steps[" + std::to_string(i) + "]");
    replay(scenario.steps[i], *home);
  }
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return stem_of(info.param.file) + "_in_" + info.param.home.name;
}

INSTANTIATE_TEST_SUITE_P(Files, RuleScenarios, testing::ValuesIn(all_cases()), name_of_case);

TEST(RuleScenarioDifference, FindsWhatIsLackingAndNothingElse) {
  const json got = json::parse(R"({"a": 1, "b": {"c": [1, {"d": 2, "e": 3}]}, "n": null})");
  EXPECT_EQ(difference(json::parse(R"({"a": 1, "b": {"c": [1, {"e": 3}]}, "n": null})"), got, ""), "");
  EXPECT_EQ(difference(json::parse(R"({"a": 2})"), got, ""), "a: expected 2, got 1");
  EXPECT_EQ(difference(json::parse(R"({"b": {"c": [1]}})"), got, ""), R"(b.c: expected [1], got [1,{"d":2,"e":3}])");
  EXPECT_EQ(difference(json::parse(R"({"b": {"c": [1, {"d": 3}]}})"), got, ""), "b.c[1].d: expected 3, got 2");
  EXPECT_EQ(difference(json::parse(R"({"x": 1})"), got, ""), "x: expected 1, got nothing");
}

}  // namespace
}  // namespace sluice::scenario
