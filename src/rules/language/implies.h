// Whether one condition can hold only where another does: the arithmetic behind "this rule can never apply".
#pragma once

#include "rules/model.h"

namespace sluice::rules::language {

// Whether every value that fits `narrow` also fits `wide`. False where that is not plain to see.
// REQUIRES: both are on the same source.
bool implies(const Condition& narrow, const Condition& wide);

}  // namespace sluice::rules::language
