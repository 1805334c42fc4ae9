// When Redis is told to forget a bucket: never before it is full (law 8), and hardly later.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithms/pace.h"
#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;

constexpr Instant kNow = Instant(1'700'000'000'123'457'000);
constexpr int64_t kForeverMs = kForever.ns / 1'000'000;

// The first microsecond at which a pace has brought so much.
int64_t time_to_full_us(Tokens spent, uint16_t pace) {
  int64_t none = 0;
  int64_t all = int64_t{1} << 52;
  while (all - none > 1) {
    const int64_t middle = none + (all - none) / 2;
    (pace::refilled(pace, middle * 1000) >= spent.micros() ? all : none) = middle;
  }
  return all;
}

class Expiry : public testing::Test {
 protected:
  stores::BucketResult ask(Action action, std::string_view key, const Limit& limit, Tokens cost = kOneToken) {
    return ask_one(store_, action, {key, &limit, cost}, now_);
  }
  // When it is full, rounded up.
  int64_t full_at_ms(const stores::BucketResult& result) const {
    return Duration((now_ + result.reset_after).ns).ceil_millis();
  }

  ScriptStore store_{shared_redis()};
  Instant now_ = kNow;
};

TEST_F(Expiry, IsWhenTheBucketIsFullForRatesOfUpToSevenBits) {
  int number = 0;
  for (const double rate : {1.0, 10.0, 100.0, 127.0, 0.5, 1016.0 * 1024, 3.0 / 1024, 1000.0, 2000.0}) {
    for (const double cost : {1.0, 0.000001, 2.5, 77.0}) {
      const std::string key = std::to_string(++number);
      const auto result = ask(Action::kTake, key, *Limit::token_bucket(rate, 100), *cost_of(cost));
      ASSERT_TRUE(result.decision.allowed());
      EXPECT_EQ(store_.expires_at_ms(key), full_at_ms(result)) << rate << " " << cost;
    }
  }
}

TEST_F(Expiry, IsNeverBeforeItIsFullAndLessThanASixtyFourthLate) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-9, 9), share(0, 1);
  for (int i = 0; i < 2000; ++i) {
    const Limit limit = *Limit::token_bucket(std::pow(10, exponent(random)), 1e6);
    const std::string key = std::to_string(i);
    const auto result = ask(Action::kTake, key, limit, *cost_of(1e6 * std::pow(share(random), 4) + 1e-6));
    const int64_t expires = store_.expires_at_ms(key);
    if (result.reset_after == kForever) continue;
    ASSERT_GE(expires, full_at_ms(result));
    const double wait = static_cast<double>(result.reset_after.ns);
    ASSERT_LE(static_cast<double>(expires) * 1e6, static_cast<double>(now_.ns) + wait * (1 + 1.0 / 64) + 3.1e6);
  }
}

// The same estimate carries a bucket over to a changed limit: it must not expire while that would find anything.
TEST_F(Expiry, IsTheMillisecondInWhichThePaceFindsNothingSpent) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> exponent(-7, 9), share(0, 1);
  for (int i = 0; i < 2000; ++i) {
    const Limit limit = *Limit::token_bucket(std::pow(10, exponent(random)), 1e4);
    const std::string key = std::to_string(i);
    const Tokens cost = *cost_of(1e4 * std::pow(share(random), 4) + 1e-6);
    // Full a microsecond after the beginning of a millisecond, where rounding is easily got wrong.
    now_ = Instant((kNow.ns / 1'000'000 * 1000 - time_to_full_us(cost, limit.pace()) + 1) * 1000);
    ask(Action::kTake, key, limit, cost);
    const BucketState state{cost.micros(), now_.ns, limit.pace()};
    const int64_t expires = store_.expires_at_ms(key);
    if (now_.ns < 0) continue;  // it takes too long
    ASSERT_TRUE(pace::is_full(state, Instant(expires * 1'000'000))) << limit.rate().as_double();
    ASSERT_FALSE(pace::is_full(state, Instant((expires - 1) * 1'000'000 - 1'024'000))) << limit.rate().as_double();
    if (expires - now_.ns / 1'000'000 < (int64_t{1} << 46) / 1000) {
      ASSERT_FALSE(pace::is_full(state, Instant((expires - 1) * 1'000'000))) << limit.rate().as_double();
    }
  }
}

