#include "sluice/limiter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

class LimiterTest : public testing::Test {
 protected:
  ManualClock clock_{Instant(5)};
  const Limit limit_ = *Limit::token_bucket(10, 5);
  Limiter limiter_ = *Limiter::create(limit_, {.clock = &clock_});
};

TEST_F(LimiterTest, LimitsEachKeyByItself) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limiter_.take("a")) << i;
  EXPECT_EQ(limiter_.take("a").retry_after, Duration::millis(100));
  EXPECT_TRUE(limiter_.take("b"));
}

TEST_F(LimiterTest, SaysWhenTheNextRequestWillPass) {
  ASSERT_TRUE(limiter_.take("a", Tokens::whole(5)));
  EXPECT_EQ(limiter_.wait_until("a", Tokens::whole(3)), clock_.now() + Duration::millis(300));
  EXPECT_EQ(limiter_.wait_until("a", Tokens::whole(6)), Instant(INT64_MAX));
  EXPECT_EQ(limiter_.time_to_full("a"), Duration::millis(500));
  clock_.advance(Duration::millis(300));
  EXPECT_TRUE(limiter_.take("a", Tokens::whole(3)));
}

TEST_F(LimiterTest, DecidesABatchInOrder) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("k" + std::to_string(i % 20));
  const std::vector<std::string_view> keys(names.begin(), names.end());
  std::vector<Decision> decisions(keys.size());
  limiter_.take_each(keys, decisions);
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(decisions[i].allowed(), i < 100) << i;
}

TEST_F(LimiterTest, RefundsAndResets) {
  ASSERT_TRUE(limiter_.take("a", Tokens::whole(5)));
  limiter_.refund("a", Tokens::whole(2));
  EXPECT_EQ(limiter_.peek("a").remaining, Tokens::whole(2));
  limiter_.reset("a");
  EXPECT_EQ(limiter_.peek("a").remaining, Tokens::whole(5));
}

TEST_F(LimiterTest, TakesFromUserTenantAndEverybodyOrFromNone) {
  const Limit tenant = *Limit::token_bucket(1, 2);
  const Limit everybody = *Limit::token_bucket(1000, 1000);
  const Take takes[] = {{"user:1", &limit_}, {"tenant:1", &tenant}, {"all", &everybody}};
  EXPECT_TRUE(limiter_.take_all(takes)->allowed());
  EXPECT_TRUE(limiter_.take_all(takes)->allowed());
  const auto rejected = limiter_.take_all(takes);
  EXPECT_FALSE(rejected->allowed());
  EXPECT_EQ(rejected->bucket, 1U);
  EXPECT_EQ(limiter_.peek("user:1").remaining, Tokens::whole(3));
}

TEST_F(LimiterTest, PeeksAtAndGivesBackToTheBucketsOfARequest) {
  const Limit tenant = *Limit::token_bucket(1, 2);
  const Take takes[] = {{"user:1", &limit_}, {"tenant:1", &tenant, Tokens::whole(2)}};
  ASSERT_TRUE(limiter_.take_all(takes)->allowed());
  EXPECT_FALSE(limiter_.peek_all(takes)->allowed());
  EXPECT_EQ(limiter_.time_to_full(takes[1]), Duration::seconds(2));
  limiter_.refund_all(takes);
  EXPECT_TRUE(limiter_.peek_all(takes)->allowed());
  EXPECT_TRUE(limiter_.take_all(takes)->allowed());
}

TEST_F(LimiterTest, RefusesARequestOverTooManyBuckets) {
  const std::vector<Take> takes(Limiter::kMaxTakes + 1, Take{"k", &limit_});
  EXPECT_EQ(limiter_.take_all(takes).error().code, ErrorCode::kTooMany);
  EXPECT_EQ(limiter_.peek_all(takes).error().code, ErrorCode::kTooMany);
}

TEST(LimiterOfSeveralLimits, HoldsEachKeyToAllOfThem) {
  ManualClock clock;
  const Limit limits[] = {*Limit::token_bucket(10, 10),
                          *Limit::token_bucket(*Rate::per(15, Duration::seconds(3600)), Tokens::whole(15))};
  Limiter limiter = *Limiter::create(limits, {.clock = &clock});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(limiter.take("k")) << i;
  const Decision by_second = limiter.take("k");
  EXPECT_EQ(by_second.bucket, 0U);
  clock.advance(Duration::seconds(1));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(limiter.take("k")) << i;
  const Decision by_hour = limiter.take("k");
  EXPECT_EQ(by_hour.bucket, 1U);
  EXPECT_EQ(by_hour.retry_after, Duration::seconds(240 - 1));
  limiter.refund("k", kOneToken);
  EXPECT_TRUE(limiter.take("k"));
}

TEST(LimiterCreation, FailsWithAValueNotAnException) {
  const Limit limit = *Limit::token_bucket(1, 1);
  EXPECT_EQ(Limiter::create(std::span<const Limit>(), {}).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(Limiter::create(std::vector<Limit>(33, limit), {}).error().code, ErrorCode::kTooMany);
  EXPECT_EQ(Limiter::create(limit, {.max_bytes = 10}).error().code, ErrorCode::kTooSmall);
  EXPECT_EQ(Limiter::create(limit, {.max_bytes = uint64_t{1} << 60}).error().code, ErrorCode::kTooLarge);
}

TEST(LimiterOnTheSystemClock, RefillsAsTimeReallyPasses) {
  Limiter limiter = *Limiter::create(*Limit::token_bucket(1e6, 1));
  ASSERT_TRUE(limiter.take("k"));
  const Instant ready = limiter.wait_until("k");
  while (limiter.clock().now() < ready) continue;
  EXPECT_TRUE(limiter.take("k"));
}

}  // namespace
}  // namespace sluice
