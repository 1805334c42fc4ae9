// Finds rules that can never apply, because an earlier tier of the same limit takes every request they are for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rules/model.h"

namespace sluice::rules::language {

// Rule `hidden` never applies since `by` comes first and holds wherever it does. Both are indexes.
struct Hidden {
  size_t hidden = 0;
  size_t by = 0;
};

// Looks only at rules with the same limit_keys: others do not stand in one another's way, nor does a shadow rule in
// that of an enforced one. The work is bounded: beyond millions of comparisons, which takes thousands of tiers of a
// kind, it gives up in silence.
std::vector<Hidden> find_hidden(std::span<const Rule* const> rules);

}  // namespace sluice::rules::language
