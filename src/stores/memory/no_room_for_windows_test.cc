// What happens to sliding windows when there is no room for their memory: new keys share, known ones are counted in
// their own slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stores/memory/small_store_testing.h"

namespace sluice::memory {
namespace {

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

// As docs/library.md says of 256 MiB.
TEST_P(NoRoomForWindows, AnEighthOfTheBoundIsForThem) {
  constexpr uint64_t kBytes = 8 * kSmallest;
  const auto store = std::move(*MemoryStore::create({kBytes, false}));
  const Limit limit = limit_of(8);
  uint64_t windows = 0;
  for (; store->stats().shared == 0; ++windows) {
    ASSERT_TRUE(store->take({key_of("k", windows), &limit}, kStart).allowed()) << windows;
  }
  const uint64_t in_256_mib = windows * 32;
  const uint64_t told = GetParam() == Algorithm::kSlidingWindowLog ? 125'000 : 240'000;
  EXPECT_GE(in_256_mib, told);
  EXPECT_LE(in_256_mib, told * 21 / 20);
}

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

TEST(NoRoomForWindow, AKeyOfATokenBucketGetsAWindowAsSoonAsAnotherIsFull) {
  const auto store = small_store();
  const Limit bucket = *Limit::token_bucket(1e-9, 2);
  const Limit log = *Limit::sliding_window_log(Tokens::whole(2), Duration::seconds(1));
  ASSERT_TRUE(store->take({"changed", &bucket}, kStart).allowed());
  for (uint64_t i = 0; i < 5'000; ++i) store->take({key_of("k", i), &log}, kStart);
  const Instant later = kStart + Duration::seconds(2);
  EXPECT_TRUE(store->take({"changed", &log}, later).allowed());
  EXPECT_FALSE(store->take({"changed", &log}, later).allowed());
}

class NoRoomForAWindow : public testing::TestWithParam<Algorithm> {
 protected:
  // Every window's memory is taken for a day, and then some.
  void fill() {
    const Limit day = *Limit::sliding_window_log(kOneToken, Duration::seconds(86'400));
    for (uint64_t i = 0; store_->stats().shared == 0; ++i) store_->take({key_of("day", i), &day}, kStart);
  }
  Decision take(const Limit& limit, int64_t cost, Duration when) {
    return store_->take({"known", &limit, Tokens::whole(cost)}, kStart + when);
  }

  const std::unique_ptr<MemoryStore> store_ = small_store();
  const Limit bucket_ = *Limit::token_bucket(1, 5);
  const Limit window_ = GetParam() == Algorithm::kSlidingWindowLog
                            ? *Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(10))
                            : *Limit::sliding_window_counter(Tokens::whole(3), Duration::seconds(10));
};

INSTANTIATE_TEST_SUITE_P(Sliding, NoRoomForAWindow,
                         testing::Values(Algorithm::kSlidingWindowLog, Algorithm::kSlidingWindowCounter));

TEST_P(NoRoomForAWindow, AKnownKeyThatIsFullIsAllowedAndThenTellsHonestWaits) {
  ASSERT_TRUE(take(bucket_, 5, Duration()).allowed());
  fill();
  const uint64_t shared = store_->stats().shared;
  const Duration now = Duration::seconds(20);
  EXPECT_EQ(take(window_, 4, now).verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(take(window_, 4, now).retry_after, kForever);
  const Decision first = take(window_, 3, now);
  EXPECT_TRUE(first.allowed());
  EXPECT_EQ(first.remaining, Tokens());
  const Decision told = take(window_, 1, now);
  ASSERT_EQ(told.verdict, Verdict::kLimited);
  EXPECT_GE(told.retry_after, Duration::seconds(10));
  EXPECT_LE(told.retry_after, Duration::millis(10'160));  // A 64th longer at most.
  const Duration over(now.ns + told.retry_after.ns);
  EXPECT_FALSE(take(window_, 1, Duration(over.ns - 1)).allowed());
  EXPECT_TRUE(take(window_, 1, over).allowed());
  EXPECT_EQ(store_->stats().shared, shared);
}

TEST_P(NoRoomForAWindow, AKnownKeyThatHasSpentHasThatLessToSpend) {
  ASSERT_TRUE(take(bucket_, 2, Duration()).allowed());
  fill();
  EXPECT_EQ(take(window_, 2, Duration()).verdict, Verdict::kLimited);
  const Decision last = take(window_, 1, Duration());
  EXPECT_TRUE(last.allowed());
  EXPECT_EQ(last.remaining, Tokens());
  const Decision told = take(window_, 3, Duration());
  ASSERT_EQ(told.verdict, Verdict::kLimited);
  EXPECT_TRUE(take(window_, 3, told.retry_after).allowed());
}

// Windows of two kinds: the one is given up for the other, which has no memory of its own to go to.
TEST_P(NoRoomForAWindow, AKeyOfAnotherWindowKeepsWhatItHasSpent) {
  const Limit other = GetParam() == Algorithm::kSlidingWindowLog
                          ? *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(10))
                          : *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(10));
  ASSERT_TRUE(take(other, 2, Duration()).allowed());
  fill();
  EXPECT_FALSE(take(window_, 2, Duration()).allowed());
  EXPECT_TRUE(take(window_, 1, Duration()).allowed());
  EXPECT_FALSE(take(window_, 1, Duration()).allowed());
}

// Windows come and go, their memory is short, and the limits of keys change from one algorithm to another meanwhile.
TEST(NoRoomForWindow, ManyThreadsTogetherAdmitNoKeyMoreThanItsLimit) {
  const auto store = small_store();
  const Tokens five = Tokens::whole(5);
  const Duration day = Duration::seconds(86'400);
  const Limit limits[] = {*Limit::sliding_window_log(five, day), *Limit::sliding_window_counter(five, day),
                          *Limit::fixed_window(five, day), *Limit::token_bucket(1e-9, 5)};
  const Limit brief = *Limit::sliding_window_log(five, Duration::millis(1));
  constexpr size_t kKeys = 700;
  std::vector<std::atomic<int>> admitted(kKeys);
  std::atomic<int64_t> now_ns{kStart.ns};
  const auto work = [&](uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 20'000; ++i) {
      const Instant now(now_ns.fetch_add(1'000));
      const size_t first = random() % kKeys;
      const size_t second = random() % kKeys;
      const std::string keys[] = {std::to_string(first), std::to_string(second), key_of("brief", random() % 5'000)};
      const Take takes[] = {{keys[0], &limits[random() % 4]}, {keys[1], &limits[random() % 4]}, {keys[2], &brief}};
      if (!store->take_all(takes, now).allowed()) continue;
      ++admitted[first];
      ++admitted[second];
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(store->stats().shared, 0U);
  EXPECT_GT(store->stats().reclaimed, 0U);
  int most = 0;
  for (const std::atomic<int>& count : admitted) most = std::max(most, count.load());
  EXPECT_EQ(most, 5);
}

}  // namespace
}  // namespace sluice::memory
