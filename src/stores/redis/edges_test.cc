// Where numbers are at their ends, the script and the memory store say the same too.
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>

#include "stores/memory/memory_store.h"
#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;

constexpr int64_t kStartUs = 1'700'000'000'000'000;
constexpr Duration kYear = Duration::seconds(365 * 86'400);
constexpr Duration kCentury = Duration::seconds(100LL * 366 * 86'400);

class Edges : public testing::Test {
 protected:
  // To both, under a limit that goes with the test.
  void expect_same(Action action, const Take& take, int64_t at_us) {
    const Instant now(at_us * 1000);
    EXPECT_PRED2(is_same, ask_one(script_, action, take, now), ask_one(*memory_, action, take, now))
        << at_us << " " << name_of(take.limit->algorithm());
  }

  ScriptStore script_{shared_redis()};
  std::unique_ptr<memory::MemoryStore> memory_ = std::move(*memory::MemoryStore::create({}));
};

TEST_F(Edges, OfCapacitiesRatesAndWindows) {
  std::vector<Limit> limits;
  for (const Tokens capacity : {Tokens::micros(1), kOneToken, Tokens::whole(1'000'000'000)}) {
    for (const double rate : {1e-9, 1.0 / 3, 4'999'999.123, 1e9}) {
      limits.push_back(*Limit::token_bucket(*Rate::per_second(rate), capacity));
      limits.push_back(*Limit::leaky_queue(*Rate::per_second(rate), capacity));
    }
    for (const Duration window : {Duration::millis(1), Duration::seconds(60), kCentury}) {
      const auto add = [&](const Result<Limit>& limit) {
        if (limit.ok()) limits.push_back(*limit);  // a billion in a millisecond is too much
      };
      add(Limit::fixed_window(capacity, window));
      add(Limit::sliding_window_log(capacity, window));
      add(Limit::sliding_window_counter(capacity, window));
    }
  }
  for (size_t i = 0; i < limits.size(); ++i) {
    const Limit& limit = limits[i];
    const std::string key = std::to_string(i);
    const Tokens most = limit.capacity();
    const Tokens part = Tokens::micros(most.micros() / 3 + 1);
    for (const int64_t later : {int64_t{0}, int64_t{1}, int64_t{777}, kYear.ns / 1000, 30 * kYear.ns / 1000}) {
      for (const Tokens cost :
           {part, Tokens::micros(1), most, most + Tokens::micros(1), Tokens::whole(1'000'000'000'000)}) {
        expect_same(Action::kTake, {key, &limit, cost}, kStartUs + later);
        expect_same(Action::kPeek, {key, &limit, cost}, kStartUs + later);
      }
      expect_same(Action::kRefund, {key, &limit, Tokens::micros(1)}, kStartUs + later);
    }
  }
}

// Beyond two years a pace counts in units of 1024 us, to have room for its product.
TEST_F(Edges, OfLimitsThatChangeAfterYears) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int64_t> years(1, 40 * kYear.ns / 1000);
  const Limit after = *Limit::token_bucket(1, 1e9);
  for (int i = 0; i < 500; ++i) {
    const Limit before = *Limit::token_bucket(1 + i / 500.0, 1e9);
    const std::string key = std::to_string(i);
    expect_same(Action::kTake, {key, &before, *cost_of(1e9)}, kStartUs);
    const int64_t later = years(random);
    expect_same(Action::kPeek, {key, &after}, kStartUs + later);
    expect_same(Action::kTake, {key, &after, *cost_of(1e8)}, kStartUs + later);
  }
}

TEST_F(Edges, OfWindowsThatChangeWhenTheyEnd) {
  const Limit after[] = {*Limit::fixed_window(Tokens::whole(5), Duration::seconds(7)),
                         *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(7)),
                         *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(7)),
                         *Limit::token_bucket(1, 5)};
  const int64_t window_us = 8'388'608;  // of a length that its pace knows exactly
  const int64_t start_us = kStartUs / window_us * window_us;
  int number = 0;
  for (const Limit& before : {*Limit::fixed_window(Tokens::whole(5), Duration::micros(window_us)),
                              *Limit::sliding_window_counter(Tokens::whole(5), Duration::micros(window_us)),
                              *Limit::sliding_window_log(Tokens::whole(5), Duration::micros(window_us))}) {
    for (const Limit& limit : after) {
      for (const int64_t later : {-3 * window_us, -1L, 0L, 1L, window_us - 1, window_us, window_us + 1,
                                  2 * window_us - 1, 2 * window_us, 3 * window_us}) {
        const std::string key = std::to_string(++number);
        expect_same(Action::kTake, {key, &before, Tokens::whole(4)}, start_us);
        expect_same(Action::kTake, {key, &limit, Tokens::whole(2)}, start_us + later);
        expect_same(Action::kTake, {key, &limit, kOneToken}, start_us + later + 1);
        expect_same(Action::kPeek, {key, &limit, kOneToken}, start_us + later + 4 * window_us);
      }
    }
  }
}

// What was taken, and not what a smaller limit may hold, is what another algorithm starts from.
TEST_F(Edges, OfWindowsThatAreMadeSmallerAndThenABucket) {
  const Limit bucket = *Limit::token_bucket(1, 10);
  const Limit logs[] = {*Limit::sliding_window_log(Tokens::whole(10), Duration::seconds(10)),
                        *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(20))};
  const Limit counters[] = {*Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10)),
                            *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(20))};
  for (const std::span<const Limit> limits : {std::span<const Limit>(logs), std::span<const Limit>(counters)}) {
    const std::string key = name_of(limits[0].algorithm());
    expect_same(Action::kTake, {key, &limits[0], Tokens::whole(10)}, kStartUs);
    expect_same(Action::kTake, {key, &limits[1], kOneToken}, kStartUs);
    expect_same(Action::kTake, {key, &bucket, kOneToken}, kStartUs);
    const Take take{key, &bucket, kOneToken};
    EXPECT_FALSE(ask_one(script_, Action::kTake, take, Instant(kStartUs * 1000)).decision.allowed()) << key;
  }
}

