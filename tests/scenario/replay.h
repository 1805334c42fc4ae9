// Replays a scenario in a home and says where the home answered something else than the scenario expects.
#pragma once

#include <string>
#include <vector>

#include "scenario/home.h"
#include "scenario/scenario.h"

namespace sluice::scenario {

struct Mismatch {
  size_t step = 0;  // counted from 1, as people do
  std::string field;
  std::string expected;
  std::string got;
};

// Ends at the first step with a mismatch, and returns all of that step: what comes after is only its consequence.
std::vector<Mismatch> replay(const Scenario& scenario, Home& home);

// "scenarios/burst.json: step 3 in Algorithms: remaining: expected 4, got 3"
std::string describe(const Mismatch& mismatch, const std::string& file, const std::string& home);

}  // namespace sluice::scenario
