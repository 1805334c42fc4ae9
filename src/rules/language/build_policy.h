// From the trees of policies to Policies, with what their rules mean together.
#pragma once

#include <span>
#include <vector>

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

inline constexpr const char* kDefaultPolicy = "default";

// All policies of a set that are active; all are checked. Rules that stand in no policy are for every request: they
// make up the policy `default`, which goes first.
std::vector<Policy> build_policies(std::span<const Written> rules, std::span<const Written> policies, Faults& faults);

std::vector<KillSwitch> build_kill_switches(const documents::Node& list, const Path& path, Faults& faults);

}  // namespace sluice::rules::language
