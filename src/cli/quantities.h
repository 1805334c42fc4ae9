// Quantities as text: exact for programs, short for people. Never in the locale's manner.
#pragma once

#include <string>

#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice::cli {

// All digits there are and none that are not: 16.666667.
std::string exact_millis(Duration duration);
std::string exact_tokens(Tokens tokens);

enum class Rounding { kDown, kUp };

// Four digits and a unit: 983.3ms, 1.5s, 2h.
std::string short_duration(Duration duration, Rounding rounding);
// As many digits as fit an axis label: 50, 0.5, 2e+09.
std::string short_tokens(Tokens tokens);
// 10/s; below one a second in the unit that suits it, so that a third of a token per second is 20/min.
std::string short_rate(Rate rate);

// `numerator / denominator` with up to `decimals` decimals, rounded, and no trailing zeros. REQUIRES: not negative.
struct Ratio {
  int64_t numerator;
  int64_t denominator;
};
std::string decimal(Ratio ratio, int decimals, Rounding rounding = Rounding::kDown);

struct TimeUnit {
  const char* name;
  int64_t ns;
};

// From days to nanoseconds.
inline constexpr TimeUnit kTimeUnits[] = {
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"min", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
};

}  // namespace sluice::cli
