#include "stores/shortcuts/leases.h"

#include <gtest/gtest.h>

#include <deque>

#include "allocations/count.h"
#include "stores/shortcuts/leases_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;
using stores::Progress;

TEST_F(LeasesTest, TakesMoreThanItNeedsAndSpendsTheRestWithoutAsking) {
  Question first(take("a", 2), kTen);
  EXPECT_TRUE(first.to(leases_).is_admitted());
  EXPECT_EQ(first.decision().remaining, Tokens::whole(98));  // In the store and here.
  EXPECT_EQ(there("a"), 88);
  for (int i = 0; i < 10; ++i) {
    Question next(take("a"), kTen);
    next.to(leases_);
    EXPECT_EQ(next.decision().remaining, Tokens::whole(97 - i));
  }
  EXPECT_EQ(remote_.asked, 1U);
  EXPECT_FALSE(spends(take("a")));
  EXPECT_EQ(there("a"), 77);
  EXPECT_EQ(whole(leases_.counts().granted), 20);
  EXPECT_EQ(whole(leases_.counts().spent), 10);
}

TEST_F(LeasesTest, IsExactWhereARuleOrAnAlgorithmHasNoLeases) {
  const Limit window = *Limit::fixed_window(Tokens::whole(50), Duration::seconds(5));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(spends(take("a"), kOff));
    EXPECT_FALSE(spends({"w", &window}));
    EXPECT_TRUE(Question(take("a")).to(leases_).is_admitted());
  }
  EXPECT_EQ(there("a"), 94);
  EXPECT_EQ(leases_.counts().granted.value(), 0U);
}

TEST_F(LeasesTest, LeasesByDemandWhenItIsLeftToIt) {
  int asked = 0;
  for (int i = 0; i < 60; ++i) asked += spends(take("a"), kAuto) ? 0 : 1;
  EXPECT_LT(asked, 30);
  EXPECT_GT(asked, 8);  // The first ones, before there was any demand.
  EXPECT_EQ(100 - there("a"), 60 + static_cast<int64_t>(leases_.counts().outstanding() / 1'000'000));
}

TEST_F(LeasesTest, AsksAgainForThePlainCostWhenThereIsTooLittleForALease) {
  Question(Action::kTake, {take("a", 95)}, 1).to(remote_);
  const size_t before = remote_.asked;
  Question near(take("a"), kTen);
  EXPECT_TRUE(near.to(leases_).is_admitted());
  EXPECT_EQ(remote_.asked, before + 2);
  EXPECT_GT(remote_.since_ns[before], 0);
  EXPECT_EQ(remote_.since_ns[before + 1], remote_.since_ns[before]);  // Together they have the time of one.
  EXPECT_EQ(near.decision().remaining, Tokens::whole(4));
  EXPECT_FALSE(spends(take("a")));
  EXPECT_EQ(remote_.asked, before + 3);  // Exact for a while.
  clock_.advance(Duration::millis(400));
  EXPECT_FALSE(spends(take("a")));
  EXPECT_EQ(remote_.asked, before + 5);
}

TEST_F(LeasesTest, TellsTheWaitForTheCostAlone) {
  const Limit one = *Limit::token_bucket(1, 100);
  Question(Action::kTake, {{"r", &one, Tokens::whole(100)}}, 1).to(remote_);
  Question rejected({"r", &one}, kTen);
  EXPECT_TRUE(rejected.to(leases_).is_rejected());
  EXPECT_EQ(rejected.decision().retry_after, Duration::seconds(1));
}

TEST_F(LeasesTest, AsksOnlyForWhatIsNotCovered) {
  Question(take("a"), kTen).to(leases_);
  Question mixed(Action::kTake, {take("exact"), take("a"), take("shadow")}, 2, {kOff, kTen, kOff});
  EXPECT_TRUE(mixed.to(leases_).is_admitted());
  ASSERT_EQ(remote_.last_takes.size(), 2U);
  EXPECT_EQ(remote_.last_takes[0].key, "exact");
  EXPECT_EQ(remote_.last_takes[1].key, "shadow");
  EXPECT_EQ(mixed.decision(0).remaining, Tokens::whole(99));
  EXPECT_EQ(mixed.decision(1).remaining, Tokens::whole(98));
  EXPECT_EQ(mixed.decision(2).remaining, Tokens::whole(99));
  EXPECT_EQ(there("a"), 89);
}