TEST_F(Expiry, OfAFixedWindowIsItsEndByItsPace) {
  ask(Action::kTake, "k", *Limit::fixed_window(Tokens::whole(3), Duration::seconds(64)));
  const int64_t window_ms = 65536;  // 64 s, in 7 bits
  const int64_t start_ms = kNow.ns / 1'000'000 / 64'000 * 64'000;
  EXPECT_GE(store_.expires_at_ms("k"), start_ms + 64'000);
  EXPECT_LE(store_.expires_at_ms("k"), start_ms + window_ms);
}

TEST_F(Expiry, OfASlidingCounterIsTheEndOfTheWindowInWhichItFades) {
  const Limit limit = *Limit::sliding_window_counter(Tokens::whole(3), Duration::seconds(10));
  ask(Action::kTake, "k", limit);
  const int64_t start_ms = kNow.ns / 1'000'000 / 10'000 * 10'000;
  EXPECT_EQ(store_.expires_at_ms("k"), start_ms + 20'000);
  now_ = Instant((start_ms + 12'000) * 1'000'000);
  ask(Action::kRefund, "k", limit, Tokens::micros(400'000));  // what is left was taken in the window before
  EXPECT_EQ(store_.expires_at_ms("k"), start_ms + 20'000);
}

TEST_F(Expiry, OfASlidingLogIsWhenItsLastAdmissionLeaves) {
  const Limit limit = *Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(10));
  ask(Action::kTake, "k", limit);
  now_ = now_ + Duration::seconds(4);
  ask(Action::kTake, "k", limit);
  EXPECT_EQ(store_.expires_at_ms("k"), Duration(now_.ns).ceil_millis() + 10'000);
  ask(Action::kRefund, "k", limit);
  EXPECT_EQ(store_.expires_at_ms("k"), Duration(kNow.ns).ceil_millis() + 10'000);
}

TEST_F(Expiry, OfABucketThatNeverFillsIsTheLongestWaitThereIs) {
  ask(Action::kTake, "k", *Limit::token_bucket(1e-9, 1e9), *cost_of(1e9));
  EXPECT_EQ(store_.expires_at_ms("k"), Duration(kNow.ns).ceil_millis() + kForeverMs);
}

TEST_F(Expiry, IsNotNeededByABucketThatWasFilled) {
  const Limit limits[] = {*Limit::token_bucket(1, 5), *Limit::fixed_window(Tokens::whole(5), Duration::seconds(9)),
                          *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(9)),
                          *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(9))};
  for (const Limit& limit : limits) {
    for (const Action action : {Action::kRefund, Action::kReset}) {
      ask(Action::kTake, "k", limit);
      EXPECT_GT(store_.expires_at_ms("k"), 0);
      ask(action, "k", limit);
      EXPECT_EQ(store_.expires_at_ms("k"), -2) << name_of(limit.algorithm());
    }
  }
}

TEST_F(Expiry, IsNotMovedByARejection) {
  const Limit limit = *Limit::token_bucket(1, 5);
  ask(Action::kTake, "k", limit, Tokens::whole(5));
  const int64_t expires = store_.expires_at_ms("k");
  now_ = now_ + Duration::millis(300);
  EXPECT_FALSE(ask(Action::kTake, "k", limit).decision.allowed());
  EXPECT_FALSE(ask(Action::kTake, "new", limit, Tokens::whole(6)).decision.allowed());
  ask(Action::kPeek, "k", limit);
  EXPECT_EQ(store_.expires_at_ms("k"), expires);
  EXPECT_EQ(store_.expires_at_ms("new"), -2);
}

}  // namespace
}  // namespace sluice::redis_store
