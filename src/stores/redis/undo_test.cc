// Takes that are undone, since another part of their request was refused: buckets are then as if they had given
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "stores/redis/script_store_testing.h"

namespace sluice::redis_store {
namespace {

using stores::Action;

constexpr Instant kStart(1'700'000'000'000'000'000);

class Undo : public testing::Test {
 protected:
  struct Taken {
    Take take;
    stores::Decided decided;
  };

  static Instant at_ms(int64_t ms) { return kStart + Duration::millis(ms); }

  Taken take(const Limit& limit, int64_t tokens, int64_t ms) {
    Taken taken{{"k", &limit, Tokens::whole(tokens)}, {}};
    ask(Action::kTake, {&taken, 1}, at_ms(ms));
    EXPECT_TRUE(result_.decision.allowed());
    return taken;
  }
  void undo(std::span<Taken> taken, int64_t ms) { ask(Action::kRefund, taken, at_ms(ms)); }
  void undo(Taken taken, int64_t ms) { undo({&taken, 1}, ms); }
  Tokens left(const Limit& limit, int64_t ms) {
    return ask_one(store_, Action::kPeek, {"k", &limit}, at_ms(ms)).decision.remaining;
  }

  // Whether it was allowed.
  bool ask(Action action, std::span<Taken> taken, Instant now) {
    std::vector<Take> takes;
    std::vector<stores::Decided> decided;
    for (const Taken& one : taken) {
      takes.push_back(one.take);
      decided.push_back(one.decided);
    }
    stores::Ask ask;
    ask.action = action;
    ask.takes = takes;
    ask.together = takes.size();
    ask.now = now;
    ask.results = {&result_, 1};
    ask.decided = decided;
    EXPECT_EQ(store_.ask(ask), stores::Progress::kAnswered);
    for (size_t i = 0; i < taken.size(); ++i) taken[i].decided = decided[i];
    return result_.decision.allowed();
  }

  ScriptStore store_{shared_redis()};

