// What the deny cache must not remember, or not for longer.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "stores/shortcuts/deny_cache_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::LeaseTerms;

TEST_F(DenyCacheTest, ForgetsABucketThatGetsTokensBack) {
  for (const Action action : {Action::kRefund, Action::kReset}) {
    const char* const key = action == Action::kRefund ? "a" : "b";
    drain(key);
    EXPECT_FALSE(knows(take(key)));
    EXPECT_TRUE(knows(take(key)));
    Question(action, {take(key, 10)}, 1).to(cache_);
    EXPECT_TRUE(Question(take(key)).to(cache_).is_admitted());
  }
  EXPECT_EQ(cache_.counts().forgotten.value(), 2U);
}

TEST_F(DenyCacheTest, RemembersNothingOfABucketWhileARefundIsUnderWay) {
  drain("a");
  remote_.is_prompt = false;
  Question refund(Action::kRefund, {take("a", 10)}, 1);
  refund.to(cache_);
  Question rejected(take("a"));
  rejected.to(cache_);
  remote_.reply(1);  // It overtakes the refund.
  EXPECT_TRUE(rejected.is_rejected());
  remote_.execute(0);
  remote_.is_prompt = true;
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
  remote_.reply(0);
  EXPECT_EQ(refund.answers, 1);
  remote_.is_prompt = true;
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
}

TEST_F(DenyCacheTest, RemembersNoAnswerToAQuestionFromBeforeTheNews) {
  drain("a");
  remote_.is_prompt = false;
  Question rejected(take("a"));
  rejected.to(cache_);
  remote_.execute(0);
  cache_.forget("a", 0);  // Another server's refund is heard of before our answer.
  remote_.reply(0);
  EXPECT_TRUE(rejected.is_rejected());
  remote_.is_prompt = true;
  EXPECT_FALSE(knows(take("a")));
  EXPECT_TRUE(knows(take("a")));
  cache_.forget_all();
  EXPECT_FALSE(knows(take("a")));
}

TEST_F(DenyCacheTest, RemembersNothingWhileItIsOff) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  cache_.set_enabled(false);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(knows(take("a")));
  remote_.is_prompt = false;
  Question late(take("a"));
  late.to(cache_);
  cache_.set_enabled(true);
  remote_.reply();
  remote_.is_prompt = true;
  EXPECT_FALSE(knows(take("a")));
  EXPECT_TRUE(knows(take("a")));
}

TEST_F(DenyCacheTest, ForgetsABucketThatIsTakenFromUnderAnotherLimit) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  const Limit same = *Limit::token_bucket(1, 10);
  EXPECT_TRUE(knows({"a", &same}));
  const Limit faster = *Limit::token_bucket(5, 10);
  EXPECT_FALSE(knows({"a", &faster}));  // From here on the tokens come back at its rate.
  clock_.advance(Duration::millis(300));
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
}

TEST_F(DenyCacheTest, AsksAgainAfterASecondHoweverLongTheWait) {
  drain("a");
  Question first(take("a", 9));
  first.to(cache_);
  EXPECT_EQ(first.decision().retry_after, Duration::seconds(9));
  clock_.advance(Duration::millis(999));
  EXPECT_TRUE(knows(take("a", 9)));
  clock_.advance(Duration::millis(1));
  EXPECT_FALSE(knows(take("a", 9)));
}

TEST_F(DenyCacheTest, KnowsPartsOfOneKeyApart) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  EXPECT_FALSE(knows({"a", &slow_, kOneToken, 1}));
  cache_.forget("a", 1);
  EXPECT_TRUE(knows(take("a")));
}

TEST_F(DenyCacheTest, RemembersARejectionOfALeasedBucketForAShortWhile) {
  drain("a");
  const LeaseTerms leased{LeaseTerms::Kind::kAuto, {}, {}};
  Question(take("a"), leased).to(cache_);
  clock_.advance(Duration::millis(49));
  EXPECT_TRUE(knows(take("a")));
  clock_.advance(Duration::millis(1));
  EXPECT_FALSE(knows(take("a")));
}

TEST_F(DenyCacheTest, FollowsEveryRefundEvenWithNoRoomLeft) {
  drain("a");
  remote_.is_prompt = false;
  std::deque<Question> questions;
  for (int i = 0; i < 8; ++i) questions.emplace_back(take("a")).to(cache_);
  Question refund(Action::kRefund, {take("a", 10)}, 1);
  refund.to(cache_);
  for (int i = 0; i < 8; ++i) remote_.reply();
  Question later(take("a"));
  later.to(cache_);
  remote_.reply(1);
  EXPECT_TRUE(later.is_rejected());
  remote_.reply();
  EXPECT_EQ(refund.answers, 1);
  remote_.is_prompt = true;
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
}

TEST_F(DenyCacheTest, LetsWhatEndsFirstMakeRoom) {
  DenyCache small(remote_, clock_, {8, 8, {}});
  std::vector<std::string> keys;
  for (int i = 0; i < 9; ++i) keys.push_back("k" + std::to_string(i));
  for (size_t i = 0; i < keys.size(); ++i) {
    drain(keys[i].c_str());
    Question(take(keys[i].c_str(), i == 4 ? 1 : 5)).to(small);
  }
  const size_t before = remote_.asked;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i != 4) Question(take(keys[i].c_str(), 5)).to(small);
  }
  EXPECT_EQ(remote_.asked, before);
  Question(take("k4")).to(small);
  EXPECT_EQ(remote_.asked, before + 1);
}

}  // namespace
}  // namespace sluice::shortcuts
