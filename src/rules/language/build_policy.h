// From the trees of policies to Policies, with what their rules mean together.
#pragma once

#include <span>
#include <vector>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

inline constexpr const char* kDefaultPolicy = "default";

// Those that are active; all are checked.
std::vector<Policy> build_policies(std::span<const Written> policies, Faults& faults);
// Just rules, for every request: the policy `default`.
Policy build_default_policy(std::span<const Written> rules, Faults& faults);

std::vector<KillSwitch> build_kill_switches(const documents::Node& list, const Path& path, Faults& faults);

}  // namespace sluice::rules::language
