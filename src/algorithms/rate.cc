// Numbers to fractions: a walk down the Stern-Brocot tree by the quotients of Euclid's algorithm.
#include "algorithms/exact.h"
#include "sluice/limit.h"

namespace sluice {
namespace {

constexpr double kSlowest = 1e-9;
constexpr double kFastest = 1e9;
constexpr uint64_t kLargestProduct = (uint64_t{1} << 53) - 1;
constexpr uint64_t kLargestDenominator = (uint64_t{1} << 32) - 1;

struct Fraction {
  uint64_t numerator;
  uint64_t denominator;

  double as_double() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  bool in_bounds() const {
    return denominator <= kLargestDenominator && numerator <= kLargestProduct &&
           (denominator == 0 || numerator <= kLargestProduct / denominator);
  }
};

Fraction step(Fraction from, Fraction towards, uint64_t times) {
  return {from.numerator + times * towards.numerator, from.denominator + times * towards.denominator};
}

// The most steps, up to `wanted`, that stay in bounds.
uint64_t steps_in_bounds(Fraction from, Fraction towards, uint64_t wanted) {
  uint64_t fits = 0;
  for (uint64_t stride = uint64_t{1} << 53; stride > 0; stride >>= 1) {
    const uint64_t tried = fits + stride;
    if (tried > wanted) continue;
    const bool overflows = (towards.numerator > 0 && tried > (kLargestProduct - from.numerator) / towards.numerator) ||
                           (towards.denominator > 0 && tried > kLargestProduct / towards.denominator);
    if (!overflows && step(from, towards, tried).in_bounds()) fits = tried;
  }
  return fits;
}

}  // namespace

// Approaches `target` from both sides; below() is the answer unless one side met it.
class RateBuilder {
 public:
  // Goes `quotient` steps to the right (raising the lower side) or left. False when out of bounds.
  bool advance(uint64_t quotient, bool right) {
    Fraction& moved = right ? below_ : above_;
    const Fraction towards = right ? above_ : below_;
    const uint64_t steps = steps_in_bounds(moved, towards, quotient);
    moved = step(moved, towards, steps);
    last_ = moved;
    return steps == quotient;
  }

  Fraction last() const { return last_; }
  Fraction below() const { return below_; }

  static Result<Rate> finish(Fraction f) {
    if (f.numerator == 0) return Error{ErrorCode::kTooSmall, "rate"};
    return Rate(static_cast<int64_t>(f.numerator), static_cast<int64_t>(f.denominator));
  }

 private:
  Fraction below_{0, 1};
  Fraction above_{1, 0};
  Fraction last_{0, 1};
};

namespace {

// Euclid's quotients of a / b from the left or right turn on; stops early where `is_met` likes a fraction.
template <class IsMet>
Result<Rate> approach(RateBuilder& builder, uint64_t a, uint64_t b, bool right, const IsMet& is_met) {
  while (b != 0) {
    const uint64_t quotient = a / b;
    const uint64_t rest = a % b;
    // The last quotient is walked to its end: there the fraction is met exactly.
    if (!builder.advance(quotient, right)) return RateBuilder::finish(builder.below());
    if (builder.last().denominator != 0 && (rest == 0 || is_met(builder.last()))) {
      return RateBuilder::finish(builder.last());
    }
    a = b;
    b = rest;
    right = !right;
  }
  return RateBuilder::finish(builder.below());
}

Error rate_error(ErrorCode code) { return Error{code, "rate"}; }

}  // namespace

Result<Rate> Rate::per_second(double tokens) {
  if (tokens - tokens != 0) return rate_error(ErrorCode::kNotFinite);
  if (tokens <= 0) return rate_error(ErrorCode::kNotPositive);
  if (tokens < kSlowest) return rate_error(ErrorCode::kTooSmall);
  if (tokens > kFastest) return rate_error(ErrorCode::kTooLarge);

  // tokens = mantissa / 2^shift, exactly.
  const auto bits = __builtin_bit_cast(uint64_t, tokens);
  uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  int shift = 52 + 1023 - static_cast<int>(bits >> 52);
  for (; (mantissa & 1) == 0 && shift > 0; --shift) mantissa >>= 1;

  RateBuilder builder;
  const auto is_met = [tokens](Fraction f) { return f.as_double() == tokens; };
  if (shift < 64) return approach(builder, mantissa, uint64_t{1} << shift, true, is_met);
  // Below 1 and too fine for 64 bits: the first quotient is 0, the second is taken from the power of two.
  const exact::Quotient inverse = exact::divide_power_of_two(shift, mantissa);
  if (!builder.advance(inverse.whole, false)) return RateBuilder::finish(builder.below());
  if (is_met(builder.last())) return RateBuilder::finish(builder.last());
  return approach(builder, mantissa, inverse.rest, true, is_met);
}

Result<Rate> Rate::per(int64_t tokens, Duration period) {
  if (tokens <= 0) return rate_error(ErrorCode::kNotPositive);
  if (period.ns <= 0) return Error{ErrorCode::kNotPositive, "period"};
  if (period.ns > int64_t{1} << 62) return Error{ErrorCode::kTooLarge, "period"};
  constexpr uint64_t kSecond = 1'000'000'000;
  uint64_t divisor = static_cast<uint64_t>(period.ns);
  for (uint64_t rest = kSecond; rest != 0;) {
    const uint64_t next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  const uint64_t denominator = static_cast<uint64_t>(period.ns) / divisor;
  const exact::Quotient whole = exact::multiply_divide(static_cast<uint64_t>(tokens), kSecond / divisor, denominator);
  const double approximately =
      static_cast<double>(whole.whole) + static_cast<double>(whole.rest) / static_cast<double>(denominator);
  if (approximately < kSlowest) return rate_error(ErrorCode::kTooSmall);
  if (approximately > kFastest) return rate_error(ErrorCode::kTooLarge);
  RateBuilder builder;
  if (!builder.advance(whole.whole, true)) return RateBuilder::finish(builder.below());
  if (whole.rest == 0) return RateBuilder::finish(builder.last());
  return approach(builder, denominator, whole.rest, false, [](Fraction) { return false; });
}

}  // namespace sluice
