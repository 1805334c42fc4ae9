// Scenario files to typed scenarios. Strict: what the format does not know is an error, and so is an expectation that
// could not fail or contradicts itself.
#pragma once

#include <string>

#include "scenario/fields.h"
#include "scenario/scenario.h"

namespace sluice::scenario {

// `file` is how error messages call it. Throws ScenarioError.
Scenario parse_scenario(const std::string& text, const std::string& file);

// Reads and parses a file. Throws ScenarioError, also when it cannot be read.
Scenario load_scenario(const std::string& path);

}  // namespace sluice::scenario
