// Tokens, durations and instants: the quantities every decision is made of.
// All are integers, so that C++, Redis and JavaScript can compute the identical answer.
// Freestanding: with no C++ standard library at hand (WebAssembly), only the chrono conversions are missing.
#pragma once

#include <stdint.h>

#if __STDC_HOSTED__
#include <chrono>
#endif

namespace sluice {

// A length of time, in whole nanoseconds.
struct Duration {
  int64_t ns = 0;

  constexpr Duration() = default;
  constexpr explicit Duration(int64_t nanoseconds) : ns(nanoseconds) {}
#if __STDC_HOSTED__
  template <class Rep, class Period>
  constexpr Duration(std::chrono::duration<Rep, Period> d)  // NOLINT: a chrono duration is a Duration.
      : ns(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count()) {}
  constexpr operator std::chrono::nanoseconds() const { return std::chrono::nanoseconds(ns); }  // NOLINT
#endif
  static constexpr Duration micros(int64_t n) { return Duration(n * 1'000); }
  static constexpr Duration millis(int64_t n) { return Duration(n * 1'000'000); }
  static constexpr Duration seconds(int64_t n) { return Duration(n * 1'000'000'000); }

  // Waits round up, never down: a caller told to wait 1 ms must find its tokens there.
  constexpr int64_t ceil_millis() const { return ns / 1'000'000 + (ns % 1'000'000 > 0); }
  constexpr int64_t ceil_seconds() const { return ns / 1'000'000'000 + (ns % 1'000'000'000 > 0); }

  friend constexpr bool operator==(Duration a, Duration b) { return a.ns == b.ns; }
  friend constexpr bool operator!=(Duration a, Duration b) { return a.ns != b.ns; }
  friend constexpr bool operator<(Duration a, Duration b) { return a.ns < b.ns; }
  friend constexpr bool operator>(Duration a, Duration b) { return a.ns > b.ns; }
  friend constexpr bool operator<=(Duration a, Duration b) { return a.ns <= b.ns; }
  friend constexpr bool operator>=(Duration a, Duration b) { return a.ns >= b.ns; }
};

// The longest wait there is (285 years, exact in a double of microseconds); longer ones are cut to it.
inline constexpr Duration kForever{9'000'000'000'000'000'000};

// A point in time: nanoseconds since the origin of the clock that read it, within 146 years before or after it.
struct Instant {
  int64_t ns = 0;

  constexpr Instant() = default;
  constexpr explicit Instant(int64_t nanoseconds) : ns(nanoseconds) {}

  friend constexpr bool operator==(Instant a, Instant b) { return a.ns == b.ns; }
  friend constexpr bool operator!=(Instant a, Instant b) { return a.ns != b.ns; }
  friend constexpr bool operator<(Instant a, Instant b) { return a.ns < b.ns; }
  friend constexpr bool operator>(Instant a, Instant b) { return a.ns > b.ns; }
  friend constexpr bool operator<=(Instant a, Instant b) { return a.ns <= b.ns; }
  friend constexpr bool operator>=(Instant a, Instant b) { return a.ns >= b.ns; }
  // Both stop at the ends of time instead of wrapping.
  friend constexpr Duration operator-(Instant a, Instant b) {
    if (b.ns < 0 && a.ns > INT64_MAX + b.ns) return Duration(INT64_MAX);
    if (b.ns > 0 && a.ns < INT64_MIN + b.ns) return Duration(INT64_MIN);
    return Duration(a.ns - b.ns);
  }
  friend constexpr Instant operator+(Instant a, Duration d) {
    if (d.ns > 0 && a.ns > INT64_MAX - d.ns) return Instant(INT64_MAX);
    if (d.ns < 0 && a.ns < INT64_MIN - d.ns) return Instant(INT64_MIN);
    return Instant(a.ns + d.ns);
  }
};

// An amount of tokens, in whole millionths of a token.
class Tokens {
 public:
  static constexpr int64_t kMicrosPerToken = 1'000'000;

  constexpr Tokens() = default;
  static constexpr Tokens micros(int64_t n) { return Tokens(n); }
  static constexpr Tokens whole(int64_t n) { return Tokens(n * kMicrosPerToken); }

  constexpr int64_t micros() const { return micros_; }
  // Whole tokens, rounded down: what remains is never overstated.
  constexpr int64_t floor() const { return micros_ / kMicrosPerToken; }
  constexpr double as_double() const { return static_cast<double>(micros_) / kMicrosPerToken; }

  friend constexpr bool operator==(Tokens a, Tokens b) { return a.micros_ == b.micros_; }
  friend constexpr bool operator!=(Tokens a, Tokens b) { return a.micros_ != b.micros_; }
  friend constexpr bool operator<(Tokens a, Tokens b) { return a.micros_ < b.micros_; }
  friend constexpr bool operator>(Tokens a, Tokens b) { return a.micros_ > b.micros_; }
  friend constexpr bool operator<=(Tokens a, Tokens b) { return a.micros_ <= b.micros_; }
  friend constexpr bool operator>=(Tokens a, Tokens b) { return a.micros_ >= b.micros_; }
  friend constexpr Tokens operator+(Tokens a, Tokens b) { return Tokens(a.micros_ + b.micros_); }
  friend constexpr Tokens operator-(Tokens a, Tokens b) { return Tokens(a.micros_ - b.micros_); }

 private:
  constexpr explicit Tokens(int64_t micros) : micros_(micros) {}
  int64_t micros_ = 0;
};

inline constexpr Tokens kOneToken = Tokens::whole(1);

}  // namespace sluice
