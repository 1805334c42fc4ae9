#include "sluice/limit.h"

#include "algorithms/exact.h"
#include "algorithms/pace.h"
#include "algorithms/token_bucket.h"

namespace sluice {
namespace {

constexpr double kLargestCost = 1e12;
constexpr int64_t kLargestCapacityMicros = 1'000'000'000'000'000;
constexpr Duration kShortestWindow = Duration::millis(1);
constexpr Duration kLongestWindow = Duration::seconds(100LL * 366 * 86'400);

bool is_finite(double x) { return x - x == 0; }

// The millionths that `tokens` reads as. A decimal such as 0.1 or 0.000007 is met exactly, whatever its double is.
struct Micros {
  int64_t below;
  bool exact;
};

Micros micros_of(double tokens) {
  const double scaled = tokens * static_cast<double>(Tokens::kMicrosPerToken);
  auto below = static_cast<int64_t>(scaled);
  // The product may have been rounded up to a whole number.
  if (static_cast<double>(below) / static_cast<double>(Tokens::kMicrosPerToken) > tokens) --below;
  for (int64_t candidate = below; candidate <= below + 1; ++candidate) {
    if (static_cast<double>(candidate) / static_cast<double>(Tokens::kMicrosPerToken) == tokens) {
      return {candidate, true};
    }
  }
  return {below, false};
}

}  // namespace

Result<Tokens> cost_of(double tokens) {
  if (!is_finite(tokens)) return Error{ErrorCode::kNotFinite, "cost"};
  if (tokens <= 0) return Error{ErrorCode::kNotPositive, "cost"};
  if (tokens > kLargestCost) return Error{ErrorCode::kTooLarge, "cost"};
  const Micros micros = micros_of(tokens);
  return Tokens::micros(micros.exact ? micros.below : micros.below + 1);
}

Result<Tokens> capacity_of(double tokens) {
  if (!is_finite(tokens)) return Error{ErrorCode::kNotFinite, "capacity"};
  if (tokens <= 0) return Error{ErrorCode::kNotPositive, "capacity"};
  if (tokens * 1e6 > static_cast<double>(kLargestCapacityMicros)) return Error{ErrorCode::kTooLarge, "capacity"};
  const Micros micros = micros_of(tokens);
  if (micros.below == 0) return Error{ErrorCode::kTooSmall, "capacity"};
  return Tokens::micros(micros.below);
}

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kTokenBucket: return "token_bucket";
    case Algorithm::kLeakyBucket: return "leaky_bucket";
    case Algorithm::kLeakyQueue: return "leaky_queue";
    case Algorithm::kFixedWindow: return "fixed_window";
    case Algorithm::kSlidingWindowLog: return "sliding_window_log";
    case Algorithm::kSlidingWindowCounter: return "sliding_window_counter";
  }
  return "";
}

Limit::Limit() : Limit(Algorithm::kTokenBucket, kOneToken, Rate(), Duration::seconds(1)) {}

Limit::Limit(Algorithm algorithm, Tokens capacity, Rate rate, Duration window)
    : algorithm_(algorithm), pace_(0), capacity_(capacity), rate_(rate), window_(window) {
  pace_ = is_bucket(algorithm) ? pace::of_rate(rate) : pace::of_window(window);
  if (is_bucket(algorithm)) window_ = Duration(token_bucket::time_to_refill(*this, capacity.micros()));
}

Result<Limit> Limit::bucket(Algorithm algorithm, Rate rate, Tokens capacity) {
  if (capacity.micros() <= 0) return Error{ErrorCode::kNotPositive, "capacity"};
  if (capacity.micros() > kLargestCapacityMicros) return Error{ErrorCode::kTooLarge, "capacity"};
  return Limit(algorithm, capacity, rate, Duration());
}

Result<Limit> Limit::windowed(Algorithm algorithm, Tokens capacity, Duration window) {
  if (capacity.micros() <= 0) return Error{ErrorCode::kNotPositive, "capacity"};
  if (capacity.micros() > kLargestCapacityMicros) return Error{ErrorCode::kTooLarge, "capacity"};
  if (window.ns <= 0) return Error{ErrorCode::kNotPositive, "window"};
  if (window < kShortestWindow) return Error{ErrorCode::kTooSmall, "window"};
  if (window > kLongestWindow) return Error{ErrorCode::kTooLarge, "window"};
  const auto rate = Rate::per_second(capacity.as_double() / (static_cast<double>(window.ns) / 1e9));
  if (!rate) return Error{rate.error().code, "window"};
  return Limit(algorithm, capacity, *rate, window);
}

Result<Limit> Limit::token_bucket(Rate rate, Tokens capacity) {
  return bucket(Algorithm::kTokenBucket, rate, capacity);
}
Result<Limit> Limit::leaky_bucket(Rate rate, Tokens capacity) {
  return bucket(Algorithm::kLeakyBucket, rate, capacity);
}
Result<Limit> Limit::leaky_queue(Rate rate, Tokens capacity) { return bucket(Algorithm::kLeakyQueue, rate, capacity); }
Result<Limit> Limit::fixed_window(Tokens capacity, Duration window) {
  return windowed(Algorithm::kFixedWindow, capacity, window);
}
Result<Limit> Limit::sliding_window_log(Tokens capacity, Duration window) {
  return windowed(Algorithm::kSlidingWindowLog, capacity, window);
}
Result<Limit> Limit::sliding_window_counter(Tokens capacity, Duration window) {
  return windowed(Algorithm::kSlidingWindowCounter, capacity, window);
}

Result<Limit> Limit::token_bucket(double rate, double burst) {
  const auto exact_rate = Rate::per_second(rate);
  if (!exact_rate) return exact_rate.error();
  const auto capacity = capacity_of(burst);
  if (!capacity) return capacity.error();
  return token_bucket(*exact_rate, *capacity);
}

}  // namespace sluice
