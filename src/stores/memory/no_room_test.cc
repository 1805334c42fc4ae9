// What happens at the bound: keys that find no room share buckets, and nobody gains tokens by it.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stores/memory/memory_store.h"

namespace sluice::memory {
namespace {

constexpr Instant kStart{1'000'000'000};
constexpr uint64_t kSmallest = uint64_t{1} << 20;

std::unique_ptr<MemoryStore> small_store() { return std::move(*MemoryStore::create({kSmallest, false})); }

std::string key_of(const char* name, uint64_t i) { return name + std::to_string(i); }

// A key that is moved by a sweep just now must not be taken for one that has no bucket.
TEST(NoRoom, WhileTheTableIsSweptADrainedBucketIsStillFound) {
  const auto store = small_store();
  const Limit slow = *Limit::token_bucket(1e-9, 1);
  const Limit quick = *Limit::token_bucket(1e3, 1);
  constexpr uint64_t kDrained = 17'000;
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

class NoRoomForWindows : public testing::TestWithParam<Algorithm> {
 protected:
  static Limit limit_of(int64_t capacity) {
    const Tokens tokens = Tokens::whole(capacity);
    return GetParam() == Algorithm::kSlidingWindowLog ? *Limit::sliding_window_log(tokens, Duration::seconds(1))
                                                      : *Limit::sliding_window_counter(tokens, Duration::seconds(1));
  }
};

INSTANTIATE_TEST_SUITE_P(Sliding, NoRoomForWindows,
                         testing::Values(Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter));

TEST_P(NoRoomForWindows, WhatFullOnesLeaveIsUsedAgainHoweverEmptyTheTableIs) {
  const auto store = small_store();
  const Limit limit = limit_of(1);
  for (int64_t i = 0; i < 20'000; ++i) {
    const Instant now = kStart + Duration::seconds(10 * i);
    ASSERT_TRUE(store->take({key_of("k", static_cast<uint64_t>(i)), &limit}, now).allowed()) << i;
  }
  EXPECT_GT(store->stats().reclaimed, 10'000U);
}

TEST_P(NoRoomForWindows, WhoCameWhileThereWasNoneIsNotHeldToItLater) {
  const auto store = small_store();
  const Limit limit = limit_of(1);
  const Limit other = *Limit::token_bucket(1e-9, 1);
  for (uint64_t i = 0; i < 10'000; ++i) store->take({key_of("other", i), &other}, kStart);
  for (uint64_t i = 0; i < 5'000; ++i) store->take({key_of("early", i), &limit}, kStart);
  ASSERT_GT(store->stats().shared, 0U);
  const Instant later = kStart + Duration::seconds(10);
  int refused = 0;
  for (uint64_t i = 0; i < 300; ++i) refused += store->take({key_of("late", i), &limit}, later).allowed() ? 0 : 1;
  EXPECT_EQ(refused, 0);
}

// While none is full there is nothing to look for.
TEST_P(NoRoomForWindows, BusyOnesStayAndNewcomersAreStillLimited) {
  const auto store = small_store();
  const Limit limit = limit_of(5);
  for (uint64_t i = 0; i < 10'000; ++i) store->take({key_of("busy", i), &limit, Tokens::whole(5)}, kStart);
  EXPECT_EQ(store->stats().reclaimed, 0U);
  EXPECT_LE(store->stats().bytes, kSmallest);
  int admitted = 0;
  for (int i = 0; i < 100; ++i) admitted += store->take({"newcomer", &limit}, kStart).allowed() ? 1 : 0;
  EXPECT_LE(admitted, 5);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(store->take({key_of("busy", i), &limit}, kStart).allowed()) << i;
}

TEST(NoRoom, AKeyOfATokenBucketGetsAWindowAsSoonAsAnotherIsFull) {
  const auto store = small_store();
  const Limit bucket = *Limit::token_bucket(1e-9, 2);
  const Limit log = *Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(1));
  ASSERT_TRUE(store->take({"changed", &bucket}, kStart).allowed());
  for (uint64_t i = 0; i < 5'000; ++i) store->take({key_of("k", i), &log}, kStart);
  const Instant later = kStart + Duration::seconds(2);
  EXPECT_TRUE(store->take({"changed", &log}, later).allowed());
  EXPECT_FALSE(store->take({"changed", &log}, later).allowed());
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
