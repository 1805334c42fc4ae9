#include "doors/retry_after.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "doors/answers_testing.h"

namespace sluice::doors {
namespace {

constexpr int kKeys = 10'000;

std::map<int64_t, int> told_to_many(Duration wait, const std::string& prefix) {
  std::map<int64_t, int> told;
  for (int i = 0; i < kKeys; ++i) ++told[jittered_seconds(wait, jitter_seed(prefix + std::to_string(i)))];
  return told;
}

// Chi-square over the values told, in units of its standard deviation from its mean: a fair die stays below 5.
double unevenness(const std::map<int64_t, int>& told, int values) {
  const double expected = static_cast<double>(kKeys) / values;
  double chi_square = static_cast<double>(values - static_cast<int>(told.size())) * expected;
  for (const auto& [value, count] : told) chi_square += (count - expected) * (count - expected) / expected;
  const double freedom = values - 1;
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

// What scripts that compute the same can be held to.
TEST(RetryAfter, TheSeedIsAFixedFunctionOfTheKey) {
  EXPECT_EQ(jitter_seed(std::string_view()), 0xab3e7c0bu);
  EXPECT_EQ(jitter_seed("user:42"), 0x23bf9c12u);
  EXPECT_EQ(jitter_seed(std::string_view("\xff\0", 2)), 0xd63edccfu);
}

TEST(RetryAfter, ABaseOfOneSecondIsToldAsOneOrTwoToHalfOfTheClientsEach) {
  for (const Duration wait : {Duration(1), Duration::millis(200), Duration::seconds(1)}) {
    const auto told = told_to_many(wait, "user:");
    ASSERT_EQ(told.size(), 2u);
    EXPECT_NEAR(told.at(1), kKeys / 2, 250);
    EXPECT_NEAR(told.at(2), kKeys / 2, 250);
  }
}

TEST(RetryAfter, EveryValueUpToHalfMoreIsToldEquallyOften) {
  for (const char* prefix : {"user:", "10.0.", "api_key=0123456789abcdef-", ""}) {
    for (const int base : {1, 2, 3, 5, 10, 59, 60, 600}) {
      const int most = (base + 1) / 2;
      const auto told = told_to_many(Duration::seconds(base), prefix);
      EXPECT_EQ(told.begin()->first, base);
      EXPECT_LE(told.rbegin()->first, base + most);
      EXPECT_LT(unevenness(told, most + 1), 5) << prefix << " at " << base << " s";
    }
  }
}

RC_GTEST_PROP(RetryAfter, IsNeverEarlierThanTheExactWaitNorAboveHalfMoreRoundedUp, ()) {
  const Duration wait = *any_wait();
  const int64_t told = jittered_seconds(wait, *rc::gen::arbitrary<uint32_t>());
  const double exact = static_cast<double>(wait.ns) / 1e9;
  RC_ASSERT(told >= 1);
  RC_ASSERT(told >= wait.ceil_seconds());
  RC_ASSERT(static_cast<double>(told) <= std::ceil(1.5 * exact) + 1);
  const int64_t base = wait.ceil_seconds();
  RC_ASSERT(told <= base + (base + 1) / 2);
}

RC_GTEST_PROP(RetryAfter, TheSameKeyAndWaitAreAlwaysToldTheSame, ()) {
  const std::string key = *any_hostile_text();
  const Duration wait = *any_wait();
  RC_ASSERT(jittered_seconds(wait, jitter_seed(key)) == jittered_seconds(wait, jitter_seed(std::string(key))));
}

int64_t told(const std::string& user, Duration wait) {
  AnswerUnderTest made;
  made.bucket({.rule = "per-user", .key = user});
  made.bucket({.rule = "global", .allowed = false, .retry_after = wait, .key = ""});
  return *retry_after_seconds(made.reject(limiter::Reason::kExceeded, wait).answer());
}

TEST(RetryAfter, CallersWhoShareTheBucketThatRejectsAreToldApartByTheirOtherKeys) {
  std::map<int64_t, int> all;
  for (int i = 0; i < kKeys; ++i) ++all[told("user:" + std::to_string(i), Duration::seconds(9))];
  EXPECT_EQ(all.size(), 6u);
  EXPECT_LT(unevenness(all, 6), 5);
}

TEST(RetryAfter, OfOneBucketTheSeedIsThatOfItsKey) {
  AnswerUnderTest one;
  EXPECT_EQ(jitter_seed(one.bucket({.key = "user:42"}).answer()), jitter_seed("user:42"));
  AnswerUnderTest two;
  two.bucket({.key = "user:42"}).bucket({.key = "acme"});
  EXPECT_EQ(jitter_seed(two.answer()), jitter_seed(std::string_view("user:42\0acme", 12)));
}

TEST(RetryAfter, OfAKillSwitchClientsAreToldApartByTheValueAndTheirAddress) {
  std::map<int64_t, int> by_value;
  std::map<int64_t, int> by_address;
  for (int i = 0; i < kKeys; ++i) {
    const std::string text = std::to_string(i);
    AnswerUnderTest made;
    limiter::Answer& answer = made.reject(limiter::Reason::kKillSwitch, Duration::seconds(9)).answer();
    answer.killed_value = text;
    ++by_value[*retry_after_seconds(answer)];
    answer.killed_value = "/search";
    answer.killed_address = text;
    ++by_address[*retry_after_seconds(answer)];
  }
  EXPECT_LT(unevenness(by_value, 6), 5);
  EXPECT_LT(unevenness(by_address, 6), 5);
}

TEST(RetryAfter, WithoutAKeyTheWaitIsToldWithNoJitter) {
  AnswerUnderTest made;
  EXPECT_EQ(retry_after_seconds(made.reject(limiter::Reason::kKillSwitch, Duration::millis(59'001)).answer()), 60);
}

TEST(RetryAfter, IsNotToldToThoseAllowedNorWhereNoWaitHelps) {
  AnswerUnderTest allowed;
  EXPECT_EQ(retry_after_seconds(allowed.bucket({}).answer()), std::nullopt);
  AnswerUnderTest never;
  never.bucket({.allowed = false, .retry_after = kForever});
  EXPECT_EQ(retry_after_seconds(never.reject(limiter::Reason::kCostExceedsCapacity, kForever).answer()), std::nullopt);
}

}  // namespace
}  // namespace sluice::doors
