// Finds the scenario files of this source tree.
#pragma once

#include <string>
#include <vector>

namespace sluice::scenario {

// Paths of all scenarios/*.json but the schema, sorted. Empty when the folder cannot be read.
std::vector<std::string> scenario_files();

// "burst" for "scenarios/burst.json".
std::string stem_of(const std::string& path);

}  // namespace sluice::scenario