TEST_F(LeasesTest, PutsBackWhatARejectedRequestWouldHaveSpent) {
  Question(take("a"), kTen).to(leases_);
  Question(Action::kTake, {take("exact", 100)}, 1).to(remote_);
  Question mixed(Action::kTake, {take("a", 4), take("exact"), take("shadow")}, 2, {kTen, kOff, kOff});
  EXPECT_TRUE(mixed.to(leases_).is_rejected());
  EXPECT_TRUE(mixed.decision(0).allowed());
  EXPECT_EQ(mixed.decision(0).remaining, Tokens::whole(99));
  EXPECT_EQ(there("shadow"), 100);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(spends(take("a")));
  EXPECT_FALSE(spends(take("a")));
}

TEST_F(LeasesTest, LeasesNothingForARequestThatIsRejected) {
  Question(Action::kTake, {take("exact", 100)}, 1).to(remote_);
  Question mixed(Action::kTake, {take("a"), take("exact")}, 2, {kTen, kOff});
  EXPECT_TRUE(mixed.to(leases_).is_rejected());
  EXPECT_TRUE(mixed.decision(0).allowed());
  EXPECT_EQ(mixed.decision(0).remaining, Tokens::whole(100));
  EXPECT_EQ(there("a"), 100);
  EXPECT_EQ(leases_.counts().granted.value(), 0U);
}

TEST_F(LeasesTest, AsksForShadowTakesAloneAndDoesWithoutThemIfItMust) {
  Question(take("a"), kTen).to(leases_);
  Question covered(Action::kTake, {take("a"), take("shadow")}, 1, {kTen, kTen});
  EXPECT_TRUE(covered.to(leases_).is_admitted());
  EXPECT_EQ(covered.decision(1).remaining, Tokens::whole(99));
  EXPECT_EQ(remote_.last_takes.size(), 1U);
  remote_.is_down = true;
  Question alone(Action::kTake, {take("a"), take("shadow")}, 1, {kTen, kTen});
  EXPECT_TRUE(alone.to(leases_).is_admitted());
  EXPECT_EQ(alone.ask.not_asked, 0b10U);
}

TEST_F(LeasesTest, LeasesOnceAtATime) {
  remote_.is_prompt = false;
  std::deque<Question> questions;
  for (int i = 0; i < 5; ++i) questions.emplace_back(take("a"), kTen).to(leases_);
  while (remote_.waiting() > 0) remote_.reply(remote_.waiting() - 1);
  for (const Question& question : questions) EXPECT_EQ(question.answers, 1);
  EXPECT_EQ(there("a"), 85);
  EXPECT_TRUE(spends(take("a")));
}

TEST_F(LeasesTest, IsExactWithMoreRequestsUnderWayThanItCanFollow) {
  remote_.is_prompt = false;
  const char* const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  std::deque<Question> questions;
  for (const char* key : keys) questions.emplace_back(take(key), kTen).to(leases_);
  while (remote_.waiting() > 0) remote_.reply();
  for (const Question& question : questions) EXPECT_TRUE(question.is_admitted());
  EXPECT_EQ(there("h"), 89);
  EXPECT_EQ(there("i"), 99);
}

TEST_F(LeasesTest, SpendsItsCreditWhileTheStoreIsAway) {
  Question(take("a"), kTen).to(leases_);
  remote_.is_down = true;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(spends(take("a")));
  EXPECT_EQ(Question(take("a"), kTen).to(leases_).progress, Progress::kUnavailable);
}

TEST_F(LeasesTest, PutsBackWhatAFailedRequestWouldHaveSpent) {
  Question(take("a"), kTen).to(leases_);
  remote_.is_prompt = false;
  Question mixed(Action::kTake, {take("a", 4), take("exact")}, 2, {kTen, kOff});
  mixed.to(leases_);
  remote_.lose();
  EXPECT_EQ(mixed.progress, Progress::kUnavailable);
  EXPECT_EQ(mixed.ask.not_asked, 0U);
  EXPECT_TRUE(spends(take("a", 10)));
}

TEST_F(LeasesTest, AsksExactlyForABucketThatIsNamedTwice) {
  Question(take("a"), kTen).to(leases_);
  Question twice(Action::kTake, {take("a", 40), take("a", 40)}, 2, {kTen, kTen});
  EXPECT_TRUE(twice.to(leases_).is_admitted());
  EXPECT_EQ(there("a"), 9);
}

TEST_F(LeasesTest, AllocatesNothingForWhatItAnswersHere) {
  const LeaseTerms much{LeaseTerms::Kind::kFixed, Tokens::whole(90), Duration::seconds(100)};
  Question question(take("a"), much);
  question.to(leases_);
  const uint64_t before = testing::allocations();
  for (int i = 0; i < 60; ++i) {
    leases_.ask(question.ask);
    leases_.sweep();
    clock_.advance(Duration::millis(10));
  }
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(remote_.asked, 1U);
}

}  // namespace
}  // namespace sluice::shortcuts
