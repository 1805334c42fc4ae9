// Leases that are filled up before requests miss them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stores/shortcuts/leases_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;

class LeasesRenewTest : public LeasesTest {
 protected:
  // Leaves so many of ten.
  void lease_and_leave(const char* key, int left) {
    Question(take(key), kTen).to(leases_);
    for (int i = 10; i > left; --i) ASSERT_TRUE(spends(take(key)));
  }
  void sweep_later() {
    clock_.advance(Duration::millis(10));
    leases_.sweep();
  }
};

TEST_F(LeasesRenewTest, FillsUpWhatIsLessThanAThirdFull) {
  lease_and_leave("a", 4);
  sweep_later();
  EXPECT_EQ(remote_.asked, 1U);
  EXPECT_TRUE(spends(take("a")));
  sweep_later();
  EXPECT_EQ(remote_.asked, 2U);
  EXPECT_EQ(there("a"), 100 - 1 - 10 - 7);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(spends(take("a")));
  EXPECT_FALSE(spends(take("a")));
}

TEST_F(LeasesRenewTest, NoRequestOfASteadyKeyWaitsAgain) {
  Question(take("a"), kTen).to(leases_);
  for (int i = 0; i < 80; ++i) {
    EXPECT_TRUE(spends(take("a"))) << i;
    sweep_later();
  }
  EXPECT_LE(remote_.asked, 1U + 80 / 7 + 1);
}

TEST_F(LeasesRenewTest, AsksForManyAtOnce) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("key " + std::to_string(i));
  for (const std::string& key : keys) lease_and_leave(key.c_str(), 2);
  const size_t before = remote_.asked;
  sweep_later();
  EXPECT_EQ(remote_.asked, before + 2);
  for (const std::string& key : keys) EXPECT_TRUE(spends(take(key.c_str(), 10))) << key;
}

TEST_F(LeasesRenewTest, AsksOnceAtATimeAndRequestsBesideItAreExact) {
  lease_and_leave("a", 2);
  remote_.is_prompt = false;
  sweep_later();
  sweep_later();
  EXPECT_EQ(remote_.waiting(), 1U);
  Question beside(take("a", 3), kTen);
  beside.to(leases_);
  EXPECT_EQ(remote_.last_takes[0].cost, Tokens::whole(3));
  remote_.reply(1);
  remote_.reply(0);
  EXPECT_TRUE(beside.is_admitted());
  EXPECT_TRUE(spends(take("a", 10)));
}

TEST_F(LeasesRenewTest, IsExactForAWhileWhenTheBucketHasTooLittle) {
  lease_and_leave("a", 2);
  Question(Action::kTake, {take("a", 86)}, 1).to(remote_);
  sweep_later();
  const size_t before = remote_.asked;
  EXPECT_EQ(there("a"), 3);
  EXPECT_TRUE(spends(take("a", 2)));
  sweep_later();
  EXPECT_EQ(remote_.asked, before);
  EXPECT_TRUE(Question(take("a"), kTen).to(leases_).is_admitted());
  EXPECT_EQ(remote_.asked, before + 1);
}

TEST_F(LeasesRenewTest, SpendsOnWhenTheStoreIsAway) {
  lease_and_leave("a", 3);
  remote_.is_down = true;
  sweep_later();
  remote_.is_down = false;
  EXPECT_TRUE(spends(take("a")));
  sweep_later();
  EXPECT_TRUE(spends(take("a", 10)));
}

TEST_F(LeasesRenewTest, FillsNothingUpAfterTheEnd) {
  lease_and_leave("a", 2);
  remote_.is_prompt = false;
  sweep_later();
  leases_.give_all_back();
  while (remote_.waiting() > 0) remote_.reply();
  leases_.sweep();
  while (remote_.waiting() > 0) remote_.reply();
  EXPECT_FALSE(leases_.has_outstanding());
  EXPECT_GE(there("a"), 100 - 9 - 1);
}

TEST_F(LeasesRenewTest, AGrantOfTheTimeBeforeAResetIsLost) {
  lease_and_leave("a", 2);
  remote_.is_prompt = false;
  sweep_later();
  leases_.drop("a", 0);
  remote_.reply();
  remote_.is_prompt = true;
  EXPECT_FALSE(spends(take("a")));
  EXPECT_EQ(whole(leases_.counts().lost), 10);
}

TEST_F(LeasesRenewTest, AGrantUnderAnotherLimitGoesBack) {
  lease_and_leave("a", 2);
  remote_.is_prompt = false;
  sweep_later();
  const Limit other = *Limit::token_bucket(0.001, 50);
  Question under_other({"a", &other}, kTen);
  under_other.to(leases_);
  while (remote_.waiting() > 0) remote_.reply();
  const LeaseCounts& counts = leases_.counts();
  EXPECT_EQ(counts.given_back.value() + counts.lost.value(), uint64_t{2 + 8} * 1'000'000);
  EXPECT_TRUE(under_other.is_admitted());
}

}  // namespace
}  // namespace sluice::shortcuts
