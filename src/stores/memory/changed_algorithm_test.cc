// A key whose limit becomes one of another algorithm: what was spent stays spent, and waits stay honest.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "properties/limits.h"
#include "stores/memory/memory_store.h"

namespace sluice::memory {
namespace {

using namespace properties;

constexpr Instant kStart{1'700'000'000'123'456'789};

std::unique_ptr<MemoryStore> make_store() { return std::move(*MemoryStore::create({uint64_t{1} << 20, false})); }

Tokens any_cost(const Limit& limit) { return Tokens::micros(*between(1, limit.capacity().micros())); }

// Of a limit that lasts at most some years, so that nothing ends beyond the end of time.
Limit any_limit_of_years(Algorithm algorithm) {
  const Limit limit = any_limit(algorithm);
  RC_PRE(limit.window() < Duration::seconds(100'000'000));
  return limit;
}

// Takes now and then for a while; returns the time at which it ends.
Instant live(MemoryStore& store, const Limit& limit) {
  Instant now = kStart;
  const int64_t takes = *between(1, 12);
  for (int64_t i = 0; i < takes; ++i) {
    now = now + Duration(static_cast<int64_t>(*share() * static_cast<double>(limit.window().ns) / 4));
    store.take({"k", &limit, any_cost(limit)}, now);
  }
  return now;
}

RC_GTEST_PROP(ChangedAlgorithm, LeavesWaitsHonest, ()) {
  const auto store = make_store();
  const Instant now = live(*store, any_limit_of_years(*any_algorithm()));
  const Limit limit = any_limit_of_years(*any_algorithm());
  const Take take{"k", &limit, any_cost(limit)};
  const Decision decision = store->take(take, now);
  const Instant over = now + decision.retry_after;
  // A wait beyond the end of time cannot be waited for.
  RC_PRE(decision.verdict == Verdict::kLimited && decision.retry_after < kForever && over < Instant(INT64_MAX));
  RC_ASSERT(decision.retry_after > Duration());
  RC_ASSERT(!store->take(take, Instant(over.ns - 1)).allowed());
  RC_ASSERT(store->take(take, over).allowed());
}

// At one instant nothing comes back, whatever the limits are called.
RC_GTEST_PROP(ChangedAlgorithm, GivesNothingBackByItself, ()) {
  const auto store = make_store();
  Tokens admitted;
  Tokens largest;
  for (int i = 0; i < 8; ++i) {
    const auto window = window_limit(Algorithm::kFixedWindow, Tokens::whole(*between(1, 20)), Duration::seconds(60));
    const Algorithm algorithm = *any_algorithm();
    const Limit limit = is_windowed(algorithm)
                            ? *window_limit(algorithm, window->capacity(), Duration::seconds(*between(1, 60)))
                            : bucket_limit(algorithm, window->rate(), window->capacity());
    const Take take{"k", &limit, Tokens::whole(*between(1, 20))};
    if (store->take(take, kStart).allowed()) admitted = admitted + take.cost;
    largest = std::max(largest, limit.capacity());
    RC_ASSERT(admitted <= largest);
  }
}

TEST(ChangedAlgorithm, OfAWindowWithMoreInSightThanItNowAllowsForgetsNoneOfIt) {
  for (const Algorithm algorithm : {Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter}) {
    const auto store = make_store();
    const Limit ten = *window_limit(algorithm, Tokens::whole(10), Duration::seconds(60));
    const Limit four = *window_limit(algorithm, Tokens::whole(4), Duration::seconds(90));
    const Limit bucket = *Limit::token_bucket(1e-3, 10);
    ASSERT_TRUE(store->take({"k", &ten, Tokens::whole(10)}, kStart).allowed());
    ASSERT_FALSE(store->take({"k", &four}, kStart).allowed());
    EXPECT_FALSE(store->take({"k", &bucket}, kStart).allowed());
  }
}

}  // namespace
}  // namespace sluice::memory
