// What a request costs under a rule. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "rules/model.h"

namespace sluice::rules {

// A finite decimal number above 0, with blanks around it or an exponent; rounded up to a millionth, cut to 1e12.
// Nothing for all else: signs, hexadecimal, separators, `inf`, `nan`, what no double can hold.
std::optional<Tokens> parse_cost(std::string_view text);

// REQUIRES: cost.source. `said` is what its value was parsed to.
inline Tokens cost_from_source(const Cost& cost, std::optional<Tokens> said) {
  if (!said) return cost.fallback;
  return cost.most && *cost.most < *said ? *cost.most : *said;
}

}  // namespace sluice::rules
