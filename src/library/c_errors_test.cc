// Whatever a program in another language passes, the C interface answers with a status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <thread>

#include "library/c_testing.h"

namespace sluice {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BadNumber {
  double value;
  sluice_status status;
};
const BadNumber kBadNumbers[] = {
    {kNan, SLUICE_NOT_FINITE},     {kInfinity, SLUICE_NOT_FINITE}, {-kInfinity, SLUICE_NOT_FINITE},
    {0, SLUICE_NOT_POSITIVE},      {-0.0, SLUICE_NOT_POSITIVE},    {-1, SLUICE_NOT_POSITIVE},
    {-1e308, SLUICE_NOT_POSITIVE}, {1e308, SLUICE_TOO_LARGE},
};

class CErrors : public testing::Test {
 protected:
  // Nothing was taken by the calls of a test.
  void TearDown() override {
    sluice_decision found{};
    ASSERT_EQ(sluice_limiter_peek(limiter(), key_, 1, &found), SLUICE_OK);
    EXPECT_EQ(found.remaining, 5);
    ASSERT_EQ(sluice_bucket_peek(bucket(), 1, &found), SLUICE_OK);
    EXPECT_EQ(found.remaining, 5);
  }
  sluice_limiter* limiter() { return limiter_.get(); }
  sluice_bucket* bucket() { return bucket_.get(); }

