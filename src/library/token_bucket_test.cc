#include "sluice/token_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "model/token_bucket.h"

namespace sluice {
namespace {

class TokenBucketTest : public testing::Test {
 protected:
  ManualClock clock_{Instant(1'000)};
  const Limit limit_ = *Limit::token_bucket(10, 5);
  TokenBucket bucket_{limit_, clock_};
};

TEST_F(TokenBucketTest, AllowsABurstOfItsCapacityAndThenOneTokenEachInterval) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(bucket_.take()) << i;
  const Decision rejected = bucket_.take();
  EXPECT_FALSE(rejected);
  EXPECT_EQ(rejected.retry_after, Duration::millis(100));
  clock_.advance(Duration::millis(99));
  EXPECT_FALSE(bucket_.take());
  clock_.advance(Duration::millis(1));
  EXPECT_TRUE(bucket_.take());
}

TEST_F(TokenBucketTest, SaysWhenTokensWillBeThereWithoutTakingThem) {
  ASSERT_TRUE(bucket_.take(Tokens::whole(5)));
  EXPECT_EQ(bucket_.wait_until(Tokens::whole(2)), clock_.now() + Duration::millis(200));
  EXPECT_EQ(bucket_.wait_until(Tokens::whole(6)), Instant(INT64_MAX));
  EXPECT_EQ(bucket_.time_to_full(), Duration::millis(500));
  clock_.advance(Duration::millis(200));
  EXPECT_LE(bucket_.wait_until(Tokens::whole(2)), clock_.now());
  EXPECT_TRUE(bucket_.peek(Tokens::whole(2)));
  EXPECT_TRUE(bucket_.take(Tokens::whole(2)));
}

TEST_F(TokenBucketTest, GivesBackWhatIsRefunded) {
  ASSERT_TRUE(bucket_.take(Tokens::whole(5)));
  bucket_.refund(Tokens::whole(3));
  EXPECT_EQ(bucket_.peek().remaining, Tokens::whole(3));
  bucket_.refund(Tokens::whole(30));
  EXPECT_EQ(bucket_.peek().remaining, Tokens::whole(5));
}

TEST_F(TokenBucketTest, KeepsWhatWasSpentWhenItsLimitChanges) {
  ASSERT_TRUE(bucket_.take(Tokens::whole(4)));
  bucket_.change_limit(*Limit::token_bucket(1, 10));
  EXPECT_EQ(bucket_.peek().remaining, Tokens::whole(6));
}

TEST_F(TokenBucketTest, KeepsWhatWasSpentBeyondALowerCapacity) {
  ASSERT_TRUE(bucket_.take(Tokens::whole(5)));
  bucket_.change_limit(*Limit::token_bucket(10, 2));
  EXPECT_EQ(bucket_.take().retry_after, Duration::millis(400));
  bucket_.change_limit(limit_);
  EXPECT_FALSE(bucket_.take());
}

// As whoever follows the health of what it protects does, often without a change.
TEST_F(TokenBucketTest, LosesNothingWhenItsLimitIsSetAgainAndAgain) {
  const Limit limit = *Limit::token_bucket(1000, 10);
  const Limit smaller = *Limit::token_bucket(1000, 7);
  TokenBucket bucket(limit, clock_);
  model::TokenBucket truth(limit);
  ASSERT_TRUE(bucket.take(Tokens::whole(10)));
  truth.take(Tokens::whole(10), clock_.now());
  for (int i = 0; i < 30'000; ++i) {
    clock_.advance(Duration(500));
    const bool is_smaller = i / 1'000 % 2 != 0;
    bucket.change_limit(is_smaller ? smaller : limit);
    truth.change_capacity(is_smaller ? smaller : limit);
    if (i % 100 != 0) continue;
    const Tokens cost = Tokens::micros(40'000);
    const model::Answer expected = truth.answer(cost, clock_.now());
    const Decision decision = bucket.take(cost);
    ASSERT_EQ(decision.verdict, expected.verdict) << i;
    ASSERT_EQ(decision.remaining, expected.remaining) << i;
    ASSERT_EQ(decision.retry_after, expected.retry_after) << i;
    if (decision) truth.take(cost, clock_.now());
  }
  EXPECT_GT(bucket.peek().remaining, Tokens());
}

TEST_F(TokenBucketTest, NeverAdmitsACostAboveItsCapacity) {
  EXPECT_EQ(bucket_.take(Tokens::whole(6)).verdict, Verdict::kCostExceedsCapacity);
  EXPECT_TRUE(bucket_.take(Tokens::whole(5)));
}

TEST(TokenBucketThreads, AdmitExactlyTheCapacityTogether) {
  ManualClock clock;
  TokenBucket bucket(*Limit::token_bucket(1, 100'000), clock);
  std::atomic<int> allowed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      int mine = 0;
      for (int i = 0; i < 40'000; ++i) mine += bucket.take() ? 1 : 0;
      allowed += mine;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allowed.load(), 100'000);
}

}  // namespace
}  // namespace sluice
