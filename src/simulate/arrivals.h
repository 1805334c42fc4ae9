// The language of --arrivals: what a person writes to describe traffic.
//
//   60/s for 2s, idle 5s, 100 at once, 1 every 250ms for 3s costing 0.5
//
// Phases follow one another. Numbers may have decimals, durations end in ns, us, ms, s, m, min, h or d, and white space
// is free. Work is bounded: neither the requests nor the time described may exceed what can be simulated.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "simulate/schedule.h"

namespace sluice::simulate {

inline constexpr int64_t kMostArrivals = 10'000'000;
inline constexpr Duration kLongestSchedule = Duration::seconds(36'600LL * 86'400);

// Where the text went wrong (counted in characters from 1), and what was expected there instead.
struct SyntaxError {
  size_t character = 0;
  std::string message;
};

// Requests of phases that do not say what they cost, cost `cost`.
std::variant<Schedule, SyntaxError> parse_arrivals(std::string_view text, Tokens cost);

// A duration on its own, such as "1.5s".
std::variant<Duration, SyntaxError> parse_duration(std::string_view text);

}  // namespace sluice::simulate