 private:
  stores::BucketResult result_;
};

TEST_F(Undo, ABucketThatWasFarFromFullGetsAllBack) {
  const Limit limit = *Limit::token_bucket(200, 200);
  take(limit, 100, 0);
  const Taken held = take(limit, 10, 1);
  undo(held, 3);
  EXPECT_EQ(left(limit, 3), Tokens::micros(100'600'000));
}

// It would have been full all the time, and what came back meanwhile would have been lost.
TEST_F(Undo, ABucketThatWasFullGetsNoMoreThanItWouldHave) {
  const Limit limit = *Limit::token_bucket(200, 200);
  const Taken held = take(limit, 1, 0);
  take(limit, 199, 4);
  EXPECT_EQ(left(limit, 4), Tokens::micros(800'000));
  undo(held, 4);
  EXPECT_EQ(left(limit, 4), Tokens::micros(999'999)) << "a millionth short of what it would have: 1";
}

TEST_F(Undo, ABucketThatIsFullAgainGetsNothing) {
  const Limit limit = *Limit::token_bucket(200, 200);
  const Taken held = take(limit, 1, 0);
  take(limit, 200, 6);
  undo(held, 6);
  EXPECT_EQ(left(limit, 6), Tokens());
}

TEST_F(Undo, ABucketThatIsNamedTwiceGetsNoMoreThanItWouldHave) {
  const Limit limit = *Limit::token_bucket(200, 200);
  const Taken both = take(limit, 2, 0);
  Taken each[] = {both, both};
  for (Taken& one : each) one.take.cost = kOneToken;
  take(limit, 198, 4);
  undo(each, 4);
  EXPECT_EQ(left(limit, 4), Tokens::micros(800'000 + 1'199'999));
}

// Each of them found a bucket that others held tokens of, and all are undone.
TEST_F(Undo, ABucketOfWhichManyHoldTokensGetsThemAllBack) {
  const Limit limit = *Limit::token_bucket(200, 200);
  take(limit, 100, 0);
  std::deque<Taken> held;
  for (int ms = 1; ms <= 100; ++ms) {
    held.push_back(take(limit, 2, ms));
    if (held.size() <= 20) continue;
    undo(held.front(), ms);
    held.pop_front();
  }
  while (!held.empty()) {
    undo(held.front(), 101);
    held.pop_front();
  }
  EXPECT_EQ(left(limit, 101), Tokens::micros(120'200'000));
}

// Takes that stay and takes that are undone, at random, from a bucket that is now full and now empty.
TEST_F(Undo, NoIntervalGetsMoreThanTheCapacityAndWhatComesInMeanwhile) {
  constexpr int64_t kPerMicro = 200;  // millionths
  const Limit limit = *Limit::token_bucket(kPerMicro, 20);
  std::mt19937_64 random(11);
  const auto up_to = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1)); };
  std::vector<Taken> held;
  int64_t spent = 0, at_us = 0, admitted = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int64_t is_quiet = step / 500 % 2;
    const int64_t elapsed_us = up_to(is_quiet ? 20'000 : 4'000);
    at_us += elapsed_us;
    spent = std::max<int64_t>(0, spent - elapsed_us * kPerMicro);
    const Instant now = kStart + Duration::micros(at_us);
    if (!held.empty() && (held.size() == 6 || up_to(2) == 0)) {
      const auto some = held.begin() + up_to(static_cast<int64_t>(held.size()) - 1);
      ask(Action::kRefund, {&*some, 1}, now);
      held.erase(some);
      continue;
    }
    Taken taken{{"k", &limit, Tokens::micros(1 + up_to(up_to(1) == 0 ? 3'000'000 : 19'999'999))}, {}};
    if (!ask(Action::kTake, {&taken, 1}, now)) continue;
    if (up_to(2) > 0) {
      held.push_back(taken);
      continue;
    }
    ++admitted;
    spent += taken.take.cost.micros();
    ASSERT_LE(spent, limit.capacity().micros()) << "step " << step;
  }
  EXPECT_GT(admitted, 1'000);
}

// It was full before those who held tokens of it could know, and has given more since than it had by then.
TEST_F(Undo, ABucketThatWasFullAndForgottenGetsNothing) {
  const Limit limit = *Limit::token_bucket(200, 200);
  const Taken first = take(limit, 10, 0);
  const Taken second = take(limit, 10, 0);
  undo(first, 1);
  ASSERT_LT(store_.expires_at_ms("k"), at_ms(60).ns / 1'000'000);
  store_.forget("k");
  take(limit, 200, 60);
  undo(second, 61);
  EXPECT_EQ(left(limit, 61), Tokens::micros(200'000));
}

// As a lease that is given back while the network is cut, and arrives when it heals: a part of what was taken.
TEST_F(Undo, WhatArrivesHoweverLateGivesABucketNoMoreThanItWouldHave) {
  const Limit limit = *Limit::token_bucket(2, 100);
  for (const int64_t born_anew : {false, true}) {
    const int64_t start_ms = born_anew * 1'000'000;
    Taken lot = take(limit, 41, start_ms);
    lot.take.cost = Tokens::whole(40);
    if (!born_anew) take(limit, 1, start_ms + 20'000);
    if (born_anew) store_.forget("k");
    take(limit, 99, start_ms + 22'000);
    const Tokens before = left(limit, start_ms + 22'000);
    undo(lot, start_ms + 22'000);
    EXPECT_EQ(left(limit, start_ms + 22'000), before);
  }
}

TEST_F(Undo, ABucketThatWasResetGetsNothing) {
  const Limit limit = *Limit::token_bucket(200, 200);
  const Taken held = take(limit, 100, 0);
  ask_one(store_, Action::kReset, {"k", &limit}, at_ms(1));
  take(limit, 200, 2);
  undo(held, 2);
  EXPECT_EQ(left(limit, 2), Tokens());
}

TEST_F(Undo, AFixedWindowThatHasPassedGetsNothing) {
  const Limit limit = *Limit::fixed_window(Tokens::whole(5), Duration::seconds(1));
  const Taken held = take(limit, 2, 998);
  take(limit, 3, 1002);
  undo(held, 1002);
  EXPECT_EQ(left(limit, 1002), Tokens::whole(2));
  const Taken now = take(limit, 2, 1003);
  undo(now, 1004);
  EXPECT_EQ(left(limit, 1004), Tokens::whole(2));
}

// Two of the window before have faded away a little.
TEST_F(Undo, ASlidingCounterGetsItBackInTheWindowThatCountedIt) {
  const Limit limit = *Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(1));
  take(limit, 2, 900);
  const Taken held = take(limit, 3, 998);
  take(limit, 4, 1000);
  undo(held, 1000);
  EXPECT_EQ(left(limit, 1000), Tokens::whole(4));
  EXPECT_EQ(left(limit, 1500), Tokens::whole(5));
  EXPECT_EQ(left(limit, 2000), Tokens::whole(6));
}

TEST_F(Undo, ASlidingLogForgetsThatAdmissionAndNoOther) {
  const Limit limit = *Limit::sliding_window_log(Tokens::whole(10), Duration::seconds(1));
  take(limit, 1, 0);
  const Taken held = take(limit, 2, 10);
  const Taken part = take(limit, 3, 20);
  take(limit, 4, 30);
  undo(held, 35);
  EXPECT_EQ(left(limit, 35), Tokens::whole(2));
  Taken third = part;
  third.take.cost = kOneToken;
  undo(third, 36);
  EXPECT_EQ(left(limit, 36), Tokens::whole(3));
  EXPECT_EQ(left(limit, 1000), Tokens::whole(4));
  EXPECT_EQ(left(limit, 1010), Tokens::whole(4));
  EXPECT_EQ(left(limit, 1020), Tokens::whole(6));
  EXPECT_EQ(left(limit, 1030), Tokens::whole(10));
}

TEST_F(Undo, ASlidingLogForgetsItsNewestAdmission) {
  const Limit limit = *Limit::sliding_window_log(Tokens::whole(10), Duration::seconds(1));
  const Taken held = take(limit, 2, 10);
  undo(held, 12);
  EXPECT_EQ(left(limit, 12), Tokens::whole(10));
  EXPECT_EQ(store_.expires_at_ms("k"), -2);
}

}  // namespace
}  // namespace sluice::redis_store