TEST_F(Edges, OfWhatOneQuestionHolds) {
  std::vector<Limit> limits;
  std::vector<std::string> keys;
  std::vector<Take> takes;
  for (size_t i = 0; i < Question::kMaxTakes; ++i) {
    limits.push_back(*Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(static_cast<int64_t>(i) + 1)));
    keys.push_back(std::to_string(i));
  }
  for (size_t i = 0; i < limits.size(); ++i) takes.push_back({keys[i], &limits[i], Tokens::whole(2)});
  std::vector<stores::BucketResult> results(takes.size());
  std::vector<stores::Ask> asks(takes.size() / stores::Store::kMaxTakes);
  for (size_t i = 0; i < asks.size(); ++i) {
    asks[i].takes = std::span(takes).subspan(i * stores::Store::kMaxTakes, stores::Store::kMaxTakes);
    asks[i].results = std::span(results).subspan(i * stores::Store::kMaxTakes, stores::Store::kMaxTakes);
    asks[i].together = i % 2 * stores::Store::kMaxTakes;
    ASSERT_TRUE(script_.question().add(asks[i]));
  }
  ASSERT_TRUE(script_.ask_all(Instant(kStartUs * 1000)));
  for (const stores::BucketResult& result : results) EXPECT_EQ(result.decision.remaining, Tokens::whole(3));
}

TEST_F(Edges, OfTheLongestWait) {
  const Limit limit = *Limit::token_bucket(1e-9, 20);  // a token in 31.7 years; the longest wait is nine of them
  for (int tokens = 1; tokens <= 20; ++tokens) {
    for (const int64_t later : {int64_t{0}, kYear.ns / 1000, 30 * kYear.ns / 1000}) {
      const std::string key = std::to_string(tokens) + "/" + std::to_string(later);
      expect_same(Action::kTake, {key, &limit, Tokens::whole(tokens)}, kStartUs);
      expect_same(Action::kPeek, {key, &limit, Tokens::whole(20)}, kStartUs + later);
      expect_same(Action::kTake, {key, &limit, kOneToken}, kStartUs + later);
    }
  }
}

}  // namespace
}  // namespace sluice::redis_store
