// Limits: how many tokens a bucket holds, how fast they come back, and by which algorithm.
// A Limit is valid by construction, immutable, and may be shared by any number of threads and buckets.
#pragma once

#include <stdint.h>

#include "sluice/export.h"
#include "sluice/result.h"
#include "sluice/units.h"

namespace sluice {

// Tokens per second, as an exact fraction. Between one token in 31 years and 1e9 tokens per second.
class SLUICE_EXPORT Rate {
 public:
  constexpr Rate() = default;

  // The simplest fraction that reads as this number, so that 0.1 is 1/10 and 100.0 / 60 is 5/3. Where no fraction of
  // bounded size does, the nearest below it: less than 1e-9 of the rate is lost, never gained.
  static Result<Rate> per_second(double tokens);
  // `tokens` every `period`: per(5, 24h), of at most 146 years. Exact unless the reduced fraction is out of bounds,
  // then as above.
  static Result<Rate> per(int64_t tokens, Duration period);

  // The reduced fraction. numerator() * denominator() < 2^53, so products of both stay exact in a double.
  constexpr int64_t numerator() const { return numerator_; }
  constexpr int64_t denominator() const { return denominator_; }
  constexpr double as_double() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }

  friend constexpr bool operator==(Rate a, Rate b) {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }

 private:
  friend class RateBuilder;
  constexpr Rate(int64_t numerator, int64_t denominator) : numerator_(numerator), denominator_(denominator) {}

  int64_t numerator_ = 1;
  int64_t denominator_ = 1;
};

// A positive amount to take, rounded up to a millionth of a token. At most 1e12.
SLUICE_EXPORT Result<Tokens> cost_of(double tokens);
// The size of a bucket, rounded down to a millionth of a token. At least a millionth, at most 1e9.
SLUICE_EXPORT Result<Tokens> capacity_of(double tokens);

enum class Algorithm : uint8_t {
  kTokenBucket,  // bursts up to capacity, then the rate
  kLeakyBucket,  // a meter: the level rises with each request and leaks at the rate
  kLeakyQueue,   // a queue: requests are spread out at the rate, each is told how long to wait its turn
  // Buckets above, windows below.
  kFixedWindow,           // a count that starts anew at every multiple of the window
  kSlidingWindowLog,      // every admission of the last window is remembered: exact, and costs memory
  kSlidingWindowCounter,  // two counts, the older one fading out: close, and cheap
};

// Whether tokens come back steadily, at a rate; else they do as a window ends or slides on.
constexpr bool is_bucket(Algorithm algorithm) { return algorithm <= Algorithm::kLeakyQueue; }

// The name used in rules, scenarios and on the command line, e.g. "token_bucket".
SLUICE_EXPORT const char* name_of(Algorithm algorithm);

class SLUICE_EXPORT Limit {
 public:
  // One token per second, one at a time.
  Limit();

  static Result<Limit> token_bucket(Rate rate, Tokens capacity);
  static Result<Limit> leaky_bucket(Rate rate, Tokens capacity);
  static Result<Limit> leaky_queue(Rate rate, Tokens capacity);
  static Result<Limit> fixed_window(Tokens capacity, Duration window);
  static Result<Limit> sliding_window_log(Tokens capacity, Duration window);
  static Result<Limit> sliding_window_counter(Tokens capacity, Duration window);

  // The common case in one line: `rate` tokens per second, `burst` at once.
  static Result<Limit> token_bucket(double rate, double burst);

  Algorithm algorithm() const { return algorithm_; }
  Tokens capacity() const { return capacity_; }
  // For window algorithms: capacity / window, rounded down.
  Rate rate() const { return rate_; }
  // For buckets: the time an empty one takes to fill, rounded up.
  Duration window() const { return window_; }

  // For the arithmetic alone: see src/algorithms/pace.h.
  uint16_t pace() const { return pace_; }

  friend bool operator==(const Limit& a, const Limit& b) {
    return a.algorithm_ == b.algorithm_ && a.capacity_ == b.capacity_ && a.rate_ == b.rate_ && a.window_ == b.window_;
  }

 private:
  Limit(Algorithm algorithm, Tokens capacity, Rate rate, Duration window);
  static Result<Limit> bucket(Algorithm algorithm, Rate rate, Tokens capacity);
  static Result<Limit> windowed(Algorithm algorithm, Tokens capacity, Duration window);

  Algorithm algorithm_;
  uint16_t pace_;
  Tokens capacity_;
  Rate rate_;
  Duration window_;
};

}  // namespace sluice
