// Pace: 13 bits beside each bucket from which anyone can tell, without knowing its limit, when it will be full.
// That is what lets a store reclaim it (law 8), and a changed limit carry over what was spent under the old one.
//
// A pace is a small floating-point number, never in the caller's favour: 1 bit kind, 6 bits exponent, 6 bits mantissa.
// For buckets it is the rate, rounded down by less than 1/64; for windows their length, rounded up likewise.
#pragma once

#include "algorithms/exact.h"
#include "algorithms/state.h"
#include "sluice/limit.h"

namespace sluice::pace {

inline constexpr int kMantissaBits = 6;
inline constexpr uint16_t kWindowBit = 1 << (6 + kMantissaBits);
inline constexpr int kExponentBias = 31;
inline constexpr uint64_t kMantissaOne = uint64_t{1} << kMantissaBits;

constexpr uint16_t pack(uint16_t kind, int exponent, uint64_t scaled) {
  return static_cast<uint16_t>(kind | exponent << kMantissaBits | static_cast<int>(scaled - kMantissaOne));
}

constexpr uint16_t of_rate(Rate rate) {
  const auto numerator = static_cast<uint64_t>(rate.numerator());
  const auto denominator = static_cast<uint64_t>(rate.denominator());
  int exponent = 0;
  while (numerator >= denominator << (exponent + 1)) ++exponent;
  while (exponent <= 0 && numerator << -exponent < denominator) --exponent;
  const uint64_t scaled = exponent >= 0 ? (numerator << kMantissaBits) / (denominator << exponent)
                                        : (numerator << (kMantissaBits - exponent)) / denominator;
  return pack(0, exponent + kExponentBias, scaled);
}

constexpr uint16_t of_window(Duration window) {
  const auto micros = static_cast<uint64_t>(window.ns / 1000 + (window.ns % 1000 > 0));
  int exponent = 0;
  while (micros >> (exponent + 1) != 0) ++exponent;
  const auto round_up = [&](int e) {
    return e <= kMantissaBits ? micros << (kMantissaBits - e) : ((micros - 1) >> (e - kMantissaBits)) + 1;
  };
  uint64_t scaled = round_up(exponent);
  if (scaled == 2 * kMantissaOne) scaled = round_up(++exponent);
  return pack(kWindowBit, exponent, scaled);
}

constexpr int exponent_of(uint16_t pace) { return (pace & ~kWindowBit) >> kMantissaBits; }
constexpr uint64_t scaled_of(uint16_t pace) { return kMantissaOne + (pace & (kMantissaOne - 1)); }

// Elapsed time as a bucket's pace counts it: each unit brings scaled_of(pace) * 2^shift millionths of a token. Every
// step is exact in a double of microseconds too: beyond 2^46 us (two years) a unit is 1024 us.
struct Elapsed {
  uint64_t units;
  int64_t unit_ns;
  int shift;
};

constexpr Elapsed count(uint16_t pace, int64_t elapsed_ns) {
  const auto micros = static_cast<uint64_t>(elapsed_ns / 1000);
  const int shift = exponent_of(pace) - kExponentBias - kMantissaBits;
  if (micros >> 46 != 0) return {micros >> 10, 1'024'000, shift + 10};
  return {micros, 1'000, shift};
}

// The millionths of a token that come back in `elapsed_ns` at a bucket's pace.
constexpr int64_t refilled(uint16_t pace, int64_t elapsed_ns) {
  const Elapsed elapsed = count(pace, elapsed_ns);
  const uint64_t product = scaled_of(pace) * elapsed.units;
  if (elapsed.shift <= 0) return static_cast<int64_t>(product >> -elapsed.shift);
  return product >> (62 - elapsed.shift) != 0 ? INT64_MAX : static_cast<int64_t>(product << elapsed.shift);
}

// The wait until `micros` have come back at a bucket's pace, rounded up generously.
constexpr Duration time_to_refill(uint16_t pace, int64_t micros) {
  const int exponent = exponent_of(pace) - kExponentBias;
  const auto unscaled = static_cast<uint64_t>(micros) / scaled_of(pace) + 1;
  const int shift = kMantissaBits - exponent;
  if (shift <= 0) return Duration::micros(static_cast<int64_t>(unscaled >> -shift) + 1);
  if (unscaled >> (53 - exact::min(shift, 53)) != 0) return kForever;
  return Duration::micros(static_cast<int64_t>(unscaled << shift) + 1);
}

constexpr int64_t window_ns(uint16_t pace) {
  const int exponent = exponent_of(pace);
  const uint64_t micros = exponent >= kMantissaBits ? scaled_of(pace) << (exponent - kMantissaBits)
                                                    : scaled_of(pace) >> (kMantissaBits - exponent);
  return micros > INT64_MAX / 1000 ? INT64_MAX : static_cast<int64_t>(micros * 1000);
}

// What is still spent at `now`, as far as the pace can tell: never less than there truly is.
constexpr int64_t still_spent(const BucketState& state, Instant now) {
  const int64_t elapsed = exact::elapsed_ns(Instant(state.since_ns), now);
  if ((state.pace & kWindowBit) != 0) return elapsed >= window_ns(state.pace) ? 0 : state.spent;
  return exact::max(0, state.spent - refilled(state.pace, elapsed));
}

// Whether the bucket may be forgotten without changing any later answer, under its own limit or another.
constexpr bool is_full(const BucketState& state, Instant now) { return still_spent(state, now) == 0; }

// What move_along() may leave behind of time, unless a millionth takes longer.
inline constexpr int64_t kLongestPeriodNs = int64_t{1'000} << 16;

// Moves the point along the line of its pace up to `now`, or to shortly before: by whole periods, so that no part of a
// millionth is lost however often the limit changes. Where a period is longer than 65 ms, by whole millionths: each
// then takes a thousand microseconds, of which less than one is lost. REQUIRES: a bucket's pace, by which something is
// still spent.
constexpr BucketState move_along(const BucketState& state, Instant now) {
  const Elapsed elapsed = count(state.pace, exact::elapsed_ns(Instant(state.since_ns), now));
  uint64_t brought = scaled_of(state.pace);  // in 2^-shift units
  int shift = elapsed.shift;
  for (; shift < 0 && brought % 2 == 0; ++shift) brought /= 2;
  uint64_t micros = 0;
  uint64_t units = 0;
  if (elapsed.unit_ns << exact::max(0, -shift) > kLongestPeriodNs) {
    micros = brought * elapsed.units >> -shift;
    units = ((micros << -shift) + brought - 1) / brought;
  } else {
    const auto period_bits = static_cast<int>(exact::max(0, -shift));
    const uint64_t periods = elapsed.units >> period_bits;
    micros = periods * brought << exact::max(0, shift);
    units = periods << period_bits;
  }
  return {state.spent - static_cast<int64_t>(micros), state.since_ns + static_cast<int64_t>(units) * elapsed.unit_ns,
          state.pace};
}

// The same bucket under a limit of another pace: what was spent stays spent, also beyond what the bucket now holds.
[[gnu::noinline]] inline BucketState carry_over(const Limit& limit, BucketState state, Instant now) {
  const int64_t spent = still_spent(state, now);
  if (spent == 0 || (state.pace & kWindowBit) != 0) {
    return {spent, exact::max(now.ns, state.since_ns), limit.pace()};
  }
  state = move_along(state, now);
  state.pace = limit.pace();
  return state;
}

}  // namespace sluice::pace
