// What the scenario files must show together, whoever adds or removes one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scenario/discover.h"
#include "scenario/parser.h"

namespace sluice::scenario {
namespace {

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> scenarios;
  for (const std::string& file : scenario_files()) scenarios.push_back(load_scenario(file));
  return scenarios;
}

TEST(ScenarioCoverage, ThereAreAtLeastFortyScenarios) { EXPECT_GE(scenario_files().size(), 40u); }

TEST(ScenarioCoverage, EveryLawOfASingleHomeIsShown) {
  std::set<int> laws;
  for (const Scenario& scenario : all_scenarios()) laws.insert(scenario.laws.begin(), scenario.laws.end());
  EXPECT_THAT(laws, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(ScenarioCoverage, EveryAlgorithmGetsEveryOperation) {
  std::set<std::pair<std::string, Operation>> seen;
  for (const Scenario& scenario : all_scenarios()) {
    for (const Step& step : scenario.steps) {
      for (const Take& take : step.takes) seen.emplace(name_of(take.limit.algorithm()), step.operation);
      if (step.changed) seen.emplace(name_of(step.changed->limit.algorithm()), step.operation);
    }
  }
  for (const char* algorithm : {"token_bucket", "leaky_bucket", "leaky_queue", "fixed_window", "sliding_window_log",
                                "sliding_window_counter"}) {
    for (const Operation operation : {Operation::kTake, Operation::kPeek, Operation::kRefund, Operation::kChange}) {
      EXPECT_TRUE(seen.contains({algorithm, operation})) << algorithm << ", operation " << static_cast<int>(operation);
    }
  }
}

TEST(ScenarioCoverage, EveryFieldThatCanBeExpectedIsExpectedSomewhere) {
  std::set<std::string> fields;
  for (const Scenario& scenario : all_scenarios()) {
    for (const Step& step : scenario.steps) {
      for (const ExpectedTokens& tokens : step.expect.tokens) fields.insert(tokens.field);
      for (const ExpectedWait& wait : step.expect.waits) fields.insert(wait.field);
      if (step.expect.counts) fields.insert("counts");
      if (step.expect.bucket) fields.insert("bucket");
      if (step.expect.reason == Verdict::kLimited) fields.insert("limited");
      if (step.expect.reason == Verdict::kCostExceedsCapacity) fields.insert("cost_exceeds_capacity");
    }
  }
  EXPECT_THAT(fields, testing::ElementsAre("bucket", "cost_exceeds_capacity", "counts", "delay_ms", "delay_us",
                                           "limited", "remaining", "remaining_micros", "reset_after_ms",
                                           "reset_after_us", "retry_after_ms", "retry_after_us"));
}

TEST(ScenarioCoverage, SomeClockJumpsBack) {
  int jumps = 0;
  for (const Scenario& scenario : all_scenarios()) {
    for (size_t i = 1; i < scenario.steps.size(); ++i) jumps += scenario.steps[i].at < scenario.steps[i - 1].at ? 1 : 0;
  }
  EXPECT_GE(jumps, 5);
}

}  // namespace
}  // namespace sluice::scenario
