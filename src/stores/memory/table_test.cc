// The table under churn, growth and many threads: no key is lost, doubled or refilled.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stores/memory/memory_store.h"

namespace sluice::memory {
namespace {

constexpr Instant kStart{1'000'000'000};

std::unique_ptr<MemoryStore> make_store(uint64_t max_bytes) { return std::move(*MemoryStore::create({max_bytes})); }

std::string key_of(uint64_t i) { return "key:" + std::to_string(i); }

// Runs `work(thread)` on several threads at once.
template <class Work>
void on_threads(int count, const Work& work) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      ready.fetch_add(1);
      while (ready.load() < count) std::this_thread::yield();
      work(t);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Table, GrowsFromNothingToManyKeysAndForgetsNone) {
  const auto store = make_store(uint64_t{256} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 2);
  constexpr uint64_t kKeys = 300'000;
  for (uint64_t i = 0; i < kKeys; ++i)
    ASSERT_TRUE(store->take({key_of(i), &limit, Tokens::whole(2)}, kStart).allowed());
  EXPECT_EQ(store->stats().keys, kKeys);
  for (uint64_t i = 0; i < kKeys; ++i) ASSERT_FALSE(store->take({key_of(i), &limit, kOneToken}, kStart).allowed()) << i;
  EXPECT_EQ(store->stats().shared, 0U);
  EXPECT_LT(store->stats().bytes, kKeys * 49);
}

TEST(Table, AnswersAsAMapThatForgetsNothingWhateverIsReclaimed) {
  const auto store = make_store(uint64_t{16} << 20);
  const std::vector<Limit> limits = {*Limit::token_bucket(100, 5),
                                     *Limit::token_bucket(0.5, 20),
                                     *Limit::token_bucket(1.0 / 3, 2),
                                     *Limit::fixed_window(Tokens::whole(3), Duration::seconds(1)),
                                     *Limit::leaky_queue(*Rate::per_second(10), Tokens::whole(4)),
                                     *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(2))};
  std::map<uint64_t, Bucket> model;
  std::mt19937_64 random(20'261'115);
  Instant now = kStart;
  // Old keys come back, new ones keep coming, and the limit of a key changes now and then.
  for (uint64_t step = 0; step < 600'000; ++step) {
    now = now + Duration(static_cast<int64_t>(random() % 200'000));
    const uint64_t key = random() % 4 == 0 ? step : step - std::min(step, random() % 20'000);
    const Limit& limit = limits[(key + (step > 300'000 && key % 7 == 0 && key % 6 < 3 ? 1 : 0)) % limits.size()];
    if (limit.algorithm() != limits[key % limits.size()].algorithm()) continue;
    const Tokens cost = Tokens::micros(static_cast<int64_t>(1 + random() % 2'500'000));
    const std::string name = key_of(key);
    Bucket& bucket = model[key];
    const BucketOutcome expected = decide(limit, bucket, cost, now);
    keep(limit, bucket, expected, cost, now);
    const Decision got = store->take({name, &limit, cost}, now);
    ASSERT_EQ(got.verdict, expected.decision.verdict) << step;
    ASSERT_EQ(got.remaining, expected.decision.remaining) << step;
    ASSERT_EQ(got.retry_after, expected.decision.retry_after) << step;
    ASSERT_EQ(got.delay, expected.decision.delay) << step;
  }
  EXPECT_GT(store->stats().reclaimed, 10'000U);
  EXPECT_EQ(store->stats().shared, 0U);
}

TEST(Table, AFloodOfKeysNeverRefillsADrainedBucket) {
  const auto store = make_store(uint64_t{1} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 10);
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(store->take({"victim" + std::to_string(i), &limit, Tokens::whole(10)}, kStart).allowed());
  }
  for (uint64_t i = 0; i < 200'000; ++i) store->take({key_of(i), &limit, kOneToken}, kStart);
  EXPECT_GT(store->stats().shared, 0U);
  EXPECT_LE(store->stats().bytes, uint64_t{1} << 20);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(store->take({"victim" + std::to_string(i), &limit, kOneToken}, kStart).allowed()) << i;
  }
}

TEST(Table, WithNoRoomLeftNewKeysAreStillLimited) {
  const auto store = make_store(uint64_t{1} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 10);
  for (uint64_t i = 0; i < 50'000; ++i) store->take({key_of(i), &limit, kOneToken}, kStart);
  int allowed = 0;
  for (int i = 0; i < 1000; ++i) allowed += store->take({"newcomer", &limit, kOneToken}, kStart).allowed() ? 1 : 0;
  EXPECT_LE(allowed, 10);
}

// Whoever shares a bucket gets no more of it in any window than he would have had alone.
TEST(Table, WithNoRoomLeftWindowsAreHeldThroughAllTheirLength) {
  constexpr auto kCapacity = Tokens::whole(10);
  constexpr auto kWindow = Duration::seconds(10);
  const Limit filler = *Limit::token_bucket(1e-6, 10);
  for (const Limit& limit : {*Limit::fixed_window(kCapacity, kWindow), *Limit::sliding_window_log(kCapacity, kWindow),
                             *Limit::sliding_window_counter(kCapacity, kWindow)}) {
    const auto store = make_store(uint64_t{1} << 20);
    for (uint64_t i = 0; store->stats().shared == 0; ++i) store->take({key_of(i), &filler, kOneToken}, kStart);
    std::vector<Instant> admitted;
    for (int ms = 0; ms < 60'000; ms += 50) {
      const Instant now = kStart + Duration::millis(ms);
      if (!store->take({"newcomer", &limit, kOneToken}, now).allowed()) continue;
      admitted.push_back(now);
      const size_t count = admitted.size();
      if (count > 10) {
        EXPECT_GE(now - admitted[count - 11], kWindow) << ms;
      }
    }
    EXPECT_GT(store->stats().shared, 10U);
  }
}

// What another key has spent under a rate is not given back faster because a window came to share with it.
TEST(Table, WithNoRoomLeftRatesAndWindowsShareAsTheSlowerOfThem) {
  const Limit slow = *Limit::token_bucket(0.01, 10);
  const Limit window = *Limit::fixed_window(Tokens::whole(10), Duration::seconds(1));
  BucketState state;
  const auto take = [&](const Limit& limit, int64_t tokens, Instant now) {
    const Outcome outcome = SharedBuckets::decide(limit, state, Tokens::whole(tokens), now);
    state = outcome.state;
    return outcome.decision;
  };
  EXPECT_TRUE(take(slow, 9, kStart).allowed());
  EXPECT_TRUE(take(window, 1, kStart).allowed());
  EXPECT_FALSE(take(slow, 1, kStart + Duration::seconds(900)).allowed());
  const Duration wait = take(slow, 1, kStart).retry_after;
  EXPECT_TRUE(take(slow, 1, kStart + wait).allowed());
}

TEST(Table, RoomThatBucketsLeaveWhenFullIsUsedAgain) {
  const auto store = make_store(uint64_t{1} << 20);
  const Limit limit = *Limit::token_bucket(10, 10);
  Instant now = kStart;
  for (uint64_t i = 0; i < 400'000; ++i) {
    ASSERT_TRUE(store->take({key_of(i), &limit, kOneToken}, now).allowed());
    now = now + Duration::micros(20);  // 5,000 keys are less than full at any time.
  }
  EXPECT_EQ(store->stats().shared, 0U);
}

TEST(TableThreads, OneKeyIsTakenExactlyAsOftenAsItsCapacityAllows) {
  const auto store = make_store(uint64_t{8} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 50'000);
  std::atomic<int64_t> allowed{0};
  on_threads(4, [&](int) {
    int64_t mine = 0;
    for (int i = 0; i < 20'000; ++i) mine += store->take({"hot", &limit, kOneToken}, kStart).allowed() ? 1 : 0;
    allowed += mine;
  });
  EXPECT_EQ(allowed.load(), 50'000);
}

TEST(TableThreads, RequestsOverSeveralBucketsAreAllOrNothingAndNeverDeadlock) {
  const auto store = make_store(uint64_t{8} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 20'000);
  constexpr int kKeys = 6;
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < kKeys; ++i) keys.push_back(key_of(i));
  std::atomic<int64_t> taken[kKeys] = {};
  on_threads(4, [&](int thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread));
    for (int i = 0; i < 15'000; ++i) {
      const size_t a = random() % kKeys;
      const size_t b = (a + 1 + random() % (kKeys - 1)) % kKeys;
      const size_t c = (a + b) % kKeys;
      const Take takes[] = {
          {keys[a], &limit, kOneToken}, {keys[b], &limit, Tokens::whole(2)}, {keys[c], &limit, kOneToken}};
      if (!store->take_all(takes, kStart).allowed()) continue;
      taken[a] += 1;
      taken[b] += 2;
      taken[c] += 1;
    }
  });
  for (size_t i = 0; i < kKeys; ++i) {
    const Take probe{keys[i], &limit, Tokens::micros(1)};
    const int64_t left = store->peek({&probe, 1}, kStart).remaining.floor();
    EXPECT_LE(taken[i], 20'000);
    EXPECT_EQ(left, std::max<int64_t>(0, 20'000 - taken[i])) << i;
  }
}

// Each key has one token. Whatever the table does meanwhile, each must be taken exactly once.
TEST(TableThreads, WhileTheTableGrowsEveryKeyIsAdmittedExactlyOnce) {
  const auto store = make_store(uint64_t{64} << 20);
  const Limit limit = *Limit::token_bucket(1e-6, 1);
  constexpr uint64_t kKeys = 60'000;
  std::atomic<uint64_t> allowed{0};
  on_threads(4, [&](int thread) {
    uint64_t mine = 0;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const uint64_t key = thread % 2 == 0 ? i : (i * 7919) % kKeys;
      mine += store->take({key_of(key), &limit, kOneToken}, kStart).allowed() ? 1 : 0;
    }
    allowed += mine;
  });
  EXPECT_EQ(allowed.load(), kKeys);
  EXPECT_EQ(store->stats().keys, kKeys);
}

// The table is kept at its bound, so that pieces are rebuilt in place all the time.
TEST(TableThreads, WhileBucketsAreReclaimedNoKeyIsAdmittedBeyondItsCap) {
  const auto store = make_store(uint64_t{1} << 20);
  const Limit quick = *Limit::token_bucket(1000, 1);
  const Limit slow = *Limit::token_bucket(1e-6, 100);
  std::atomic<int64_t> now_ns{kStart.ns};
  std::atomic<int64_t> slow_taken[8] = {};
  on_threads(4, [&](int thread) {
    for (uint64_t i = 0; i < 60'000; ++i) {
      const Instant now(now_ns.fetch_add(500) + 500);
      store->take({"churn:" + std::to_string(thread) + ":" + std::to_string(i), &quick, kOneToken}, now);
      const uint64_t key = i % 8;
      if (store->take({key_of(key), &slow, kOneToken}, now).allowed()) slow_taken[key] += 1;
    }
  });
  EXPECT_GT(store->stats().reclaimed, 10'000U);
  for (const auto& taken : slow_taken) EXPECT_EQ(taken.load(), 100);
}

}  // namespace
}  // namespace sluice::memory
