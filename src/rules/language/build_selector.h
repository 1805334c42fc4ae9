// From the tree of a selector to a Selector.
#pragma once

#include "documents/document.h"
#include "rules/language/faults.h"
#include "rules/model.h"

namespace sluice::rules::language {

// REQUIRES: `node` is an object.
Selector build_selector(const documents::Node& node, const Path& path, Faults& faults);

// Nothing, or why no request that the selector lets through can fit the condition.
std::optional<Problem> contradiction(const Selector& selector, const Condition& condition);

}  // namespace sluice::rules::language
