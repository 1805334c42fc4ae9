// The same rate and burst, said to each algorithm in its own terms.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sluice/limit.h"

namespace sluice::simulate {

inline constexpr std::array kAlgorithms = {Algorithm::kTokenBucket,      Algorithm::kLeakyBucket,
                                           Algorithm::kLeakyQueue,       Algorithm::kFixedWindow,
                                           Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter};

std::optional<Algorithm> algorithm_named(std::string_view name);
bool has_window(Algorithm algorithm);

struct LimitOptions {
  Rate rate;
  Tokens burst;
  // Without one, a window algorithm lets `burst` pass per window of burst / rate; with one, rate x window.
  std::optional<Duration> window;
};

Result<Limit> limit_for(Algorithm algorithm, const LimitOptions& options);

}  // namespace sluice::simulate
