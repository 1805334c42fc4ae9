// The bounds that leases.h promises, over whole fleets.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "stores/shortcuts/lease_fleet_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;

constexpr LeaseTerms fixed(int64_t tokens, Duration ttl) {
  return {LeaseTerms::Kind::kFixed, Tokens::whole(tokens), ttl};
}

constexpr LeaseOptions kOptions{64, 64, Duration::seconds(1)};

// Forty servers that hardly spend anything, but mostly hold a lease: what they hold must not become a second bucket.
TEST(LeaseBounds, UnusedLeasesAreNoSecondBucket) {
  const Limit limit = *Limit::token_bucket(10, 100);
  const LeaseTerms terms = fixed(10, Duration::seconds(1));
  Fleet fleet(40, limit, kOptions);
  std::mt19937_64 random(3);
  for (int step = 0; step < 250 * 100; ++step) {  // 100 seconds, of which each spends a quarter of what comes back.
    fleet.take(random() % 40, Tokens::micros(10'000), terms);
    fleet.clock.advance(Duration::millis(4));
    fleet.sweep();
  }
  Tokens at_once;
  for (size_t server = 0; server < 40; ++server) {
    while (fleet.take(server, kOneToken, terms)) at_once = at_once + kOneToken;
  }
  EXPECT_LE(at_once, Tokens::whole(100 + 10 * 1)) << "given back in full, there would be more than 300";
}

TEST(LeaseBounds, FiveServersTakeFromOthersNoMoreThanTheyHoldAndNotForLong) {
  const Limit limit = *Limit::token_bucket(100, 1000);
  const Duration ttl = Duration::millis(400);
  Fleet fleet(5, limit, kOptions);
  for (size_t server = 0; server < 5; ++server) fleet.take(server, kOneToken, fixed(50, ttl));
  EXPECT_EQ(fleet.outstanding(), Tokens::whole(250));
  EXPECT_EQ(fleet.remaining(), Tokens::whole(1000 - 5 - 250));
  const Duration sweep = Duration::millis(10);
  for (Duration waited; waited < ttl; waited = Duration(waited.ns + sweep.ns)) {
    // Only the first half of the ttl passes unused.
    fleet.clock.advance(sweep);
    fleet.sweep();
  }
  EXPECT_EQ(fleet.outstanding(), Tokens());
  EXPECT_GE(fleet.remaining(), Tokens::whole(1000 - 5)) << "as if none had been leased";
  fleet.clock.advance(Duration::seconds(2));
  EXPECT_EQ(fleet.remaining(), Tokens::whole(1000));
}

struct Load {
  size_t servers;
  double per_second;  // of a bucket of 1000 a second and 1000 at once
  LeaseTerms terms;
};

struct Yield {
  double admitted;   // of what the bucket alone would have admitted
  double questions;  // for each request
};

// Requests at random times on random servers, for 30 seconds.
Yield yield_of(const Load& load, const LeaseOptions& options) {
  Fleet fleet(load.servers, *Limit::token_bucket(1000, 1000), options);
  std::mt19937_64 random(3);
  std::exponential_distribution<double> gap(load.per_second);
  int64_t requests = 0;
  int64_t admitted = 0;
  double next_sweep = 0;
  for (double seconds = gap(random); seconds < 30; seconds += gap(random), ++requests) {
    fleet.clock.set(Instant(1'000'000'000 + static_cast<int64_t>(seconds * 1e9)));
    if (seconds > next_sweep) {
      fleet.sweep();
      next_sweep = seconds + 0.01;
    }
    admitted += fleet.take(random() % load.servers, kOneToken, load.terms) ? 1 : 0;
  }
  EXPECT_LE(admitted, 31'000);
  return {static_cast<double>(admitted) / static_cast<double>(std::min<int64_t>(requests, 31'000)),
          static_cast<double>(fleet.questions()) / static_cast<double>(requests)};
}

TEST(LeaseBounds, LeasesByDemandCostTheBucketNothing) {
  const LeaseTerms automatic{LeaseTerms::Kind::kAuto, {}, {}};
  for (const double per_second : {500, 900, 1000, 2000}) {
    EXPECT_GT(yield_of({5, per_second, automatic}, kOptions).admitted, 0.999) << per_second;
    EXPECT_GT(yield_of({40, per_second, automatic}, kOptions).admitted, 0.999) << per_second;
  }
  EXPECT_LT(yield_of({5, 900, automatic}, kOptions).questions, 0.05);
}

TEST(LeaseBounds, FixedLeasesThatFitInTheRateCostLessThanOneInAThousand) {
  const LeaseTerms fitting = fixed(10, Duration::millis(500));
  for (const double per_second : {500, 900, 1000, 2000}) {
    EXPECT_GT(yield_of({40, per_second, fitting}, kOptions).admitted, 0.999) << per_second;
  }
}

// 40 x 20 in half a second are more than the bucket gets in that time.
TEST(LeaseBounds, FixedLeasesThatAreTooLargeCostLessThanOneInAHundred) {
  const LeaseTerms large = fixed(20, Duration::millis(500));
  for (const double per_second : {500, 900, 1000, 2000}) {
    EXPECT_GT(yield_of({40, per_second, large}, kOptions).admitted, 0.99) << per_second;
  }
}

}  // namespace
}  // namespace sluice::shortcuts
