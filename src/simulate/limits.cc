#include "simulate/limits.h"

#include <algorithm>

#include "simulate/schedule.h"

namespace sluice::simulate {
namespace {

// rate x window, rounded down to a millionth of a token.
Result<Tokens> tokens_per(Duration window, Rate rate) {
  const Wide product = static_cast<Wide>(rate.numerator()) * static_cast<Wide>(window.ns);
  const Wide micros = product / (static_cast<Wide>(rate.denominator()) * 1'000);
  if (micros == 0) return Error{ErrorCode::kTooSmall, "capacity"};
  if (micros > static_cast<Wide>(INT64_MAX)) return Error{ErrorCode::kTooLarge, "capacity"};
  return Tokens::micros(static_cast<int64_t>(micros));
}

Result<Limit> windowed(Algorithm algorithm, Tokens capacity, Duration window) {
  if (algorithm == Algorithm::kFixedWindow) return Limit::fixed_window(capacity, window);
  if (algorithm == Algorithm::kSlidingWindowLog) return Limit::sliding_window_log(capacity, window);
  return Limit::sliding_window_counter(capacity, window);
}

}  // namespace

std::optional<Algorithm> algorithm_named(std::string_view name) {
  const auto* found =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](Algorithm a) { return name == name_of(a); });
  if (found == kAlgorithms.end()) return std::nullopt;
  return *found;
}

bool has_window(Algorithm algorithm) {
  return algorithm == Algorithm::kFixedWindow || algorithm == Algorithm::kSlidingWindowLog ||
         algorithm == Algorithm::kSlidingWindowCounter;
}

Result<Limit> limit_for(Algorithm algorithm, const LimitOptions& options) {
  if (algorithm == Algorithm::kLeakyBucket) return Limit::leaky_bucket(options.rate, options.burst);
  if (algorithm == Algorithm::kLeakyQueue) return Limit::leaky_queue(options.rate, options.burst);
  auto bucket = Limit::token_bucket(options.rate, options.burst);
  if (!bucket || !has_window(algorithm)) return bucket;
  if (!options.window) return windowed(algorithm, options.burst, bucket->window());
  const auto capacity = tokens_per(*options.window, options.rate);
  if (!capacity) return capacity.error();
  return windowed(algorithm, *capacity, *options.window);
}

}  // namespace sluice::simulate
