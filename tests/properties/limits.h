// Random limits and costs for the property tests: log-uniform, nice numbers, and the edges.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <ostream>

#include "sluice/limit.h"

namespace sluice {

// How RapidCheck prints a limit that broke a property.
inline void showValue(const Limit& limit, std::ostream& out) {
  out << name_of(limit.algorithm()) << " rate=" << limit.rate().numerator() << "/" << limit.rate().denominator()
      << " capacity_micros=" << limit.capacity().micros() << " window_ns=" << limit.window().ns;
}
inline void showValue(const Rate& rate, std::ostream& out) { out << rate.numerator() << "/" << rate.denominator(); }
inline void showValue(const Tokens& amount, std::ostream& out) { out << amount.micros() << " micros"; }
inline void showValue(const Instant& time, std::ostream& out) { out << time.ns << " ns"; }
inline void showValue(const Duration& time, std::ostream& out) { out << time.ns << " ns"; }

namespace properties {

// Uniform in [low, high], however small RapidCheck's size is.
inline rc::Gen<int64_t> between(int64_t low, int64_t high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<int64_t>(low, high + 1));
}

// Uniform in [0, 1), shrinking towards 0.
inline rc::Gen<double> share() {
  constexpr int64_t kSteps = int64_t{1} << 40;
  return rc::gen::map(between(0, kSteps - 1), [](int64_t n) { return static_cast<double>(n) / double{kSteps}; });
}

inline rc::Gen<double> log_uniform(double low, double high) {
  return rc::gen::map(share(), [=](double x) { return low * std::pow(high / low, x); });
}

inline rc::Gen<Rate> any_rate() {
  const auto of_number = [](double tokens) { return *Rate::per_second(tokens); };
  return rc::gen::oneOf(
      rc::gen::map(log_uniform(1e-4, 5e6), of_number),
      rc::gen::map(
          rc::gen::element(10.0, 1.0, 1.0 / 3, 100.0 / 60, 5.0 / 86'400, 0.7, 1e-4, 5e6, 4'999'999.123, 1000.0),
          of_number),
      rc::gen::map(rc::gen::pair(between(1, 1000), between(1, 100'000)),
                   [](std::pair<int64_t, int64_t> p) { return *Rate::per(p.first, Duration::seconds(p.second)); }));
}

inline rc::Gen<Tokens> any_capacity() {
  return rc::gen::oneOf(
      rc::gen::map(between(1, 100), [](int64_t n) { return Tokens::whole(n); }),
      rc::gen::map(log_uniform(0.5, 1e9), [](double tokens) { return *capacity_of(tokens); }),
      rc::gen::map(log_uniform(1, 1e6), [](double tokens) { return Tokens::whole(static_cast<int64_t>(tokens)); }));
}

inline rc::Gen<Duration> any_window() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::element(1, 10, 60, 3600, 86'400), [](int s) { return Duration::seconds(s); }),
      rc::gen::map(log_uniform(1e6, 1e17), [](double ns) { return Duration(static_cast<int64_t>(ns)); }));
}

inline bool is_windowed(Algorithm algorithm) {
  return algorithm == Algorithm::kFixedWindow || algorithm == Algorithm::kSlidingWindowLog ||
         algorithm == Algorithm::kSlidingWindowCounter;
}

inline Limit bucket_limit(Algorithm algorithm, Rate rate, Tokens capacity) {
  if (algorithm == Algorithm::kLeakyBucket) return *Limit::leaky_bucket(rate, capacity);
  if (algorithm == Algorithm::kLeakyQueue) return *Limit::leaky_queue(rate, capacity);
  return *Limit::token_bucket(rate, capacity);
}

inline Result<Limit> window_limit(Algorithm algorithm, Tokens capacity, Duration window) {
  if (algorithm == Algorithm::kFixedWindow) return Limit::fixed_window(capacity, window);
  if (algorithm == Algorithm::kSlidingWindowLog) return Limit::sliding_window_log(capacity, window);
  return Limit::sliding_window_counter(capacity, window);
}

// Discards the few windows whose rate is out of range: a billion tokens in a millisecond.
inline Limit any_limit(Algorithm algorithm) {
  if (!is_windowed(algorithm)) return bucket_limit(algorithm, *any_rate(), *any_capacity());
  const auto limit = window_limit(algorithm, *any_capacity(), *any_window());
  RC_PRE(limit.ok());
  return *limit;
}

inline rc::Gen<Algorithm> any_algorithm() {
  return rc::gen::element(Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kLeakyQueue,
                          Algorithm::kFixedWindow, Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter);
}

inline rc::Gen<Algorithm> any_bucket_algorithm() {
  return rc::gen::element(Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kLeakyQueue);
}

}  // namespace properties
}  // namespace sluice
