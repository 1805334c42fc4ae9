#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "library/c_testing.h"

namespace sluice {
namespace {

class CLimiter : public testing::Test {
 protected:
  sluice_decision take(const char* key, double cost = 1) {
    sluice_decision decision{};
    EXPECT_EQ(sluice_limiter_take(limiter_.get(), sluice_key_of(key), cost, &decision), SLUICE_OK);
    return decision;
  }
  sluice_decision peek(const char* key, double cost = 1) {
    sluice_decision decision{};
    EXPECT_EQ(sluice_limiter_peek(limiter_.get(), sluice_key_of(key), cost, &decision), SLUICE_OK);
    return decision;
  }

  HandClock clock_;
  OwnedLimit limit_ = made_by<OwnedLimit>(sluice_limit_token_bucket, 10.0, 5.0);
  OwnedLimiter limiter_ = limiter_of({limit_.get()}, clock_);
};

TEST_F(CLimiter, TellsHowMuchIsLeftAndHowLongToWait) {
  const sluice_decision allowed = take("a", 4.5);
  EXPECT_EQ(allowed.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  EXPECT_EQ(allowed.remaining_micros, 500'000);
  EXPECT_EQ(allowed.remaining, 0);
  EXPECT_EQ(allowed.retry_after_ns, 0);
  const sluice_decision limited = take("a");
  EXPECT_EQ(limited.verdict, static_cast<uint32_t>(SLUICE_LIMITED));
  EXPECT_EQ(limited.retry_after_ns, 50 * kMilli);
  clock_.advance(50 * kMilli);
  EXPECT_EQ(take("a").verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  EXPECT_EQ(take("b").remaining, 4);
}

TEST_F(CLimiter, SaysThatACostAboveTheCapacityNeverPasses) {
  const sluice_decision never = take("a", 5.5);
  EXPECT_EQ(never.verdict, static_cast<uint32_t>(SLUICE_COST_EXCEEDS_CAPACITY));
  EXPECT_EQ(never.retry_after_ns, SLUICE_FOREVER_NS);
  int64_t instant = 0;
  EXPECT_EQ(sluice_limiter_wait_until(limiter_.get(), sluice_key_of("a"), 5.5, &instant), SLUICE_OK);
  EXPECT_EQ(instant, INT64_MAX);
}

TEST_F(CLimiter, TellsKeysApartByTheirBytesAndLengthAlone) {
  const sluice_key with_zero{"k\0a", 3};
  const sluice_key other_zero{"k\0b", 3};
  sluice_decision decision{};
  ASSERT_EQ(sluice_limiter_take(limiter_.get(), with_zero, 5, &decision), SLUICE_OK);
  ASSERT_EQ(sluice_limiter_take(limiter_.get(), other_zero, 5, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  EXPECT_EQ(peek("").remaining, 5);
}

TEST_F(CLimiter, DecidesABatchOfMixedCostsInOrder) {
  std::vector<std::string> names;
  names.reserve(300);
  for (int i = 0; i < 300; ++i) names.push_back("k" + std::to_string(i % 100));
  std::vector<sluice_request> requests;
  requests.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) requests.push_back({sluice_key_of(names[i].c_str()), i < 100 ? 1.5 : 3});
  std::vector<sluice_decision> decisions(requests.size());
  ASSERT_EQ(sluice_limiter_take_each(limiter_.get(), requests.data(), requests.size(), decisions.data()), SLUICE_OK);
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].verdict, static_cast<uint32_t>(i < 200 ? SLUICE_ALLOWED : SLUICE_LIMITED)) << i;
    EXPECT_EQ(decisions[i].remaining_micros, i < 100 ? 3'500'000 : 500'000) << i;
  }
}

TEST_F(CLimiter, TakesFromAllBucketsOfARequestOrFromNone) {
  const OwnedLimit tenant = made_by<OwnedLimit>(sluice_limit_token_bucket, 1.0, 2.0);
  const sluice_take takes[] = {{sluice_key_of("user"), limit_.get(), 1, 0},
                               {sluice_key_of("tenant"), tenant.get(), 2, 7}};
  sluice_decision decision{};
  ASSERT_EQ(sluice_limiter_peek_all(limiter_.get(), takes, 2, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  ASSERT_EQ(sluice_limiter_take_all(limiter_.get(), takes, 2, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  ASSERT_EQ(sluice_limiter_take_all(limiter_.get(), takes, 2, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_LIMITED));
  EXPECT_EQ(decision.bucket, 1U);
  EXPECT_EQ(peek("user").remaining, 4);
  ASSERT_EQ(sluice_limiter_refund_all(limiter_.get(), takes, 2), SLUICE_OK);
  ASSERT_EQ(sluice_limiter_take_all(limiter_.get(), takes, 2, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
}

TEST_F(CLimiter, RefundsResetsAndSaysWhenItWillBeFull) {
  take("a", 5);
  int64_t ns = 0;
  ASSERT_EQ(sluice_limiter_time_to_full(limiter_.get(), sluice_key_of("a"), &ns), SLUICE_OK);
  EXPECT_EQ(ns, 500 * kMilli);
  ASSERT_EQ(sluice_limiter_refund(limiter_.get(), sluice_key_of("a"), 2), SLUICE_OK);
  EXPECT_EQ(peek("a").remaining, 2);
  ASSERT_EQ(sluice_limiter_reset(limiter_.get(), sluice_key_of("a")), SLUICE_OK);
  EXPECT_EQ(peek("a").remaining, 5);
}

TEST_F(CLimiter, SaysOnItsOwnClockWhenARequestWillPass) {
  clock_.set(7 * kSecond);
  take("a", 5);
  int64_t now = 0;
  int64_t ready = 0;
  ASSERT_EQ(sluice_limiter_now(limiter_.get(), &now), SLUICE_OK);
  ASSERT_EQ(sluice_limiter_wait_until(limiter_.get(), sluice_key_of("a"), 3, &ready), SLUICE_OK);
  EXPECT_EQ(now, 7 * kSecond);
  EXPECT_EQ(ready, now + 300 * kMilli);
}

TEST_F(CLimiter, CountsWhatItRemembers) {
  take("a");
  take("b");
  sluice_stats stats{};
  ASSERT_EQ(sluice_limiter_stats(limiter_.get(), &stats), SLUICE_OK);
  EXPECT_EQ(stats.keys, 2U);
  EXPECT_GT(stats.bytes, 0U);
  EXPECT_EQ(stats.shared, 0U);
}

TEST_F(CLimiter, OutlivesTheLimitsItWasMadeOf) {
  limit_.reset();
  EXPECT_EQ(take("a").remaining, 4);
}

TEST(CLimiterOfSeveralLimits, HoldsEachKeyToAllOfThem) {
  HandClock clock;
  const OwnedLimit by_second = made_by<OwnedLimit>(sluice_limit_token_bucket, 10.0, 10.0);
  const OwnedLimit by_hour = made_by<OwnedLimit>(sluice_limit_fixed_window, 12.0, 3600 * kSecond);
  const OwnedLimiter limiter = limiter_of({by_second.get(), by_hour.get()}, clock);
  sluice_decision decision{};
  sluice_limiter_take(limiter.get(), sluice_key_of("k"), 10, &decision);
  clock.advance(kSecond);
  sluice_limiter_take(limiter.get(), sluice_key_of("k"), 3, &decision);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_LIMITED));
  EXPECT_EQ(decision.bucket, 1U);
  EXPECT_EQ(decision.retry_after_ns, 3599 * kSecond);
}

TEST(CLimits, ExistForAllSixAlgorithmsAndEachDecides) {
  HandClock clock;
  const OwnedLimit limits[] = {
      made_by<OwnedLimit>(sluice_limit_token_bucket, 2.0, 2.0),
      made_by<OwnedLimit>(sluice_limit_leaky_bucket, 2.0, 2.0),
      made_by<OwnedLimit>(sluice_limit_leaky_queue, 2.0, 2.0),
      made_by<OwnedLimit>(sluice_limit_fixed_window, 2.0, kSecond),
      made_by<OwnedLimit>(sluice_limit_sliding_window_log, 2.0, kSecond),
      made_by<OwnedLimit>(sluice_limit_sliding_window_counter, 2.0, kSecond),
  };
  const int64_t waits[] = {500 * kMilli, 500 * kMilli, 500 * kMilli, kSecond, kSecond, kSecond + 500 * kMilli};
  for (size_t i = 0; i < std::size(limits); ++i) {
    const OwnedLimiter limiter = limiter_of({limits[i].get()}, clock);
    sluice_decision decision{};
    for (int taken = 0; taken < 2; ++taken) {
      sluice_limiter_take(limiter.get(), sluice_key_of("k"), 1, &decision);
      EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED)) << i;
    }
    EXPECT_EQ(decision.delay_ns, i == 2 ? 500 * kMilli : 0);
    sluice_limiter_take(limiter.get(), sluice_key_of("k"), 1, &decision);
    EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_LIMITED)) << i;
    EXPECT_EQ(decision.retry_after_ns, waits[i]) << i;
  }
}

TEST(CBucket, TakesPeeksRefundsAndWaitsOnItsOwnClock) {
  HandClock clock;
  clock.set(kSecond);
  const OwnedLimit limit = made_by<OwnedLimit>(sluice_limit_token_bucket, 10.0, 5.0);
  const OwnedBucket bucket = made_by<OwnedBucket>(sluice_bucket_create_with, limit.get(), clock.get());
  sluice_decision decision{};
  int64_t ns = 0;
  ASSERT_EQ(sluice_bucket_take(bucket.get(), 5, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  ASSERT_EQ(sluice_bucket_peek(bucket.get(), 2, &decision), SLUICE_OK);
  EXPECT_EQ(decision.retry_after_ns, 200 * kMilli);
  ASSERT_EQ(sluice_bucket_wait_until(bucket.get(), 2, &ns), SLUICE_OK);
  EXPECT_EQ(ns, kSecond + 200 * kMilli);
  ASSERT_EQ(sluice_bucket_time_to_full(bucket.get(), &ns), SLUICE_OK);
  EXPECT_EQ(ns, 500 * kMilli);
  ASSERT_EQ(sluice_bucket_now(bucket.get(), &ns), SLUICE_OK);
  EXPECT_EQ(ns, kSecond);
  ASSERT_EQ(sluice_bucket_refund(bucket.get(), 3), SLUICE_OK);
  ASSERT_EQ(sluice_bucket_peek(bucket.get(), 1, &decision), SLUICE_OK);
  EXPECT_EQ(decision.remaining, 3);
}

TEST(CBucket, KeepsWhatWasSpentWhenItsLimitChanges) {
  HandClock clock;
  const OwnedLimit before = made_by<OwnedLimit>(sluice_limit_token_bucket, 10.0, 5.0);
  const OwnedLimit after = made_by<OwnedLimit>(sluice_limit_leaky_bucket, 1.0, 10.0);
  const OwnedBucket bucket = made_by<OwnedBucket>(sluice_bucket_create_with, before.get(), clock.get());
  sluice_decision decision{};
  sluice_bucket_take(bucket.get(), 4, &decision);
  ASSERT_EQ(sluice_bucket_change_limit(bucket.get(), after.get()), SLUICE_OK);
  sluice_bucket_peek(bucket.get(), 1, &decision);
  EXPECT_EQ(decision.remaining, 6);
}

TEST(COnTheSystemClock, RefillsAsTimeReallyPasses) {
  const OwnedLimiter limiter = made_by<OwnedLimiter>(sluice_limiter_create, 1e6, 1.0, uint64_t{1} << 20);
  const OwnedBucket bucket = made_by<OwnedBucket>(sluice_bucket_create, 1e6, 1.0);
  sluice_decision decision{};
  int64_t ready = 0;
  int64_t now = 0;
  sluice_limiter_take(limiter.get(), sluice_key_of("k"), 1, &decision);
  sluice_limiter_wait_until(limiter.get(), sluice_key_of("k"), 1, &ready);
  while (now < ready) ASSERT_EQ(sluice_limiter_now(limiter.get(), &now), SLUICE_OK);
  sluice_limiter_take(limiter.get(), sluice_key_of("k"), 1, &decision);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
  EXPECT_EQ(sluice_bucket_take(bucket.get(), 1, &decision), SLUICE_OK);
  EXPECT_EQ(decision.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
}

TEST(CThreads, AdmitExactlyTheCapacityTogether) {
  HandClock clock;
  const OwnedLimit limit = made_by<OwnedLimit>(sluice_limit_token_bucket, 1.0, 4'000.0);
  const OwnedLimiter limiter = limiter_of({limit.get()}, clock);
  const OwnedBucket bucket = made_by<OwnedBucket>(sluice_bucket_create_with, limit.get(), clock.get());
  std::atomic<int> by_limiter{0};
  std::atomic<int> by_bucket{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      sluice_decision decision{};
      for (int i = 0; i < 2'000; ++i) {
        sluice_limiter_take(limiter.get(), sluice_key_of("k"), 1, &decision);
        by_limiter += decision.verdict == SLUICE_ALLOWED;
        sluice_bucket_take(bucket.get(), 1, &decision);
        by_bucket += decision.verdict == SLUICE_ALLOWED;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(by_limiter.load(), 4'000);
  EXPECT_EQ(by_bucket.load(), 4'000);
}

}  // namespace
}  // namespace sluice