  HandClock clock_;
  const sluice_key key_ = sluice_key_of("k");
  sluice_decision decision_{};
  int64_t ns_ = 0;
  OwnedLimit limit_ = made_by<OwnedLimit>(sluice_limit_token_bucket, 10.0, 5.0);
  OwnedLimit window_ = made_by<OwnedLimit>(sluice_limit_fixed_window, 5.0, kSecond);
  OwnedLimiter limiter_ = limiter_of({limit_.get()}, clock_);
  OwnedBucket bucket_ = made_by<OwnedBucket>(sluice_bucket_create_with, limit_.get(), clock_.get());
};

TEST_F(CErrors, ABadRateCapacityOrWindowMakesNoLimit) {
  const auto unset = reinterpret_cast<sluice_limit*>(0x10);
  for (const BadNumber& bad : kBadNumbers) {
    for (const auto create : {sluice_limit_token_bucket, sluice_limit_leaky_bucket, sluice_limit_leaky_queue}) {
      sluice_limit* limit = unset;
      EXPECT_EQ(create(bad.value, 1, &limit), bad.status) << bad.value;
      EXPECT_EQ(limit, nullptr);
      EXPECT_EQ(create(1, bad.value, &limit), bad.status) << bad.value;
    }
    for (const auto create :
         {sluice_limit_fixed_window, sluice_limit_sliding_window_log, sluice_limit_sliding_window_counter}) {
      sluice_limit* limit = unset;
      EXPECT_EQ(create(bad.value, kSecond, &limit), bad.status) << bad.value;
      EXPECT_EQ(limit, nullptr);
      EXPECT_EQ(create(1, 0, &limit), SLUICE_NOT_POSITIVE);
      EXPECT_EQ(create(1, -1, &limit), SLUICE_NOT_POSITIVE);
      EXPECT_EQ(create(1, INT64_MIN, &limit), SLUICE_NOT_POSITIVE);
      EXPECT_EQ(create(1, 1, &limit), SLUICE_TOO_SMALL);
      EXPECT_EQ(create(1, INT64_MAX, &limit), SLUICE_TOO_LARGE);
    }
  }
  sluice_limit* limit = nullptr;
  EXPECT_EQ(sluice_limit_token_bucket(1e-10, 1, &limit), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limit_token_bucket(1, 1e-7, &limit), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limit_token_bucket(1, 1, nullptr), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_limit_fixed_window(1, kSecond, nullptr), SLUICE_NULL_ARGUMENT);
}

TEST_F(CErrors, ABadNumberMakesNoLimiterAndNoBucket) {
  for (const BadNumber& bad : kBadNumbers) {
    auto* limiter = reinterpret_cast<sluice_limiter*>(0x10);
    auto* bucket = reinterpret_cast<sluice_bucket*>(0x10);
    EXPECT_EQ(sluice_limiter_create(bad.value, 1, 0, &limiter), bad.status);
    EXPECT_EQ(limiter, nullptr);
    EXPECT_EQ(sluice_limiter_create(1, bad.value, 0, &limiter), bad.status);
    EXPECT_EQ(sluice_bucket_create(bad.value, 1, &bucket), bad.status);
    EXPECT_EQ(bucket, nullptr);
    EXPECT_EQ(sluice_bucket_create(1, bad.value, &bucket), bad.status);
  }
  sluice_limiter* limiter = nullptr;
  EXPECT_EQ(sluice_limiter_create(1, 1, 1, &limiter), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limiter_create(1, 1, UINT64_MAX, &limiter), SLUICE_TOO_LARGE);
  EXPECT_EQ(sluice_limiter_create(1, 1, 0, nullptr), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_bucket_create(1, 1, nullptr), SLUICE_NULL_ARGUMENT);
}

TEST_F(CErrors, BadLimitsAndClocksMakeNothing) {
  const sluice_clock no_clock{nullptr, nullptr};
  const sluice_options no_time{0, &no_clock};
  const sluice_limit* limits[] = {limit_.get(), nullptr};
  sluice_limiter* limiter = nullptr;
  EXPECT_EQ(sluice_limiter_create_with(limits, 2, nullptr, &limiter), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_limiter_create_with(nullptr, 1, nullptr, &limiter), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_limiter_create_with(limits, 1, nullptr, nullptr), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_limiter_create_with(limits, 0, nullptr, &limiter), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limiter_create_with(limits, SIZE_MAX, nullptr, &limiter), SLUICE_TOO_MANY);
  EXPECT_EQ(sluice_limiter_create_with(limits, 1, &no_time, &limiter), SLUICE_NULL_ARGUMENT);
  sluice_bucket* bucket = nullptr;
  EXPECT_EQ(sluice_bucket_create_with(nullptr, nullptr, &bucket), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_bucket_create_with(limit_.get(), nullptr, nullptr), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_bucket_create_with(limit_.get(), &no_clock, &bucket), SLUICE_NULL_ARGUMENT);
  EXPECT_EQ(sluice_bucket_create_with(window_.get(), nullptr, &bucket), SLUICE_WRONG_ALGORITHM);
  EXPECT_EQ(sluice_bucket_change_limit(this->bucket(), window_.get()), SLUICE_WRONG_ALGORITHM);
}

TEST_F(CErrors, ABadCostIsRefusedByEveryFunctionThatTakesOne) {
  for (const BadNumber& bad : kBadNumbers) {
    const sluice_request requests[] = {{key_, 1}, {key_, bad.value}};
    const sluice_take takes[] = {{key_, limit_.get(), 1, 0}, {key_, limit_.get(), bad.value, 1}};
    sluice_decision decisions[2];
    EXPECT_EQ(sluice_limiter_take(limiter(), key_, bad.value, &decision_), bad.status) << bad.value;
    EXPECT_EQ(sluice_limiter_take_each(limiter(), requests, 2, decisions), bad.status);
    EXPECT_EQ(sluice_limiter_take_all(limiter(), takes, 2, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_peek(limiter(), key_, bad.value, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_peek_all(limiter(), takes, 2, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_refund(limiter(), key_, bad.value), bad.status);
    EXPECT_EQ(sluice_limiter_refund_all(limiter(), takes, 2), bad.status);
    EXPECT_EQ(sluice_limiter_wait_until(limiter(), key_, bad.value, &ns_), bad.status);
    EXPECT_EQ(sluice_bucket_take(bucket(), bad.value, &decision_), bad.status);
    EXPECT_EQ(sluice_bucket_peek(bucket(), bad.value, &decision_), bad.status);
    EXPECT_EQ(sluice_bucket_refund(bucket(), bad.value), bad.status);
    EXPECT_EQ(sluice_bucket_wait_until(bucket(), bad.value, &ns_), bad.status);
  }
}

TEST_F(CErrors, ABadKeyIsRefusedByEveryFunctionThatTakesOne) {
  const struct {
    sluice_key key;
    sluice_status status;
  } cases[] = {{sluice_key_of(nullptr), SLUICE_NULL_ARGUMENT},
               {{nullptr, 3}, SLUICE_NULL_ARGUMENT},
               {{"k", SIZE_MAX}, SLUICE_TOO_LARGE}};
  for (const auto& bad : cases) {
    const sluice_request request{bad.key, 1};
    const sluice_take take{bad.key, limit_.get(), 1, 0};
    EXPECT_EQ(sluice_limiter_take(limiter(), bad.key, 1, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_take_each(limiter(), &request, 1, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_take_all(limiter(), &take, 1, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_peek(limiter(), bad.key, 1, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_peek_all(limiter(), &take, 1, &decision_), bad.status);
    EXPECT_EQ(sluice_limiter_refund(limiter(), bad.key, 1), bad.status);
    EXPECT_EQ(sluice_limiter_refund_all(limiter(), &take, 1), bad.status);
    EXPECT_EQ(sluice_limiter_reset(limiter(), bad.key), bad.status);
    EXPECT_EQ(sluice_limiter_wait_until(limiter(), bad.key, 1, &ns_), bad.status);
    EXPECT_EQ(sluice_limiter_time_to_full(limiter(), bad.key, &ns_), bad.status);
  }
}

TEST_F(CErrors, NullInsteadOfALimiterOrABucketIsRefusedByEveryFunction) {
  const sluice_request request{key_, 1};
  const sluice_take take{key_, limit_.get(), 1, 0};
  sluice_stats stats{};
  const sluice_status statuses[] = {sluice_limiter_take(nullptr, key_, 1, &decision_),
                                    sluice_limiter_take_each(nullptr, &request, 1, &decision_),
                                    sluice_limiter_take_all(nullptr, &take, 1, &decision_),
                                    sluice_limiter_peek(nullptr, key_, 1, &decision_),
                                    sluice_limiter_peek_all(nullptr, &take, 1, &decision_),
                                    sluice_limiter_refund(nullptr, key_, 1),
                                    sluice_limiter_refund_all(nullptr, &take, 1),
                                    sluice_limiter_reset(nullptr, key_),
                                    sluice_limiter_wait_until(nullptr, key_, 1, &ns_),
                                    sluice_limiter_time_to_full(nullptr, key_, &ns_),
                                    sluice_limiter_now(nullptr, &ns_),
                                    sluice_limiter_stats(nullptr, &stats),
                                    sluice_bucket_take(nullptr, 1, &decision_),
                                    sluice_bucket_peek(nullptr, 1, &decision_),
                                    sluice_bucket_refund(nullptr, 1),
                                    sluice_bucket_wait_until(nullptr, 1, &ns_),
                                    sluice_bucket_time_to_full(nullptr, &ns_),
                                    sluice_bucket_now(nullptr, &ns_),
                                    sluice_bucket_change_limit(nullptr, limit_.get())};
  for (const sluice_status status : statuses) EXPECT_EQ(status, SLUICE_NULL_ARGUMENT);
}

TEST_F(CErrors, NullInsteadOfAnAnswerOrALimitIsRefusedAndNothingIsTaken) {
  const sluice_request request{key_, 1};
  const sluice_take take{key_, limit_.get(), 1, 0};
  const sluice_take no_limit{key_, nullptr, 1, 0};
  const sluice_status statuses[] = {sluice_limiter_take(limiter(), key_, 1, nullptr),
                                    sluice_limiter_take_each(limiter(), &request, 1, nullptr),
                                    sluice_limiter_take_each(limiter(), nullptr, 1, &decision_),
                                    sluice_limiter_take_all(limiter(), &take, 1, nullptr),
                                    sluice_limiter_take_all(limiter(), nullptr, 1, &decision_),
                                    sluice_limiter_take_all(limiter(), &no_limit, 1, &decision_),
                                    sluice_limiter_peek(limiter(), key_, 1, nullptr),
                                    sluice_limiter_peek_all(limiter(), &take, 1, nullptr),
                                    sluice_limiter_peek_all(limiter(), &no_limit, 1, &decision_),
                                    sluice_limiter_refund_all(limiter(), nullptr, 1),
                                    sluice_limiter_wait_until(limiter(), key_, 1, nullptr),
                                    sluice_limiter_time_to_full(limiter(), key_, nullptr),
                                    sluice_limiter_now(limiter(), nullptr),
                                    sluice_limiter_stats(limiter(), nullptr),
                                    sluice_bucket_take(bucket(), 1, nullptr),
                                    sluice_bucket_peek(bucket(), 1, nullptr),
                                    sluice_bucket_wait_until(bucket(), 1, nullptr),
                                    sluice_bucket_time_to_full(bucket(), nullptr),
                                    sluice_bucket_now(bucket(), nullptr),
                                    sluice_bucket_change_limit(bucket(), nullptr)};
  for (const sluice_status status : statuses) EXPECT_EQ(status, SLUICE_NULL_ARGUMENT);
}

TEST_F(CErrors, ListsThatAreEmptyOrTooLongAreRefused) {
  const std::vector<sluice_take> takes(SLUICE_MAX_TAKES + 1, sluice_take{key_, limit_.get(), 1, 0});
  const sluice_request request{key_, 1};
  for (const size_t count : {size_t{SLUICE_MAX_TAKES} + 1, SIZE_MAX}) {
    EXPECT_EQ(sluice_limiter_take_all(limiter(), takes.data(), count, &decision_), SLUICE_TOO_MANY);
    EXPECT_EQ(sluice_limiter_peek_all(limiter(), takes.data(), count, &decision_), SLUICE_TOO_MANY);
    EXPECT_EQ(sluice_limiter_refund_all(limiter(), takes.data(), count), SLUICE_TOO_MANY);
  }
  EXPECT_EQ(sluice_limiter_take_all(limiter(), takes.data(), 0, &decision_), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limiter_peek_all(limiter(), takes.data(), 0, &decision_), SLUICE_TOO_SMALL);
  EXPECT_EQ(sluice_limiter_take_each(limiter(), &request, SIZE_MAX, &decision_), SLUICE_TOO_MANY);
  EXPECT_EQ(sluice_limiter_take_each(limiter(), nullptr, 0, nullptr), SLUICE_OK);
}

TEST_F(CErrors, AClockThatReadsAnythingDoesNoHarm) {
  const sluice_key other = sluice_key_of("other");
  for (const int64_t ns : {INT64_MIN, INT64_MAX, int64_t{-1}, INT64_MIN + 1, int64_t{0}, INT64_MAX - 1}) {
    clock_.set(ns);
    EXPECT_EQ(sluice_limiter_take(limiter(), other, 1, &decision_), SLUICE_OK);
    EXPECT_LE(decision_.remaining, 4);
    EXPECT_EQ(sluice_limiter_refund(limiter(), other, 1), SLUICE_OK);
    EXPECT_EQ(sluice_limiter_wait_until(limiter(), other, 5, &ns_), SLUICE_OK);
    EXPECT_EQ(sluice_limiter_time_to_full(limiter(), other, &ns_), SLUICE_OK);
    EXPECT_EQ(sluice_bucket_peek(bucket(), 1, &decision_), SLUICE_OK);
    EXPECT_EQ(sluice_bucket_wait_until(bucket(), 5, &ns_), SLUICE_OK);
  }
  const OwnedBucket late = made_by<OwnedBucket>(sluice_bucket_create_with, limit_.get(), clock_.get());
  EXPECT_EQ(sluice_bucket_take(late.get(), 5, &decision_), SLUICE_OK);
  EXPECT_EQ(decision_.verdict, static_cast<uint32_t>(SLUICE_ALLOWED));
}

TEST(CMessages, EveryStatusHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (sluice_status status = SLUICE_OK; status <= SLUICE_WRONG_ALGORITHM + 1; ++status) {
    sentences.insert(sluice_error_message(status));
  }
  EXPECT_EQ(sentences.size(), 10U);
  EXPECT_STREQ(sluice_error_message(-1), sluice_error_message(INT32_MAX));
}

TEST(CMessages, TheLatestFailureNamesTheArgumentAndWhatWouldBeRight) {
  sluice_limiter* limiter = nullptr;
  sluice_limiter_create(0, 1, 0, &limiter);
  EXPECT_STREQ(sluice_last_error(), "rate must be greater than 0");
  sluice_limiter_create(1, 3e9, 0, &limiter);
  EXPECT_STREQ(sluice_last_error(), "capacity must be at most 1e9 tokens");
  sluice_limiter_create(1, 1, 1, &limiter);
  EXPECT_STREQ(sluice_last_error(), "max_bytes must be at least 1048576 bytes");
  sluice_limiter_reset(nullptr, sluice_key_of("k"));
  EXPECT_STREQ(sluice_last_error(), "limiter must not be NULL");
}

TEST(CMessages, EachThreadHasItsOwn) {
  sluice_limit* limit = nullptr;
  sluice_limit_token_bucket(kNan, 1, &limit);
  std::thread([] { EXPECT_STREQ(sluice_last_error(), ""); }).join();
  EXPECT_STREQ(sluice_last_error(), "rate must be a finite number");
}

TEST(CVersion, IsThreeNumbers) { EXPECT_THAT(sluice_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+")); }

TEST(CDestruction, OfNothingDoesNothing) {
  sluice_limit_destroy(nullptr);
  sluice_limiter_destroy(nullptr);
  sluice_bucket_destroy(nullptr);
}

}  // namespace
}  // namespace sluice
