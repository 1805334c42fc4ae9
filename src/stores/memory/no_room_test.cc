// What happens at the bound: keys that find no room share buckets, and nobody gains tokens by it.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stores/memory/small_store_testing.h"

namespace sluice::memory {
namespace {

// A key that is moved by a sweep just now must not be taken for one that has no bucket.
TEST(NoRoom, WhileTheTableIsSweptADrainedBucketIsStillFound) {
  const auto store = small_store();
  const Limit slow = *Limit::token_bucket(1e-9, 1);
  const Limit quick = *Limit::token_bucket(1e3, 1);
  constexpr uint64_t kDrained = 17'600;
  for (uint64_t i = 0; i < kDrained; ++i) ASSERT_TRUE(store->take({key_of("slow", i), &slow}, kStart).allowed());
  std::atomic<int64_t> now_ns{kStart.ns};
  std::atomic<bool> is_over{false};
  std::thread churn([&] {
    for (uint64_t i = 0; !is_over; i += 32) {
      std::vector<std::string> keys;
      for (uint64_t j = 0; j < 32; ++j) keys.push_back(key_of("quick", i + j));
      std::vector<Take> takes;
      for (const std::string& key : keys) takes.push_back({key, &quick});
      store->take_all(takes, Instant(now_ns.fetch_add(100'000)));
    }
  });
  std::mt19937 random(1);
  int admitted = 0;
  for (int i = 0; i < 1'500'000; ++i) {
    admitted += store->take({key_of("slow", random() % kDrained), &slow}, Instant(now_ns.load())).allowed() ? 1 : 0;
  }
  is_over = true;
  churn.join();
  EXPECT_EQ(admitted, 0);
  EXPECT_GT(store->stats().reclaimed, 0U);
  EXPECT_GT(store->stats().shared, 0U);
}

// The store is full of keys that come back soon, and all shared buckets are spent at a rate that lasts.
std::unique_ptr<MemoryStore> store_after_a_flood() {
  auto store = small_store();
  const Limit quick = *Limit::token_bucket(1e3, 1);
  const Limit slow = *Limit::token_bucket(1e-4, 2);
  for (uint64_t i = 0; store->stats().shared == 0; ++i) store->take({key_of("quick", i), &quick}, kStart);
  for (uint64_t i = 0; i < 60'000; ++i) store->take({key_of("slow", i), &slow}, kStart);
  return store;
}

TEST(NoRoom, AfterAFloodBySlowKeysWhoWaitsAsTheyAreToldIsAdmitted) {
  const Tokens five = Tokens::whole(5);
  const Duration second = Duration::seconds(1);
  for (const Limit& limit : {*Limit::token_bucket(10, 5), *Limit::leaky_bucket(*Rate::per_second(10), five),
                             *Limit::fixed_window(five, second), *Limit::sliding_window_log(five, second),
                             *Limit::sliding_window_counter(five, second)}) {
    const auto store = store_after_a_flood();
    const Instant later = kStart + Duration::seconds(10);
    // Newcomers make room by and by.
    const Limit any = *Limit::token_bucket(10, 5);
    for (uint64_t i = 0; i < 1'000; ++i) store->take({key_of("early", i), &any, five}, later);
    ASSERT_GT(store->stats().reclaimed, 1'000U);
    for (uint64_t i = 0; i < 100; ++i) {
      const std::string key = key_of("newcomer", i);
      const Take take{key, &limit, five};
      const Decision told = store->take(take, later);
      ASSERT_EQ(told.verdict, Verdict::kLimited) << name_of(limit.algorithm()) << i;
      ASSERT_LE(told.retry_after, Duration::seconds(2)) << name_of(limit.algorithm()) << i;
      const Instant over = later + told.retry_after;
      EXPECT_FALSE(store->take(take, Instant(over.ns - 1)).allowed()) << name_of(limit.algorithm()) << i;
      EXPECT_TRUE(store->take(take, over).allowed()) << name_of(limit.algorithm()) << i;
    }
  }
}

TEST(NoRoom, WhileAFloodBySlowKeysLastsTheWaitThatIsToldIsLongAndHonestToo) {
  const auto store = small_store();
  const Limit slow = *Limit::token_bucket(0.01, 1);
  for (uint64_t i = 0; i < 80'000; ++i) store->take({key_of("slow", i), &slow}, kStart);
  for (const Limit& limit :
       {*Limit::token_bucket(10, 5), *Limit::fixed_window(Tokens::whole(5), Duration::seconds(1))}) {
    const std::string key(name_of(limit.algorithm()));
    const Take take{key, &limit, Tokens::whole(5)};
    const Decision told = store->take(take, kStart);
    ASSERT_EQ(told.verdict, Verdict::kLimited);
    EXPECT_GE(told.retry_after, Duration::seconds(100));
    EXPECT_TRUE(store->take(take, kStart + told.retry_after).allowed());
  }
}

TEST(NoRoom, AQueueThatIsSharedHasDelaysToo) {
  const auto store = small_store();
  const Limit slow = *Limit::token_bucket(1e-9, 1);
  const Limit queue = *Limit::leaky_queue(*Rate::per_second(1), Tokens::whole(5));
  for (uint64_t i = 0; store->stats().shared == 0; ++i) store->take({key_of("slow", i), &slow}, kStart);
  for (uint64_t i = 0; i < 100; ++i) {
    const std::string key = key_of("queue", i);
    if (!store->take({key, &queue, Tokens::whole(5)}, kStart).allowed()) continue;
    EXPECT_EQ(store->take({key, &queue}, kStart).verdict, Verdict::kLimited);
    const Decision next = store->take({key, &queue}, kStart + Duration::seconds(2));
    ASSERT_TRUE(next.allowed());
    EXPECT_GE(next.delay, Duration::seconds(3));
    const Take probe{key, &queue};
    EXPECT_GE(store->time_to_full(probe, kStart + Duration::seconds(2)), Duration::seconds(4));
    return;
  }
  FAIL() << "no shared bucket was left unspent";
}

}  // namespace
}  // namespace sluice::memory
