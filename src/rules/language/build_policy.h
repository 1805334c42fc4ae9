// From the tree of a policy to a Policy, with what its rules mean together.
#pragma once

#include <span>
#include <vector>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// REQUIRES: `node` is an object.
Policy build_policy(const documents::Node& node, const Path& path, Faults& faults);
// Just rules, for every request: the policy `default`.
Policy build_default_policy(const documents::Node& rules, const Path& path, Faults& faults);

std::vector<KillSwitch> build_kill_switches(const documents::Node& list, const Path& path, Faults& faults);

}  // namespace sluice::rules::language
