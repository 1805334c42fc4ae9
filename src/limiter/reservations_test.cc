#include "limiter/reservations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "limiter/limiter_testing.h"

namespace sluice::limiter {
namespace {

Reservation something() { return {{"p", "r", "key", 0, per_second(1, 10), kOneToken}}; }

TEST(Reservations, AHandleIsGoodOnce) {
  Reservations reservations;
  const std::string handle = reservations.keep(something(), Instant(100));
  ASSERT_EQ(reservations.take(handle, Instant(0))->at(0).key, "key");
  EXPECT_FALSE(reservations.take(handle, Instant(0)));
  EXPECT_EQ(reservations.size(), 0U);
}

TEST(Reservations, OneWhoseTimeIsUpIsGone) {
  Reservations reservations;
  const std::string handle = reservations.keep(something(), Instant(100));
  EXPECT_FALSE(reservations.take(handle, Instant(100)));
  EXPECT_EQ(reservations.size(), 0U);
}

TEST(Reservations, WhatIsNoHandleIsNone) {
  Reservations reservations;
  for (const char* text :
       {"", "rsv-", "rsv-0123", "rsv-zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "0123456789abcdef0123456789abcdef"})
    EXPECT_FALSE(reservations.take(text, Instant(0))) << text;
}

TEST(Reservations, AreBoundedAndThoseWhoseTimeIsUpMakeRoom) {
  Reservations reservations({3});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(reservations.has_room(Instant(0)));
    reservations.keep(something(), Instant(100 + i));
  }
  EXPECT_FALSE(reservations.has_room(Instant(50)));
  EXPECT_TRUE(reservations.has_room(Instant(100)));
  EXPECT_EQ(reservations.size(), 2U);
}

TEST(Reservations, NoTwoHandlesAreAlike) {
  Reservations reservations;
  std::set<std::string> handles;
  for (int i = 0; i < 1000; ++i) handles.insert(reservations.keep(something(), Instant(100)));
  EXPECT_EQ(handles.size(), 1000U);
}

TEST(Reservations, OfThreadsThatSettleOneHandleOnlyOneDoes) {
  Reservations reservations;
  for (int round = 0; round < 200; ++round) {
    const std::string handle = reservations.keep(something(), Instant(100));
    std::atomic<int> got{0};
    std::thread other([&] { got += reservations.take(handle, Instant(0)).has_value(); });
    got += reservations.take(handle, Instant(0)).has_value();
    other.join();
    ASSERT_EQ(got, 1);
  }
}

class Settling : public ::testing::Test {
 protected:
  Settling() { under_test_.limiter.set_rules(rule_set({rule("r", {"attr:user_id"}, per_second(1, 100))})); }

  std::string reserve(int64_t cost) {
    UserRequest request("42");
    (*request).cost = Tokens::whole(cost);
    under_test_.worker.decide(under_test_.check, *request, under_test_.now);
    EXPECT_TRUE(under_test_.check.answer().allowed);
    return under_test_.worker.reserve(under_test_.check, under_test_.now.instant + Duration::seconds(60));
  }
  std::optional<Tokens> settle(const std::string& handle, int64_t cost) {
    return under_test_.worker.settle(handle, Tokens::whole(cost), under_test_.now.instant);
  }
  int64_t remaining() { return under_test_.decide("42", stores::Action::kPeek).tightest->remaining.floor(); }

  LimiterUnderTest under_test_;
};

TEST_F(Settling, ForLessGivesTheRestBack) {
  const std::string handle = reserve(50);
  ASSERT_EQ(remaining(), 50);
  EXPECT_EQ(settle(handle, 20), Tokens());
  EXPECT_EQ(remaining(), 80);
}

TEST_F(Settling, ForTheEstimateChangesNothing) {
  EXPECT_EQ(settle(reserve(50), 50), Tokens());
  EXPECT_EQ(remaining(), 50);
}

TEST_F(Settling, ForMoreTakesTheDifference) {
  EXPECT_EQ(settle(reserve(50), 70), Tokens());
  EXPECT_EQ(remaining(), 30);
}

TEST_F(Settling, ForMoreThanIsThereTakesWhatIsThereAndTellsTheRest) {
  EXPECT_EQ(settle(reserve(50), 130), Tokens::whole(30));
  EXPECT_EQ(remaining(), 0);
}

TEST_F(Settling, ForNothingGivesAllBack) {
  EXPECT_EQ(settle(reserve(50), 0), Tokens());
  EXPECT_EQ(remaining(), 100);
}

TEST_F(Settling, IsDoneOnceAndInTime) {
  const std::string handle = reserve(50);
  EXPECT_EQ(settle(handle, 20), Tokens());
  EXPECT_EQ(settle(handle, 20), std::nullopt);
  const std::string late = reserve(10);
  under_test_.now.instant = under_test_.now.instant + Duration::seconds(60);
  EXPECT_EQ(settle(late, 1), std::nullopt);
}

TEST_F(Settling, UsesTheLimitThatTheRuleHasNow) {
  const std::string handle = reserve(50);
  under_test_.limiter.set_rules(rule_set({rule("r", {"attr:user_id"}, per_second(1, 60))}));
  ASSERT_EQ(remaining(), 10);
  EXPECT_EQ(settle(handle, 30), Tokens());
  EXPECT_EQ(remaining(), 30);
}

TEST_F(Settling, OfARuleThatIsGoneDoesNothing) {
  const std::string handle = reserve(50);
  under_test_.limiter.set_rules(rule_set({rule("other", {"attr:user_id"}, per_second(1, 60))}));
  EXPECT_EQ(settle(handle, 90), Tokens());
}

TEST_F(Settling, OfABucketBesideTheRulesUsesItsOwnLimit) {
  const Limit limit = per_second(1, 10);
  under_test_.worker.decide(under_test_.check, NamedBucket{"k", &limit, Tokens::whole(4)}, under_test_.now);
  const std::string handle = under_test_.worker.reserve(under_test_.check, under_test_.now.instant + Duration(1));
  EXPECT_EQ(settle(handle, 1), Tokens());
  under_test_.worker.decide(under_test_.check, NamedBucket{"k", &limit}, under_test_.now, stores::Action::kPeek);
  EXPECT_EQ(under_test_.check.answer().tightest->remaining, Tokens::whole(9));
}

}  // namespace
}  // namespace sluice::limiter
