#include "sluice/token_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

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
