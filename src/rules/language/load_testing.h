// For the tests of the language: texts to rules, or to their faults as lines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "rules/language/load.h"

namespace sluice::rules {

inline RuleSet loaded(std::string_view text, Format format = Format::kJson) {
  const Loaded result = load_text(text, "rules", format);
  for (const Fault& fault : result.faults) ADD_FAILURE() << describe(fault);
  return result.rules == nullptr ? RuleSet() : *result.rules;
}

// "line: field: message (hint)".
inline std::vector<std::string> faults_of(std::string_view text, Format format = Format::kJson) {
  const Loaded result = load_text(text, "rules", format);
  EXPECT_EQ(result.rules == nullptr, !result.faults.empty());
  std::vector<std::string> lines;
  for (const Fault& fault : result.faults) {
    lines.push_back(std::to_string(fault.line) + ": " + fault.field + ": " + fault.message +
                    (fault.hint.empty() ? "" : " (" + fault.hint + ")"));
  }
  return lines;
}

// The one fault of a text, without its line.
inline std::string fault_of(std::string_view text, Format format = Format::kJson) {
  const auto lines = faults_of(text, format);
  if (lines.empty()) return "none";
  std::string all;
  for (const auto& line : lines) all += (all.empty() ? "" : "\n") + line.substr(line.find(": ") + 2);
  return all;
}

// A file with one rule, whose fields beside name and limit_keys are `rest`.
inline std::string rule_with(const std::string& rest) {
  return R"({"rules": [{"name": "r", "limit_keys": ["path"], )" + rest + "}]}";
}
// The same with a limit.
inline std::string limited_rule_with(const std::string& rest) {
  return rule_with(R"("algorithm_config": {"rps": 1, "burst": 1}, )" + rest);
}
// A file with one rule, whose algorithm_config is `config`.
inline std::string config(const std::string& fields) { return rule_with("\"algorithm_config\": {" + fields + "}"); }

inline std::string match(const std::string& conditions) { return limited_rule_with("\"match\": {" + conditions + "}"); }

}  // namespace sluice::rules
