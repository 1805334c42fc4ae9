// Whether several tiers together hold wherever a later one does: what that one is for is cut into cells, so small that
// no tier holds in a part of one only, and each cell must have its tier.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "rules/model.h"

namespace sluice::rules::language {

// Requests for which all of these hold, at most one on each source. Unlike those of a rule, one may have several lists.
using Region = std::vector<Condition>;

// Where a rule can hold, as far as its match and the selector of its policy tell. Rather too large than too small.
Region region_of(const Rule& rule, const Selector& selector);

// In the order of their first addresses.
struct ByAddress {
  bool operator()(const Network& a, const Network& b) const;
};
using Networks = std::set<Network, ByAddress>;

// A tier that holds everywhere in a region, or nothing.
using FindTier = std::function<std::optional<size_t>(const Region&)>;

constexpr size_t kMostCells = 4'096;

// The tiers that hold in the cells of the region, each once; empty if there is a cell without one, or more cells than
// kMostCells or `cells` allows, from which those that were looked at are taken. `networks` are those that the tiers
// name.
std::vector<size_t> cover(const Region& region, const Networks& networks, const FindTier& find, size_t& cells);

}  // namespace sluice::rules::language
