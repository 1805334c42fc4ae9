// A home of the rule engine: anything that takes a rules file and answers requests in JSON, at given instants.
// To replay every rule scenario in a new home, implement this and add one row to rule_homes.cc.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "rule_scenario/rule_scenario.h"

namespace sluice::scenario {

class RuleHome {
 public:
  virtual ~RuleHome() = default;

  // Keeps buckets and what was consumed. Returns what is wrong with the rules; empty when nothing is.
  virtual std::string load(const std::string& rules_json) = 0;
  // The body of the answer.
  virtual std::string decide(const std::string& request_json, Instant now, RuleOperation operation) = 0;
};

struct RuleHomeEntry {
  const char* name;
  std::unique_ptr<RuleHome> (*make)();
};

std::span<const RuleHomeEntry> rule_homes();

}  // namespace sluice::scenario
