// The store behind its port: what each bucket of a request is told.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "stores/memory/memory_store.h"

namespace sluice::memory {
namespace {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using stores::Progress;

class AskTest : public testing::Test {
 protected:
  // Asks for all takes, the first `together` of them all or nothing.
  std::vector<BucketResult> ask(Action action, std::vector<Take> takes, size_t together) {
    std::vector<BucketResult> results(takes.size());
    Ask asked{action, takes, together, now_, results, nullptr};
    EXPECT_EQ(store_->ask(asked), Progress::kAnswered);
    return results;
  }
  std::vector<BucketResult> take(const std::vector<Take>& takes) { return ask(Action::kTake, takes, takes.size()); }

  std::unique_ptr<MemoryStore> store_ = std::move(*MemoryStore::create({}));
  Instant now_{1'000'000'000};
  const Limit small_ = *Limit::token_bucket(1, 2);
  const Limit large_ = *Limit::token_bucket(10, 100);
  const Limit log_ = *Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(10));
  const Limit counter_ = *Limit::sliding_window_counter(Tokens::whole(3), Duration::seconds(10));
};

TEST_F(AskTest, TellsOfEveryBucketWhatIsLeftAndWhenItIsFull) {
  for (int i = 0; i < 2; ++i) {  // First as a new key, then as a known one.
    const auto results = take({{"a", &small_}, {"b", &large_, Tokens::whole(5)}});
    EXPECT_TRUE(results[0].decision.allowed());
    EXPECT_EQ(results[0].decision.remaining, Tokens::whole(1 - i));
    EXPECT_EQ(results[0].reset_after, Duration::seconds(1 + i));
    EXPECT_EQ(results[1].decision.remaining, Tokens::whole(95 - 5 * i));
    EXPECT_EQ(results[1].reset_after, Duration::millis(500 * (i + 1)));
  }
}

TEST_F(AskTest, TellsOfARejectedRequestWhatIsThereInTheBucketsThatWouldHaveAllowedIt) {
  take({{"a", &small_, Tokens::whole(2)}, {"b", &large_, Tokens::whole(10)}});
  const auto results = take({{"a", &small_}, {"b", &large_, Tokens::whole(10)}});
  EXPECT_FALSE(results[0].decision.allowed());
  EXPECT_EQ(results[0].decision.retry_after, Duration::seconds(1));
  EXPECT_EQ(results[0].reset_after, Duration::seconds(2));
  EXPECT_TRUE(results[1].decision.allowed());
  EXPECT_EQ(results[1].decision.remaining, Tokens::whole(90));
  EXPECT_EQ(results[1].reset_after, Duration::seconds(1));
}

TEST_F(AskTest, TellsTheSameOfBucketsInAnnexes) {
  const auto first = take({{"log", &log_}, {"counter", &counter_}});
  EXPECT_EQ(first[0].decision.remaining, Tokens::whole(2));
  EXPECT_EQ(first[0].reset_after, Duration::seconds(10));
  EXPECT_EQ(first[1].decision.remaining, Tokens::whole(2));
  take({{"log", &log_, Tokens::whole(2)}});
  const auto rejected = take({{"log", &log_}, {"counter", &counter_}, {"new log", &log_}});
  EXPECT_FALSE(rejected[0].decision.allowed());
  EXPECT_EQ(rejected[1].decision.remaining, Tokens::whole(2));
  EXPECT_EQ(rejected[2].decision.remaining, Tokens::whole(3));
  EXPECT_EQ(rejected[2].reset_after, Duration());
}

TEST_F(AskTest, TellsOfABucketThatIsAskedUnderAnotherAlgorithm) {
  take({{"k", &log_, Tokens::whole(2)}});
  const auto results = take({{"k", &large_, Tokens::whole(1)}});
  EXPECT_EQ(results[0].decision.remaining, Tokens::whole(97));
  EXPECT_EQ(results[0].reset_after, Duration::millis(300));
}

TEST_F(AskTest, TellsWhenAFixedWindowEndsToWhoLooksAtItUnderASlidingOne) {
  const Limit fixed = *Limit::fixed_window(Tokens::whole(3), Duration::seconds(10));
  take({{"k", &fixed, Tokens::whole(3)}});
  const Duration reset_after = ask(Action::kPeek, {{"k", &counter_}}, 1)[0].reset_after;
  // The window began at 0, and a pace is less than 1/64 too long.
  EXPECT_GE(reset_after, Duration::seconds(9));
  EXPECT_LE(reset_after, Duration::millis(9'200));
}

TEST_F(AskTest, TakesFromThoseBehindOnlyIfTheFirstOnesPass) {
  auto results =
      ask(Action::kTake, {{"a", &small_, Tokens::whole(2)}, {"x", &small_, Tokens::whole(3)}, {"y", &large_}}, 1);
  EXPECT_TRUE(results[0].decision.allowed());
  EXPECT_EQ(results[1].decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(results[2].decision.remaining, Tokens::whole(99));
  results = ask(Action::kTake, {{"a", &small_}, {"y", &large_}}, 1);
  EXPECT_FALSE(results[0].decision.allowed());
  EXPECT_TRUE(results[1].decision.allowed());
  EXPECT_EQ(results[1].decision.remaining, Tokens::whole(99));
}

TEST_F(AskTest, TakesNothingWhenItPeeks) {
  for (int i = 0; i < 3; ++i) {
    const auto results = ask(Action::kPeek, {{"a", &small_, Tokens::whole(2)}, {"y", &large_}}, 1);
    EXPECT_TRUE(results[0].decision.allowed());
    EXPECT_EQ(results[0].decision.remaining, Tokens::whole(2));
    EXPECT_EQ(results[0].reset_after, Duration());
    EXPECT_EQ(results[1].decision.remaining, Tokens::whole(100));
  }
  EXPECT_EQ(store_->stats().keys, 0U);
}

TEST_F(AskTest, GivesBackAndFillsUp) {
  take({{"a", &small_, Tokens::whole(2)}, {"b", &large_, Tokens::whole(50)}});
  ask(Action::kRefund, {{"a", &small_}, {"b", &large_, Tokens::whole(20)}}, 2);
  auto results = ask(Action::kPeek, {{"a", &small_}, {"b", &large_}}, 2);
  EXPECT_EQ(results[0].decision.remaining, Tokens::whole(1));
  EXPECT_EQ(results[1].decision.remaining, Tokens::whole(70));
  ask(Action::kReset, {{"b", &large_}}, 1);
  results = ask(Action::kPeek, {{"b", &large_}}, 1);
  EXPECT_EQ(results[0].decision.remaining, Tokens::whole(100));
}

TEST_F(AskTest, TellsTheSameTwiceOfABucketThatIsNamedTwice) {
  const auto results = take({{"b", &large_, Tokens::whole(5)}, {"b", &large_, Tokens::whole(5)}});
  EXPECT_EQ(results[0].decision.remaining, Tokens::whole(90));
  EXPECT_EQ(results[1].decision.remaining, Tokens::whole(90));
}

TEST_F(AskTest, TellsOfManyBucketsAtOnce) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < MemoryStore::kMaxTakes; ++i) keys.push_back("k" + std::to_string(i));
  std::vector<Take> takes;
  for (const std::string& key : keys) takes.push_back({key, &large_});
  for (int round = 1; round <= 2; ++round) {
    for (const BucketResult& result : take(takes)) {
      EXPECT_EQ(result.decision.remaining, Tokens::whole(100 - round));
      EXPECT_EQ(result.reset_after, Duration::millis(100 * round));
    }
  }
}

TEST_F(AskTest, TellsOfTakesThatAreEachOnTheirOwnWhatItTellsOfThemOneByOne) {
  const auto alone = std::move(*MemoryStore::create({}));
  const Limit window = *Limit::fixed_window(Tokens::whole(4), Duration::seconds(7));
  const Limit changed = *Limit::token_bucket(3, 7);
  const Limit queue = *Limit::leaky_queue(*Rate::per_second(2), Tokens::whole(5));
  const Limit* const limits[] = {&small_, &large_, &log_, &counter_, &window, &changed, &queue};
  uint64_t x = 1;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> keys;
    std::vector<Take> takes;
    for (size_t i = 0; i < MemoryStore::kMaxTakes; ++i) {
      x = x * 6364136223846793005U + 1442695040888963407U;
      keys.push_back("k" + std::to_string(x >> 33 & 15));
      takes.push_back({"", limits[(x >> 40) % 7], Tokens::micros(static_cast<int64_t>(x >> 44) * 4)});
    }
    for (size_t i = 0; i < takes.size(); ++i) takes[i].key = keys[i];
    const auto results = ask(Action::kTake, takes, 0);
    for (size_t i = 0; i < takes.size(); ++i) {
      BucketResult one;
      stores::Ask single{Action::kTake, {&takes[i], 1}, 1, now_, {&one, 1}, nullptr};
      alone->ask(single);
      ASSERT_EQ(results[i].decision.verdict, one.decision.verdict) << round << " " << i;
      ASSERT_EQ(results[i].decision.remaining, one.decision.remaining) << round << " " << i;
      ASSERT_EQ(results[i].decision.retry_after, one.decision.retry_after) << round << " " << i;
      ASSERT_EQ(results[i].decision.delay, one.decision.delay) << round << " " << i;
      ASSERT_EQ(results[i].reset_after, one.reset_after) << round << " " << i;
    }
    now_ = now_ + Duration::millis(130);
  }
}

}  // namespace
}  // namespace sluice::memory
