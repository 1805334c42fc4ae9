// Numbers become fractions and millionths: what is read is what was written, and what cannot be read exactly is never
// read in the caller's favour.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "algorithms/exact.h"
#include "model/rational.h"
#include "properties/limits.h"

namespace sluice {
namespace {

using namespace properties;
using model::Rational;

constexpr int64_t kLargestProduct = (int64_t{1} << 53) - 1;

Rational exactly(double number) { return Rational(number); }

RC_GTEST_PROP(RateOfANumber, IsReducedBoundedAndNeverGains, ()) {
  const double number = *log_uniform(1e-9, 1e9);
  const auto rate = Rate::per_second(number);
  RC_ASSERT(rate.ok());
  RC_ASSERT(std::gcd(rate->numerator(), rate->denominator()) == 1);
  RC_ASSERT(rate->numerator() <= kLargestProduct / rate->denominator());
  if (rate->as_double() == number) return;
  RC_ASSERT(model::per_second(*rate) < exactly(number));
  RC_ASSERT(model::per_second(*rate) * 1'000'000'000 > exactly(number) * 999'999'999);
}

// A fraction whose parts have a product below 2^52 lies closer to its double than any simpler one.
RC_GTEST_PROP(RateOfANumber, IsTheFractionItWasWrittenAs, ()) {
  const int64_t denominator = static_cast<int64_t>(*log_uniform(1, 1e9));
  const double most = std::min(1e9 * static_cast<double>(denominator), 0x1p52 / static_cast<double>(denominator));
  const int64_t numerator = static_cast<int64_t>(*log_uniform(1, most));
  const double number = static_cast<double>(numerator) / static_cast<double>(denominator);
  RC_PRE(number >= 1e-9 && number <= 1e9);
  const auto rate = Rate::per_second(number);
  RC_ASSERT(rate.ok());
  RC_ASSERT(rate->as_double() == number);
  RC_ASSERT(rate->denominator() <= denominator / std::gcd(numerator, denominator));
}

RC_GTEST_PROP(RateOfANumber, IsTheSameForADecimalHoweverItIsReached, ()) {
  const int64_t thousandths = *between(1, 5'000'000'000);
  const auto rate = Rate::per_second(static_cast<double>(thousandths) / 1000);
  RC_ASSERT(rate.ok());
  RC_ASSERT(model::per_second(*rate) == model::fraction(thousandths, 1000));
}

RC_GTEST_PROP(RateOfTokensPerPeriod, IsExactOrTheNearestBelow, ()) {
  const int64_t tokens = static_cast<int64_t>(*log_uniform(1, 9e18));
  const Duration period(static_cast<int64_t>(*log_uniform(1, 4.6e18)));
  const Rational wished = Rational(mpz_class(tokens)) / model::seconds(period);
  const auto rate = Rate::per(tokens, period);
  if (!rate) {
    RC_ASSERT(wished < Rational(1.000001e-9) || wished > Rational(0.999999e9));
    return;
  }
  RC_ASSERT(wished >= Rational(0.999999e-9) && wished <= Rational(1.000001e9));
  const bool fits =
      wished.get_num() * wished.get_den() <= mpz_class(kLargestProduct) && wished.get_den() < (mpz_class(1) << 32);
  if (fits) RC_ASSERT(model::per_second(*rate) == wished);
  RC_ASSERT(model::per_second(*rate) <= wished);
  RC_ASSERT(model::per_second(*rate) * 1'000'000'000 > wished * 999'999'999);
}

RC_GTEST_PROP(RateOfAnyBits, IsARateOrOneClearError, ()) {
  const double number = std::bit_cast<double>(*rc::gen::arbitrary<uint64_t>());
  const auto rate = Rate::per_second(number);
  RC_ASSERT(rate.ok() == (std::isfinite(number) && number >= 1e-9 && number <= 1e9));
  if (rate.ok()) return;
  const ErrorCode expected = !std::isfinite(number) ? ErrorCode::kNotFinite
                             : number <= 0          ? ErrorCode::kNotPositive
                             : number < 1e-9        ? ErrorCode::kTooSmall
                                                    : ErrorCode::kTooLarge;
  RC_ASSERT(static_cast<int>(rate.error().code) == static_cast<int>(expected));
}

rc::Gen<double> any_amount() {
  return rc::gen::oneOf(log_uniform(1e-7, 1e9), log_uniform(1e8, 1e9),
                        rc::gen::map(between(1, 1'000'000'000'000'000),
                                     [](int64_t n) { return std::nextafter(static_cast<double>(n) / 1e6, 0); }));
}

// Of a number that is the nearest to some millionth, that millionth; of any other, the next in the safe direction.
RC_GTEST_PROP(CostOfANumber, IsTheMillionthItReadsAsOrTheNextAbove, ()) {
  const double number = *any_amount();
  const mpz_class micros(cost_of(number)->micros());
  if (micros.get_d() / 1e6 == number) return;
  RC_ASSERT(micros == model::ceil_of(exactly(number) * 1'000'000));
}

RC_GTEST_PROP(CapacityOfANumber, IsTheMillionthItReadsAsOrTheNextBelow, ()) {
  const double number = *any_amount();
  const auto capacity = capacity_of(number);
  RC_PRE(capacity.ok());
  const mpz_class micros(capacity->micros());
  if (micros.get_d() / 1e6 == number) return;
  RC_ASSERT(micros == model::floor_of(exactly(number) * 1'000'000));
}

RC_GTEST_PROP(CostAndCapacityOfADecimal, AreExact, ()) {
  const int64_t micros = *between(1, 1'000'000'000'000'000);
  RC_ASSERT(cost_of(static_cast<double>(micros) / 1e6)->micros() == micros);
  RC_ASSERT(capacity_of(static_cast<double>(micros) / 1e6)->micros() == micros);
}

RC_GTEST_PROP(CostOfAnyBits, IsACostOrOneClearError, ()) {
  const double number = std::bit_cast<double>(*rc::gen::arbitrary<uint64_t>());
  RC_ASSERT(cost_of(number).ok() == (std::isfinite(number) && number > 0 && number <= 1e12));
  RC_ASSERT(capacity_of(number).ok() == (std::isfinite(number) && number >= 1e-6 && number <= 1e9));
}

RC_GTEST_PROP(MultiplyDivide, IsTheQuotientOfTheFullProduct, ()) {
  const auto a = static_cast<uint64_t>(*log_uniform(1, 9e18));
  const auto divisor = static_cast<uint64_t>(*log_uniform(1, 0x1p62));
  const auto b = static_cast<uint64_t>(*log_uniform(1, 9e18));
  mpz_class whole;
  mpz_class rest;
  const mpz_class product = mpz_class(a) * mpz_class(b);
  mpz_fdiv_qr(whole.get_mpz_t(), rest.get_mpz_t(), product.get_mpz_t(), mpz_class(divisor).get_mpz_t());
  RC_PRE(whole < (mpz_class(1) << 63));
  RC_ASSERT(mpz_class(exact::multiply_divide_floor(a, b, divisor)) == whole);
  RC_ASSERT(mpz_class(exact::multiply_divide_ceil(a, b, divisor)) == whole + (rest > 0 ? 1 : 0));
}

}  // namespace
}  // namespace sluice
