// Law 3: no lost credit. A simulated year of hostile polling, after which not a millionth of a token is missing.
#include <gtest/gtest.h>

#include <random>

#include "model/rational.h"
#include "properties/bucket_under_test.h"

namespace sluice {
namespace {

using properties::BucketUnderTest;

constexpr int64_t kYear_ns = 365LL * 86'400 * 1'000'000'000;
constexpr Instant kStart{1'700'000'000'123'456'789};

struct Pattern {
  double rate;
  double capacity;
  int64_t mean_gap_ns;  // short enough that the bucket never fills: a full bucket rightly loses credit
  int polls_per_gap;    // rejected ones, a few nanoseconds apart
};

std::ostream& operator<<(std::ostream& out, const Pattern& p) { return out << p.rate << "/s, capacity " << p.capacity; }

class NoLostCredit : public testing::TestWithParam<Pattern> {};

// Drains the bucket, then takes all there is at irregular instants for a year. Returns all that was admitted.
mpz_class micros_of_a_year(BucketUnderTest& bucket, const Pattern& pattern) {
  std::mt19937_64 random(20'240'229);
  std::uniform_int_distribution<int64_t> gap(1, 2 * pattern.mean_gap_ns);
  mpz_class admitted = bucket.limit().capacity().micros();
  bucket.take(bucket.limit().capacity(), kStart);
  for (int64_t passed = gap(random); passed < kYear_ns; passed += gap(random)) {
    const Instant now(kStart.ns + passed);
    const Tokens there = bucket.remaining(now);
    for (int poll = 0; poll < pattern.polls_per_gap; ++poll) {
      EXPECT_FALSE(bucket.take(there + Tokens::micros(1), Instant(now.ns - poll)).allowed());
    }
    if (there.micros() > 0 && bucket.take(there, now).allowed()) admitted += there.micros();
  }
  return admitted + bucket.remaining(Instant(kStart.ns + kYear_ns)).micros();
}

TEST_P(NoLostCredit, AYearOfHostilePollingAdmitsCapacityPlusRateTimesTheYear) {
  const Pattern& pattern = GetParam();
  BucketUnderTest bucket(*Limit::token_bucket(pattern.rate, pattern.capacity));
  const mpz_class admitted = micros_of_a_year(bucket, pattern);

  const model::Rational exact = model::tokens(bucket.limit().capacity()) +
                                model::per_second(bucket.limit().rate()) * model::seconds(Duration(kYear_ns));
  EXPECT_EQ(admitted, model::floor_of(exact * 1'000'000));
  const model::Rational wished =
      model::Rational(pattern.capacity) + model::Rational(pattern.rate) * model::seconds(Duration(kYear_ns));
  const model::Rational error = model::Rational(admitted) / 1'000'000 - wished;
  EXPECT_LT(abs(error) * 1'000'000'000, wished);
}

INSTANTIATE_TEST_SUITE_P(
    AtRates, NoLostCredit,
    testing::Values(Pattern{0.0001, 10, 40'000'000'000, 1}, Pattern{0.0001, 1, 4'999'999'937, 0},
                    Pattern{5e6, 1e9, 40'000'000'007, 3}, Pattern{5e6, 1e9, 97'000'000'001, 1},
                    Pattern{1.0 / 3, 100, 100'000'000'019, 3}, Pattern{0.7, 500, 333'333'333'333, 5},
                    Pattern{4'999'999.123, 1e9, 40'000'000'007, 3}, Pattern{100.0 / 60, 40, 11'000'000'011, 0},
                    Pattern{0.987654321, 100, 45'000'000'007, 2}, Pattern{3.14159265358979, 1000, 150'000'000'001, 2}));

TEST(NoLostCreditForOneTokenAtATime, ACallerWhoTakesEachTokenWhenToldGetsTheRateToTheNanosecond) {
  for (const double rate : {0.0001, 1.0 / 3, 0.7, 5.0 / 86'400}) {
    BucketUnderTest bucket(*Limit::token_bucket(rate, 1));
    Instant now = kStart;
    int64_t passed = 0;
    while (now.ns < kStart.ns + kYear_ns / 100) {
      const Decision decision = bucket.take(kOneToken, now);
      passed += decision.allowed() ? 1 : 0;
      now = now + decision.retry_after;
    }
    // Each wait rounds up by less than a nanosecond, so that waiters are never a token short.
    const double expected = 1 + rate * static_cast<double>(kYear_ns / 100) / 1e9;
    EXPECT_NEAR(static_cast<double>(passed), expected, 1 + expected * 1e-9) << rate;
  }
}

}  // namespace
}  // namespace sluice
