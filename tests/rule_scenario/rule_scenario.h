// A story of rules: a rules file, timed requests, and what must be answered. docs/scenarios.md describes the format.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenario/fields.h"
#include "sluice/units.h"

namespace sluice::scenario {

enum class RuleOperation : uint8_t { kTake, kPeek, kRefund, kReload };

struct RuleStep {
  Instant at;
  RuleOperation operation = RuleOperation::kTake;
  nlohmann::json request;  // as /v1/check takes it
  nlohmann::json rules;    // for a reload
  int64_t repeat = 1;
  Duration every;
  std::optional<int64_t> allowed;  // how many of the repeated requests
  nlohmann::json expect;           // what the last answer must contain, at least
};

struct RuleScenario {
  std::string name;
  std::string why;
  nlohmann::json rules;
  std::vector<RuleStep> steps;
};

// Paths of all scenarios/rules/*.json, sorted.
std::vector<std::string> rule_scenario_files();
// Throws ScenarioError.
RuleScenario load_rule_scenario(const std::string& path);

// Where `got` lacks something of `expected`: "buckets[0].remaining: expected 4, got 3". Of an object the fields that
// are expected must be there, of a list all items. Empty when nothing is lacking.
std::string difference(const nlohmann::json& expected, const nlohmann::json& got, const std::string& where);

}  // namespace sluice::scenario
