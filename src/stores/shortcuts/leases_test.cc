#include "stores/shortcuts/leases.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "allocations/count.h"
#include "stores/shortcuts/remote_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;
using stores::Progress;

constexpr LeaseTerms kTen{LeaseTerms::Kind::kFixed, Tokens::whole(10), Duration::millis(400)};
constexpr LeaseTerms kAuto{LeaseTerms::Kind::kAuto, {}, {}};
constexpr LeaseTerms kOff{};

class LeasesTest : public ::testing::Test {
 protected:
  LeasesTest() { remote_.is_prompt = true; }

  Take take(const char* key, int64_t cost = 1) const { return {key, &slow_, Tokens::whole(cost)}; }
  int64_t there(const char* key) { return memory_->peek({{take(key)}}, clock_.now()).remaining.floor(); }
  // Whether a take is admitted without a question.
  bool spends(const Take& take, const LeaseTerms& terms = kTen) {
    const size_t before = remote_.asked;
    return Question(take, terms).to(leases_).is_admitted() && remote_.asked == before;
  }
  static int64_t whole(const Count& count) { return static_cast<int64_t>(count.value() / 1'000'000); }

  // A token in 1000 seconds: nearly nothing comes back while a test runs.
  const Limit slow_ = *Limit::token_bucket(0.001, 100);
  ManualClock clock_{Instant(1'000'000'000)};
  std::unique_ptr<memory::MemoryStore> memory_ = small_memory();
  RemoteStore remote_{*memory_, clock_};
  Leases leases_{remote_, clock_, {64, 8, Duration::millis(500), Duration::millis(20), false}};
};

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

TEST_F(LeasesTest, GivesBackWhatLiesIdle) {
  Question(take("a"), kTen).to(leases_);
  leases_.sweep();
  clock_.advance(Duration::millis(195));
  leases_.sweep();
  EXPECT_EQ(there("a"), 89);
  EXPECT_TRUE(spends(take("a")));
  clock_.advance(Duration::millis(195));
  leases_.sweep();
  EXPECT_EQ(there("a"), 89);
  clock_.advance(Duration::millis(10));
  leases_.sweep();
  EXPECT_EQ(there("a"), 97);  // 98, less what came back in the meantime: a little.
  EXPECT_EQ(memory_->peek({{take("a")}}, clock_.now()).remaining.micros() / 1000, 97'999);
  EXPECT_FALSE(leases_.has_outstanding());
  EXPECT_EQ(whole(leases_.counts().given_back), 8);
}

TEST_F(LeasesTest, SpendsNothingThatExpiredAndGivesItBack) {
  Question(take("a"), kTen).to(leases_);
  for (int i = 0; i < 4; ++i) {
    clock_.advance(Duration::millis(99));
    EXPECT_TRUE(spends(take("a")));
    leases_.sweep();
  }
  clock_.advance(Duration::millis(4));
  EXPECT_FALSE(spends(take("a")));
  clock_.advance(Duration::millis(5));
  leases_.sweep();
  EXPECT_EQ(whole(leases_.counts().given_back), 5);
  EXPECT_EQ(leases_.counts().outstanding(), 10'000'000U);
}

TEST_F(LeasesTest, GivesAllBackAtTheEnd) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("key " + std::to_string(i));
  for (const std::string& key : keys) Question(take(key.c_str()), kTen).to(leases_);
  ASSERT_TRUE(leases_.has_outstanding());
  remote_.is_prompt = false;
  leases_.give_all_back();
  EXPECT_EQ(remote_.waiting(), 2U);
  EXPECT_TRUE(leases_.has_outstanding());
  while (remote_.waiting() > 0) remote_.reply();
  EXPECT_FALSE(leases_.has_outstanding());
  for (const std::string& key : keys) EXPECT_GE(there(key.c_str()), 98);
  remote_.is_prompt = true;
  EXPECT_TRUE(Question(take("a"), kTen).to(leases_).is_admitted());
  EXPECT_EQ(there("a"), 99);  // No new leases.
}

TEST_F(LeasesTest, GivesBackAGrantThatComesAfterTheEnd) {
  remote_.is_prompt = false;
  Question late(take("a"), kTen);
  late.to(leases_);
  leases_.give_all_back();
  remote_.reply();
  remote_.is_prompt = true;
  leases_.sweep();
  EXPECT_FALSE(leases_.has_outstanding());
  EXPECT_GE(there("a"), 98);
}

TEST_F(LeasesTest, LosesWhatDoesNotArrive) {
  Question(take("a"), kTen).to(leases_);
  remote_.is_down = true;
  leases_.give_all_back();
  EXPECT_EQ(there("a"), 89);
  EXPECT_FALSE(leases_.has_outstanding());
  EXPECT_EQ(whole(leases_.counts().lost), 10);
}

TEST_F(LeasesTest, DropsCreditOfABucketThatIsReset) {
  Question(take("a"), kTen).to(leases_);
  remote_.is_prompt = false;
  Question grant(Action::kTake, {take("a", 20)}, 1, {kTen});
  grant.to(leases_);
  Question reset(Action::kReset, {take("a")}, 1);
  reset.to(leases_);
  remote_.execute(0);
  remote_.reply(1);
  remote_.reply(0);  // Granted before the reset, told after it.
  EXPECT_TRUE(grant.is_admitted());
  remote_.is_prompt = true;
  EXPECT_EQ(there("a"), 100);
  EXPECT_FALSE(leases_.has_outstanding());
  Question(take("a"), kTen).to(leases_);
  leases_.drop("a", 0);
  EXPECT_FALSE(leases_.has_outstanding());
}

TEST_F(LeasesTest, PeeksAtWhatIsThereAndHere) {
  Question(take("a"), kTen).to(leases_);
  Question peek(Action::kPeek, {take("a"), take("b")}, 2);
  peek.to(leases_);
  EXPECT_EQ(peek.decision(0).remaining, Tokens::whole(99));
  EXPECT_EQ(peek.decision(1).remaining, Tokens::whole(100));
  Question(Action::kTake, {take("a", 89)}, 1).to(remote_);
  Question covered(Action::kPeek, {take("a", 5)}, 1);
  EXPECT_TRUE(covered.to(leases_).is_admitted());
  EXPECT_EQ(covered.decision().remaining, Tokens::whole(10));
  Question(Action::kReset, {take("a")}, 1).to(remote_);
  Question full(Action::kPeek, {take("a")}, 1);
  full.to(leases_);
  EXPECT_EQ(full.decision().remaining, Tokens::whole(100));
}

TEST_F(LeasesTest, PassesRefundsOn) {
  Question(take("a", 5), kTen).to(leases_);
  Question(Action::kRefund, {take("a", 5)}, 1).to(leases_);
  EXPECT_EQ(there("a"), 90);
}

TEST_F(LeasesTest, GivesCreditBackWhenTheLimitChanges) {
  Question(take("a"), kTen).to(leases_);
  const Limit same = *Limit::token_bucket(0.001, 100);
  EXPECT_TRUE(spends({"a", &same}));
  const Limit changed = *Limit::token_bucket(0.001, 50);
  EXPECT_FALSE(spends({"a", &changed}));
  EXPECT_EQ(whole(leases_.counts().given_back), 8);
  EXPECT_TRUE(spends({"a", &changed}));
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

TEST_F(LeasesTest, KeepsCreditOfBucketsWhenOthersFloodTheTable) {
  Question(take("a"), kTen).to(leases_);
  for (int i = 0; i < 1000; ++i) Question(take(("flood " + std::to_string(i)).c_str()), kAuto).to(leases_);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(spends(take("a")));
}

TEST_F(LeasesTest, AllocatesNothingForWhatItAnswersHere) {
  const LeaseTerms much{LeaseTerms::Kind::kFixed, Tokens::whole(90), Duration::seconds(100)};
  Question question(take("a"), much);
  question.to(leases_);
  const uint64_t before = testing::allocations();
  for (int i = 0; i < 90; ++i) {
    leases_.ask(question.ask);
    leases_.sweep();
    clock_.advance(Duration::millis(10));
  }
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(remote_.asked, 1U);
}

}  // namespace
}  // namespace sluice::shortcuts
