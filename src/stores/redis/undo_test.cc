// Takes that are undone, since another part of their request was refused: buckets are then as if they had given
// nothing.
#include <gtest/gtest.h>

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

  Instant at_ms(int64_t ms) const { return kStart + Duration::millis(ms); }

  Taken take(const Limit& limit, int64_t tokens, int64_t ms) {
    Taken taken{{"k", &limit, Tokens::whole(tokens)}, {}};
    ask(Action::kTake, {&taken, 1}, ms);
    EXPECT_TRUE(result_.decision.allowed());
    return taken;
  }
  void undo(std::span<Taken> taken, int64_t ms) { ask(Action::kRefund, taken, ms); }
  void undo(Taken taken, int64_t ms) { undo({&taken, 1}, ms); }
  Tokens left(const Limit& limit, int64_t ms) {
    return ask_one(store_, Action::kPeek, {"k", &limit}, at_ms(ms)).decision.remaining;
  }

  ScriptStore store_{shared_redis()};

 private:
  void ask(Action action, std::span<Taken> taken, int64_t ms) {
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
    ask.now = at_ms(ms);
    ask.results = {&result_, 1};
    ask.decided = decided;
    EXPECT_EQ(store_.ask(ask), stores::Progress::kAnswered);
    for (size_t i = 0; i < taken.size(); ++i) taken[i].decided = decided[i];
  }

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
  EXPECT_EQ(left(limit, 4), Tokens::micros(999'800)) << "a microsecond's worth short of what it would have: 1";
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
  EXPECT_EQ(left(limit, 4), Tokens::micros(800'000 + 1'199'800));
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
