#include "rules/cost.h"

#include <charconv>

#include "rules/letter_case.h"

namespace sluice::rules {

std::optional<Tokens> parse_cost(std::string_view text) {
  constexpr double kMost = 1e12;
  text = trimmed(text);
  // What begins otherwise is a sign, `inf` or `nan`, which from_chars takes.
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
  double tokens = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto cost = cost_of(tokens < kMost ? tokens : kMost);
  if (!cost.ok()) return std::nullopt;
  return *cost;
}

}  // namespace sluice::rules
