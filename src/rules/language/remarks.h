// What is allowed in a set of rules, and surely not meant: for people who have written it.
#pragma once

#include <string>
#include <vector>

#include "rules/model.h"

namespace sluice::rules {

// A sentence each; none for most sets.
std::vector<std::string> remarks_on(const RuleSet& rules);

}  // namespace sluice::rules
