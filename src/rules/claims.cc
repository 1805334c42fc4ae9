#include "rules/claims.h"

#include <algorithm>

namespace sluice::rules {

std::optional<std::string_view> Claims::find(std::string_view name) const {
  const auto claim = std::lower_bound(values.begin(), values.end(), name,
                                      [](const auto& value, std::string_view wanted) { return value.first < wanted; });
  if (claim == values.end() || claim->first != name) return std::nullopt;
  return claim->second;
}

}  // namespace sluice::rules
