// Finds rules that can never apply, because earlier tiers of the same limit take every request they are for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rules/model.h"

namespace sluice::rules::language {

// Rule `hidden` never applies since those of `by` come first, and wherever it holds one of them does. All are indexes;
// there is one in `by` if one is enough.
struct Hidden {
  size_t hidden = 0;
  std::vector<size_t> by;
};

// Of the rules of one policy. Looks only at those with the same limit_keys: others do not stand in one another's way,
// nor does a shadow rule in that of an enforced one. The work is bounded: beyond millions of comparisons, which takes
// thousands of tiers of a kind, or where values make up too many combinations, it gives up in silence.
std::vector<Hidden> find_hidden(std::span<const Rule* const> rules, const Selector& selector = {});

}  // namespace sluice::rules::language
