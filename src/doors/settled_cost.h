// What work really cost, as it is settled: work that came to nothing costs nothing.
#pragma once

#include <optional>

#include "sluice/limit.h"

namespace sluice::doors {

// Nothing where it is no amount that could be settled.
inline std::optional<Tokens> settled_cost(double number) {
  if (number == 0) return Tokens();
  const auto cost = cost_of(number);
  return cost ? std::optional(*cost) : std::nullopt;
}

}  // namespace sluice::doors
