#include "rule_scenario/rule_scenario.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sluice::scenario {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

RuleOperation operation_from(const std::string& text, const std::string& where) {
  if (text == "take") return RuleOperation::kTake;
  if (text == "peek") return RuleOperation::kPeek;
  if (text == "refund") return RuleOperation::kRefund;
  if (text == "reload") return RuleOperation::kReload;
  throw ScenarioError(where, "op must be take, peek, refund or reload, but is '" + text + "'");
}

RuleStep step_from(const json& object, const std::string& where) {
  Fields fields(object, where);
  RuleStep step;
  step.at = Instant() + fields.duration("at");
  step.operation = operation_from(fields.text_or("op", "take"), fields.where("op"));
  if (step.operation == RuleOperation::kReload) {
    step.rules = fields.required("rules");
    fields.refuse_the_rest();
    return step;
  }
  step.request = fields.required("request");
  if (fields.has("repeat")) step.repeat = fields.integer("repeat", 1, 100'000);
  if (fields.has("every")) step.every = fields.duration("every");
  if (fields.has("allowed")) step.allowed = fields.integer("allowed", 0, step.repeat);
  if (fields.has("expect")) step.expect = fields.required("expect");
  const bool expects = step.allowed || !step.expect.empty();
  if (!expects && step.operation != RuleOperation::kRefund) throw ScenarioError(where, "nothing is expected");
  fields.refuse_the_rest();
  return step;
}

std::string shown(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::vector<std::string> rule_scenario_files() {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(SLUICE_RULE_SCENARIOS_DIR, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

RuleScenario load_rule_scenario(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const json object = parse_strictly(text.str(), path);
  Fields fields(object, path);
  RuleScenario scenario{fields.text("name"), fields.text("why"), fields.required("rules"), {}};
  const json& steps = fields.required("steps");
  fields.refuse_the_rest();
  for (size_t i = 0; i < steps.size(); ++i) {
    scenario.steps.push_back(step_from(steps[i], path + ": steps[" + std::to_string(i) + "]"));
  }
  if (scenario.steps.empty()) throw ScenarioError(path, "there are no steps");
  return scenario;
}

std::string difference(const json& expected, const json& got, const std::string& where) {
  if (expected.is_object() && got.is_object()) {
    for (const auto& [name, value] : expected.items()) {
      const std::string inner = where.empty() ? name : where + "." + name;
      if (!got.contains(name)) return inner + ": expected " + shown(value) + ", got nothing";
      if (const std::string found = difference(value, got[name], inner); !found.empty()) return found;
    }
    return "";
  }
  if (expected.is_array() && got.is_array() && expected.size() == got.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string found = difference(expected[i], got[i], where + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
    return "";
  }
  return expected == got ? "" : where + ": expected " + shown(expected) + ", got " + shown(got);
}

}  // namespace sluice::scenario
