// Integer arithmetic that neither rounds by accident nor overflows. Freestanding.
#pragma once

#include <stdint.h>

#include "sluice/units.h"

namespace sluice::exact {

constexpr int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

// How long from `now` until `then`: nothing if that is past, and never longer than the longest wait there is.
constexpr Duration wait_until(Instant then, Instant now) { return Duration(max(0, min((then - now).ns, kForever.ns))); }

// How long from `then` until `now`; a clock that jumped back stands still.
constexpr int64_t elapsed_ns(Instant then, Instant now) {
  if (now <= then) return 0;
  const uint64_t elapsed = static_cast<uint64_t>(now.ns) - static_cast<uint64_t>(then.ns);
  return elapsed > INT64_MAX ? INT64_MAX : static_cast<int64_t>(elapsed);
}

// The largest multiple of `step` that is not after `value`. REQUIRES: step > 0.
constexpr int64_t floor_to_multiple(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

// a / b, rounded down. Dividing 64 bits takes many processors three times as long as 32, and few quotients need it.
constexpr uint64_t divide(uint64_t a, uint64_t b) {
  if ((a | b) >> 32 == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

struct Quotient {
  uint64_t whole;
  uint64_t rest;
};

// 2^exponent / divisor, for exponents far beyond 64 bits. REQUIRES: 0 < divisor < 2^63, and the quotient fits.
constexpr Quotient divide_power_of_two(int exponent, uint64_t divisor) {
  Quotient result{0, 1};
  if (divisor == 1) return {exponent < 64 ? uint64_t{1} << exponent : UINT64_MAX, 0};
  for (int i = 0; i < exponent; ++i) {
    result.whole <<= 1;
    result.rest <<= 1;
    if (result.rest >= divisor) {
      result.rest -= divisor;
      result.whole |= 1;
    }
  }
  return result;
}

// a * b / divisor with a 128-bit product, bit by bit: for the algorithms whose speed is not the point.
// REQUIRES: divisor <= 2^62. Saturates at UINT64_MAX.
constexpr Quotient multiply_divide(uint64_t a, uint64_t b, uint64_t divisor) {
  Quotient result{0, 0};
  for (int bit = 63; bit >= 0; --bit) {
    if (result.whole >> 63 != 0) return {UINT64_MAX, 0};
    result.whole <<= 1;
    result.rest <<= 1;
    if ((a >> bit & 1) != 0) {
      result.whole += b / divisor;
      result.rest += b % divisor;
    }
    while (result.rest >= divisor) {
      result.rest -= divisor;
      ++result.whole;
    }
  }
  return result;
}

constexpr uint64_t multiply_divide_floor(uint64_t a, uint64_t b, uint64_t divisor) {
  return multiply_divide(a, b, divisor).whole;
}

constexpr uint64_t multiply_divide_ceil(uint64_t a, uint64_t b, uint64_t divisor) {
  const Quotient q = multiply_divide(a, b, divisor);
  return q.whole + (q.rest > 0 && q.whole != UINT64_MAX ? 1 : 0);
}

}  // namespace sluice::exact
