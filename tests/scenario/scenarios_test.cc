// Every scenario file in every home, found when the program starts.
#include <gtest/gtest.h>

#include "scenario/discover.h"
#include "scenario/homes.h"
#include "scenario/parser.h"
#include "scenario/replay.h"

namespace sluice::scenario {
namespace {

struct Case {
  std::string file;
  HomeEntry home;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& file : scenario_files()) {
    for (const HomeEntry& home : homes()) cases.push_back({file, home});
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return stem_of(info.param.file) + "_in_" + info.param.home.name;
}

void PrintTo(const Case& one, std::ostream* out) { *out << stem_of(one.file) << " in " << one.home.name; }

class Scenarios : public testing::TestWithParam<Case> {};

TEST_P(Scenarios, AreDecidedAsExpected) {
  Scenario scenario;
  try {
    scenario = load_scenario(GetParam().file);
  } catch (const ScenarioError& error) {
    FAIL() << error.what();
  }
  EXPECT_EQ(scenario.name, stem_of(GetParam().file)) << "a scenario is named as its file";
  const auto home = GetParam().home.make();
  for (const Mismatch& mismatch : replay(scenario, *home)) {
    ADD_FAILURE() << describe(mismatch, GetParam().file, GetParam().home.name);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Scenarios, testing::ValuesIn(all_cases()), name_of_case);

}  // namespace
}  // namespace sluice::scenario
