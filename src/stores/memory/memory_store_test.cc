#include "stores/memory/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::memory {
namespace {

constexpr Instant kStart{1'000'000'000};
constexpr Instant after(Duration d) { return kStart + d; }

class MemoryStoreTest : public testing::Test {
 protected:
  std::unique_ptr<MemoryStore> store_ = make_store(uint64_t{64} << 20);
  const Limit ten_ = *Limit::token_bucket(1, 10);
  const Limit five_ = *Limit::token_bucket(2, 5);

  static std::unique_ptr<MemoryStore> make_store(uint64_t max_bytes) {
    return std::move(*MemoryStore::create({max_bytes}));
  }
  Decision take(std::string_view key, const Limit& limit, int64_t cost = 1, Duration when = {}) {
    return store_->take({key, &limit, Tokens::whole(cost)}, after(when));
  }
  int64_t remaining(std::string_view key, const Limit& limit, Duration when = {}) {
    const Take probe{key, &limit, Tokens::micros(1)};
    return store_->peek({&probe, 1}, after(when)).remaining.floor();
  }
};

TEST_F(MemoryStoreTest, AKeyNeverSeenHasAFullBucket) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(take("k", ten_).allowed()) << i;
  const Decision rejected = take("k", ten_);
  EXPECT_EQ(rejected.verdict, Verdict::kLimited);
  EXPECT_EQ(rejected.retry_after, Duration::seconds(1));
}

TEST_F(MemoryStoreTest, KeysDoNotShareBuckets) {
  EXPECT_TRUE(take("a", ten_, 10).allowed());
  EXPECT_TRUE(take("b", ten_, 10).allowed());
  EXPECT_FALSE(take("a", ten_).allowed());
}

TEST_F(MemoryStoreTest, AnyBytesAreAKey) {
  for (const std::string& key :
       {std::string(), std::string(1, '\0'), std::string(65'536, 'x'), std::string("\xff\xfe")}) {
    EXPECT_TRUE(take(key, ten_, 10).allowed());
    EXPECT_FALSE(take(key, ten_).allowed());
  }
}

TEST_F(MemoryStoreTest, ARejectedRequestTakesFromNoBucket) {
  ASSERT_TRUE(take("user", five_, 5).allowed());
  const std::vector<Take> takes = {{"tenant", &ten_, Tokens::whole(1)}, {"user", &five_, Tokens::whole(1)}};
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(store_->take_all(takes, kStart).allowed());
  EXPECT_EQ(remaining("tenant", ten_), 10);
}

TEST_F(MemoryStoreTest, ARejectedRequestLeavesNoTraceOfNewKeys) {
  ASSERT_TRUE(take("drained", ten_, 10).allowed());
  const uint64_t keys = store_->stats().keys;
  const std::vector<Take> takes = {{"new", &ten_, Tokens::whole(1)}, {"drained", &ten_, Tokens::whole(1)}};
  EXPECT_FALSE(store_->take_all(takes, kStart).allowed());
  EXPECT_EQ(store_->stats().keys, keys);
}

TEST_F(MemoryStoreTest, TheFailingBucketWithTheLongestWaitNamesTheRejection) {
  ASSERT_TRUE(take("slow", ten_, 10).allowed());
  ASSERT_TRUE(take("fast", five_, 5).allowed());
  const std::vector<Take> takes = {{"open", &ten_, kOneToken}, {"fast", &five_, kOneToken}, {"slow", &ten_, kOneToken}};
  const Decision decision = store_->take_all(takes, kStart);
  EXPECT_EQ(decision.bucket, 2U);
  EXPECT_EQ(decision.retry_after, Duration::seconds(1));
}

TEST_F(MemoryStoreTest, AnImpossibleCostNamesTheRejectionBeforeAnyWait) {
  ASSERT_TRUE(take("slow", ten_, 10).allowed());
  const std::vector<Take> takes = {{"slow", &ten_, kOneToken}, {"small", &five_, Tokens::whole(6)}};
  const Decision decision = store_->take_all(takes, kStart);
  EXPECT_EQ(decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(decision.bucket, 1U);
}

TEST_F(MemoryStoreTest, WhenAllPassTheTightestBucketIsReported) {
  const std::vector<Take> takes = {{"a", &ten_, kOneToken}, {"b", &five_, kOneToken}};
  const Decision decision = store_->take_all(takes, kStart);
  EXPECT_TRUE(decision.allowed());
  EXPECT_EQ(decision.bucket, 1U);
  EXPECT_EQ(decision.remaining, Tokens::whole(4));
}

TEST_F(MemoryStoreTest, AKeyNamedTwiceInARequestPaysTwice) {
  const std::vector<Take> takes = {{"k", &ten_, Tokens::whole(3)}, {"k", &ten_, Tokens::whole(4)}};
  EXPECT_TRUE(store_->take_all(takes, kStart).allowed());
  EXPECT_EQ(remaining("k", ten_), 3);
  EXPECT_FALSE(store_->take_all(takes, kStart).allowed());
}

TEST_F(MemoryStoreTest, HugeCostsOfOneKeyAddUpToTheImpossible) {
  const std::vector<Take> takes(32, Take{"k", &ten_, *cost_of(1e12)});
  EXPECT_EQ(store_->take_all(takes, kStart).verdict, Verdict::kCostExceedsCapacity);
}

TEST_F(MemoryStoreTest, ARequestForNothingPasses) {
  EXPECT_TRUE(store_->take_all({}, kStart).allowed());
  EXPECT_TRUE(store_->peek({}, kStart).allowed());
}

TEST_F(MemoryStoreTest, SeveralNewKeysOfOneRequestAllFindAPlace) {
  std::vector<std::string> keys;
  for (int i = 0; i < 32; ++i) keys.push_back("new" + std::to_string(i));
  std::vector<Take> takes;
  for (const auto& key : keys) takes.push_back({key, &ten_, Tokens::whole(10)});
  ASSERT_TRUE(store_->take_all(takes, kStart).allowed());
  EXPECT_EQ(store_->stats().keys, 32U);
  for (const auto& key : keys) EXPECT_FALSE(take(key, ten_).allowed()) << key;
}

TEST_F(MemoryStoreTest, ABatchDecidesInOrder) {
  std::vector<Take> takes(50, Take{"k", &ten_, kOneToken});
  std::vector<Decision> decisions(takes.size());
  store_->take_each(takes, decisions, kStart);
  for (size_t i = 0; i < takes.size(); ++i) EXPECT_EQ(decisions[i].allowed(), i < 10) << i;
}

TEST_F(MemoryStoreTest, PeekTakesNothing) {
  const Take probe{"k", &ten_, Tokens::whole(4)};
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(store_->peek({&probe, 1}, kStart).allowed());
  EXPECT_EQ(store_->stats().keys, 0U);
  EXPECT_TRUE(take("k", ten_, 10).allowed());
}

TEST_F(MemoryStoreTest, RefundGivesBackButNeverMoreThanIsMissing) {
  ASSERT_TRUE(take("k", ten_, 7).allowed());
  store_->refund({"k", &ten_, Tokens::whole(3)}, kStart);
  EXPECT_EQ(remaining("k", ten_), 6);
  store_->refund({"k", &ten_, Tokens::whole(100)}, kStart);
  EXPECT_EQ(remaining("k", ten_), 10);
  store_->refund({"unknown", &ten_, Tokens::whole(1)}, kStart);
  EXPECT_EQ(remaining("unknown", ten_), 10);
}

TEST_F(MemoryStoreTest, ResetMakesABucketFull) {
  ASSERT_TRUE(take("k", ten_, 10).allowed());
  store_->reset({"k", &ten_});
  EXPECT_EQ(remaining("k", ten_), 10);
}

TEST_F(MemoryStoreTest, TimeToFullIsExact) {
  ASSERT_TRUE(take("k", ten_, 3).allowed());
  const Take probe{"k", &ten_, kOneToken};
  EXPECT_EQ(store_->time_to_full(probe, kStart), Duration::seconds(3));
  EXPECT_EQ(store_->time_to_full(probe, after(Duration::millis(2'999))), Duration::millis(1));
  EXPECT_EQ(store_->time_to_full(probe, after(Duration::seconds(3))), Duration());
}

TEST_F(MemoryStoreTest, AChangedLimitKeepsWhatWasSpent) {
  ASSERT_TRUE(take("k", ten_, 10).allowed());
  const Limit larger = *Limit::token_bucket(1, 50);
  EXPECT_EQ(remaining("k", larger), 40);
  const Limit smaller = *Limit::token_bucket(3, 4);
  EXPECT_EQ(remaining("k", smaller), 0);
  const Decision rejected = take("k", smaller);
  EXPECT_GE(rejected.retry_after, Duration::millis(2'333));  // 10 are spent, and 3 may be.
  EXPECT_LE(rejected.retry_after, Duration::millis(2'334));
  EXPECT_EQ(remaining("k", larger), 40);
  EXPECT_TRUE(take("k", smaller, 1, rejected.retry_after).allowed());
}

TEST_F(MemoryStoreTest, AClockThatJumpsBackNeitherGrantsNorForgets) {
  ASSERT_TRUE(take("k", ten_, 10, Duration::seconds(100)).allowed());
  EXPECT_FALSE(take("k", ten_, 1, Duration::seconds(50)).allowed());
  EXPECT_FALSE(take("k", ten_, 1, Duration::seconds(100)).allowed());
  EXPECT_TRUE(take("k", ten_, 1, Duration::seconds(101)).allowed());
}

TEST_F(MemoryStoreTest, SlidingWindowsLiveInTheSameTable) {
  const Limit log = *Limit::sliding_window_log(Tokens::whole(20), Duration::seconds(10));
  const Limit counter = *Limit::sliding_window_counter(Tokens::whole(20), Duration::seconds(10));
  for (const Limit* limit : {&log, &counter}) {
    const std::string key = name_of(limit->algorithm());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(take(key, *limit).allowed()) << key << i;
    EXPECT_FALSE(take(key, *limit).allowed()) << key;
    store_->refund({key, limit, Tokens::whole(2)}, kStart);
    EXPECT_TRUE(take(key, *limit, 2).allowed()) << key;
    EXPECT_TRUE(take(key, *limit, 20, Duration::seconds(30)).allowed()) << key;
    store_->reset({key, limit});
    EXPECT_TRUE(take(key, *limit, 20, Duration::seconds(30)).allowed()) << key;
  }
}

TEST_F(MemoryStoreTest, AKeyWhoseAlgorithmIsChangedKeepsWhatWasSpent) {
  const Limit log = *Limit::sliding_window_log(Tokens::whole(10), Duration::seconds(10));
  const Limit counter = *Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10));
  const Limit window = *Limit::fixed_window(Tokens::whole(10), Duration::seconds(10));
  for (const Limit* from : {&ten_, &log, &counter, &window}) {
    for (const Limit* to : {&ten_, &log, &counter, &window}) {
      const std::string key = std::string(name_of(from->algorithm())) + " to " + name_of(to->algorithm());
      ASSERT_TRUE(take(key, *from, 7).allowed()) << key;
      EXPECT_FALSE(take(key, *to, 4).allowed()) << key;
      EXPECT_TRUE(take(key, *to, 3).allowed()) << key;
    }
  }
}

// A rejection under a smaller limit does not cut what the next algorithm starts from.
TEST_F(MemoryStoreTest, AKeyWhoseAlgorithmIsChangedKeepsWhatWasSpentBeyondASmallerLimit) {
  const Limit bucket = *Limit::token_bucket(1, 10);
  const Limit window = *Limit::fixed_window(Tokens::whole(10), Duration::seconds(10));
  const Limit log = *Limit::sliding_window_log(Tokens::whole(10), Duration::seconds(10));
  const Limit smaller_log = *Limit::sliding_window_log(Tokens::whole(5), Duration::seconds(20));
  const Limit counter = *Limit::sliding_window_counter(Tokens::whole(10), Duration::seconds(10));
  const Limit smaller_counter = *Limit::sliding_window_counter(Tokens::whole(5), Duration::seconds(20));
  for (const auto& [from, smaller] : {std::pair{&log, &smaller_log}, std::pair{&counter, &smaller_counter}}) {
    for (const Limit* to : {&bucket, &window, from == &log ? &counter : &log}) {
      const std::string key = std::string(name_of(from->algorithm())) + " to " + name_of(to->algorithm());
      ASSERT_TRUE(take(key, *from, 10).allowed()) << key;
      ASSERT_FALSE(take(key, *smaller).allowed()) << key;
      EXPECT_FALSE(take(key, *to).allowed()) << key;
    }
  }
}

TEST(MemoryStore, RefusesABoundThatNothingFitsIn) {
  EXPECT_EQ(MemoryStore::create({1000}).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(MemoryStore::create({uint64_t{1} << 60}).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace sluice::memory
