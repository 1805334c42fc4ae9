// The "expect" of a step.
#pragma once

#include "scenario/fields.h"
#include "scenario/scenario.h"

namespace sluice::scenario {

// `step` has everything but its expectation. Throws ScenarioError, also for what could not fail or contradicts itself.
Expectation parse_expectation(Fields& fields, const Step& step);

}  // namespace sluice::scenario
