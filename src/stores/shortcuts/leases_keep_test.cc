// Credit that is given back, dropped, or counted in.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stores/shortcuts/leases_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;

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
  EXPECT_EQ(there("a"), 98);
  EXPECT_FALSE(leases_.has_outstanding());
  EXPECT_EQ(whole(leases_.counts().given_back), 9);
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
  EXPECT_EQ(whole(leases_.counts().given_back), 6);
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

// What its bucket regained while it was on its way would else be there twice.
TEST_F(LeasesTest, UndoesWhatArrivesHoweverLate) {
  const Limit limit = *Limit::token_bucket(2, 100);
  const Take take{"a", &limit};
  Question(take, {stores::LeaseTerms::Kind::kFixed, Tokens::whole(40), Duration::millis(400)}).to(leases_);
  remote_.is_prompt = false;
  clock_.advance(Duration::millis(200));
  leases_.sweep();
  ASSERT_EQ(remote_.waiting(), 1U);
  clock_.advance(Duration::seconds(22));
  RemoteStore other(*memory_, clock_, given_);
  other.is_prompt = true;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Question(take).to(other).is_admitted());
  remote_.reply();
  EXPECT_TRUE(Question(take).to(other).is_rejected());
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

TEST_F(LeasesTest, DropsAllCreditWhenResetsMayHaveBeenMissed) {
  Question(take("a"), kTen).to(leases_);
  Question(take("b"), kTen).to(leases_);
  remote_.is_prompt = false;
  Question grant(Action::kTake, {take("a", 20)}, 1, {kTen});
  grant.to(leases_);
  leases_.drop_all();
  EXPECT_FALSE(leases_.has_outstanding());
  remote_.reply(0);  // Granted before, told after.
  EXPECT_TRUE(grant.is_admitted());
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
  EXPECT_EQ(whole(leases_.counts().given_back), 9);
  EXPECT_TRUE(spends({"a", &changed}));
}

TEST_F(LeasesTest, KeepsCreditOfBucketsWhenOthersFloodTheTable) {
  Leases small(remote_, clock_, {16, 8, Duration::millis(500)});
  Question(take("a"), kTen).to(small);
  for (int i = 0; i < 1000; ++i) Question(take(("flood " + std::to_string(i)).c_str()), kAuto).to(small);
  const size_t before = remote_.asked;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Question(take("a"), kTen).to(small).is_admitted());
  EXPECT_EQ(remote_.asked, before);
}

}  // namespace
}  // namespace sluice::shortcuts
