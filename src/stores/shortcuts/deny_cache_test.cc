#include "stores/shortcuts/deny_cache.h"

#include <gtest/gtest.h>

#include <deque>

#include "allocations/count.h"
#include "stores/shortcuts/deny_cache_testing.h"

namespace sluice::shortcuts {
namespace {

using stores::Action;
using stores::Progress;

TEST_F(DenyCacheTest, RejectsWithoutAskingUntilJustBeforeTheWaitEnds) {
  Question(take("a", 10)).to(cache_);
  EXPECT_FALSE(knows(take("a")));  // The first rejection comes from the store.
  clock_.advance(Duration::millis(998));
  EXPECT_TRUE(knows(take("a")));
  clock_.advance(Duration::millis(1));
  EXPECT_FALSE(knows(take("a")));
  clock_.advance(Duration::millis(1));
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
  EXPECT_EQ(cache_.counts().hits.value(), 1U);
}

TEST_F(DenyCacheTest, CountsFromBeforeTheQuestionWasSentAndTellsWaitsFromWhenTheReplyCame) {
  Question(take("a", 10)).to(cache_);
  remote_.is_prompt = false;
  Question first(take("a"));
  first.to(cache_);
  clock_.advance(Duration::millis(300));
  remote_.execute(0);
  clock_.advance(Duration::millis(100));
  remote_.reply();
  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(first.decision().retry_after, Duration::millis(700));
  EXPECT_EQ(first.ask.listener, &first);
  Question second(take("a"));
  second.to(cache_);
  ASSERT_TRUE(second.is_rejected());
  EXPECT_EQ(second.decision().retry_after, Duration::millis(700));  // In truth 600: never too short.
  EXPECT_EQ(second.results[0].reset_after, Duration::millis(9700));
  remote_.is_prompt = true;
  clock_.advance(Duration::millis(299));  // 699 ms after the question was sent, whose wait was of 700 ms.
  EXPECT_FALSE(knows(take("a")));
}

TEST_F(DenyCacheTest, TellsOfEveryBucketThatIsKnownAndWhichWereNotAsked) {
  for (const char* key : {"b", "d"}) {
    drain(key);
    EXPECT_FALSE(knows(take(key)));
  }
  clock_.advance(Duration::millis(100));
  const Limit fast = *Limit::token_bucket(1000, 10);  // Never to be waited for as long as for the others.
  Question(Action::kTake, {{"a", &fast}, {"c", &fast}}, 2).to(cache_);
  Question question(Action::kTake, {{"a", &fast}, take("b"), {"c", &fast}, take("d"), take("shadow")}, 4);
  const size_t before = remote_.asked;
  question.to(cache_);
  EXPECT_EQ(remote_.asked, before);
  EXPECT_TRUE(question.is_rejected());
  EXPECT_EQ(question.ask.not_asked, 0b10101U);
  for (const size_t i : {1, 3}) {
    EXPECT_EQ(question.decision(i).verdict, Verdict::kLimited);
    EXPECT_EQ(question.decision(i).retry_after, Duration::millis(900));
    EXPECT_EQ(question.decision(i).remaining, Tokens());
  }
}

TEST_F(DenyCacheTest, AsksIfABucketOfWhichNothingIsKnownMightHaveToBeWaitedForLonger) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  Question(take("b", 8)).to(remote_);
  Question question(Action::kTake, {take("a"), take("b", 6)}, 2);
  EXPECT_TRUE(question.to(cache_).is_rejected());
  EXPECT_EQ(question.ask.not_asked, 0U);
  EXPECT_EQ(question.decision(1).retry_after, Duration::seconds(4));
  const size_t before = remote_.asked;
  Question again(Action::kTake, {take("a"), take("b", 6)}, 2);
  EXPECT_TRUE(again.to(cache_).is_rejected());  // Now both are known.
  EXPECT_EQ(remote_.asked, before);
}

TEST_F(DenyCacheTest, AsksIfMoreThanItsBurstMayHaveBeenSpentOfAnotherBucketOfTheRequest) {
  const Limit user = *Limit::token_bucket(0.5, 1), tenant = *Limit::token_bucket(20, 20);
  const Limit tenant_before = *Limit::token_bucket(20, 400);
  Question({"t2", &tenant_before, Tokens::whole(400)}).to(cache_);
  for (int i = 0; i < 2; ++i) Question(Action::kTake, {{"u", &user}, {"t1", &tenant}}, 2).to(cache_);
  Question lowered(Action::kTake, {{"u", &user}, {"t2", &tenant}}, 2);
  EXPECT_TRUE(lowered.to(cache_).is_rejected());
  EXPECT_EQ(lowered.ask.not_asked, 0U);
  EXPECT_EQ(lowered.decision(1).retry_after, Duration::millis(19'050));
}

TEST_F(DenyCacheTest, KnowsForAShortWhileThatNoMoreThanItsBurstWasSpentOfABucket) {
  const Limit user = *Limit::token_bucket(0.5, 1), tenant = *Limit::token_bucket(20, 20);
  const auto is_told_at_once = [&](const Limit& of_tenant) {
    const size_t before = remote_.asked;
    Question question(Action::kTake, {{"u", &user}, {"t", &of_tenant}}, 2);
    EXPECT_TRUE(question.to(cache_).is_answered());
    return remote_.asked == before;
  };
  EXPECT_FALSE(is_told_at_once(tenant));  // It passes.
  EXPECT_FALSE(is_told_at_once(tenant));
  clock_.advance(Duration::millis(49));
  EXPECT_TRUE(is_told_at_once(tenant));
  clock_.advance(Duration::millis(1));
  EXPECT_FALSE(is_told_at_once(tenant));
  EXPECT_TRUE(is_told_at_once(tenant));
  EXPECT_FALSE(is_told_at_once(*Limit::token_bucket(20, 400)));
  EXPECT_FALSE(is_told_at_once(tenant)) << "the larger burst may have been spent";
}

TEST_F(DenyCacheTest, AsksIfAnotherBucketOfTheRequestCanNeverPassIt) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  const Limit fast = *Limit::token_bucket(1'000'000, 10);
  Question impossible(Action::kTake, {take("a"), {"b", &fast, Tokens::whole(11)}}, 2);
  EXPECT_TRUE(impossible.to(cache_).is_rejected());
  EXPECT_EQ(impossible.ask.not_asked, 0U);
  EXPECT_EQ(impossible.decision(1).verdict, Verdict::kCostExceedsCapacity);
}

TEST_F(DenyCacheTest, AsksIfAWindowOfTheRequestIsNotKnown) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  const Limit window = *Limit::fixed_window(Tokens::whole(5), Duration::millis(1));
  const size_t before = remote_.asked;
  Question(Action::kTake, {take("a"), {"w", &window}}, 2).to(cache_);
  EXPECT_EQ(remote_.asked, before + 1);
}

TEST_F(DenyCacheTest, DoesNotRejectForAShadowTake) {
  drain("shadow");
  EXPECT_FALSE(knows(take("shadow")));
  EXPECT_TRUE(Question(Action::kTake, {take("a"), take("shadow")}, 1).to(cache_).is_admitted());
}

TEST_F(DenyCacheTest, RemembersEachRejectingBucketOfARequest) {
  drain("a");
  drain("c");
  Question(Action::kTake, {take("a"), take("b"), take("c")}, 3).to(cache_);
  EXPECT_TRUE(knows(take("a")));
  EXPECT_FALSE(knows(take("b")));
  EXPECT_TRUE(knows(take("c")));
}

TEST_F(DenyCacheTest, AnswersTakesThatAreEachOnTheirOwnIfAllAreKnown) {
  drain("a");
  drain("b");
  Question first(Action::kTake, {take("a"), take("b")}, 0);
  first.to(cache_);
  const size_t before = remote_.asked;
  Question both(Action::kTake, {take("b"), take("a"), take("a")}, 0);
  EXPECT_TRUE(both.to(cache_).is_answered());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(both.decision(i).verdict, Verdict::kLimited);
  EXPECT_EQ(remote_.asked, before);
  Question more(Action::kTake, {take("a"), take("c")}, 0);
  more.to(cache_);
  EXPECT_TRUE(more.decision(1).allowed());
}

TEST_F(DenyCacheTest, KnowsTheWaitOfALargerCostInABucket) {
  drain("a");
  EXPECT_FALSE(knows(take("a", 2)));
  clock_.advance(Duration::millis(500));
  EXPECT_FALSE(knows(take("a", 1)));
  Question larger(take("a", 4));
  EXPECT_TRUE(larger.to(cache_).is_rejected());
  const Duration wait = larger.decision().retry_after;
  EXPECT_GE(wait, Duration::millis(3500));
  EXPECT_LE(wait, Duration(Duration::millis(3500).ns + 2));
}

TEST_F(DenyCacheTest, AsksForACostThatCanNeverPass) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  Question impossible(take("a", 11));
  impossible.to(cache_);
  EXPECT_EQ(impossible.decision().verdict, Verdict::kCostExceedsCapacity);
  EXPECT_FALSE(knows(take("a", 11)));
}

TEST_F(DenyCacheTest, AsksForALargerCostInAWindow) {
  const Limit window = *Limit::sliding_window_log(Tokens::whole(3), Duration::seconds(10));
  Question({"w", &window, Tokens::whole(3)}).to(cache_);
  EXPECT_FALSE(knows({"w", &window}));
  EXPECT_TRUE(knows({"w", &window}));
  EXPECT_FALSE(knows({"w", &window, Tokens::whole(2)}));
}

TEST_F(DenyCacheTest, AsksForABucketThatIsNamedTwice) {
  Question(take("a", 9)).to(cache_);
  Question twice(Action::kTake, {take("a"), take("a")}, 2);
  EXPECT_TRUE(twice.to(cache_).is_rejected());
  EXPECT_TRUE(Question(take("a")).to(cache_).is_admitted());
}

TEST_F(DenyCacheTest, PassesPeeksOn) {
  drain("a");
  EXPECT_FALSE(knows(take("a")));
  const size_t before = remote_.asked;
  Question(Action::kPeek, {take("a")}, 1).to(cache_);
  EXPECT_EQ(remote_.asked, before + 1);
}

TEST_F(DenyCacheTest, PassesOnWhatFailsAndLearnsNothingOfIt) {
  drain("a");
  remote_.is_prompt = false;
  Question failing(take("a"));
  failing.to(cache_);
  remote_.execute(0);
  remote_.lose(0);
  EXPECT_EQ(failing.progress, Progress::kUnavailable);
  remote_.is_down = true;
  EXPECT_EQ(Question(take("a")).to(cache_).progress, Progress::kUnavailable);
}

TEST_F(DenyCacheTest, PassesOnWhatItHasNoRoomToFollow) {
  drain("a");
  remote_.is_prompt = false;
  std::deque<Question> questions;
  for (int i = 0; i < 20; ++i) questions.emplace_back(take("a")).to(cache_);
  while (remote_.waiting() > 0) remote_.reply(remote_.waiting() - 1);
  for (const Question& question : questions) EXPECT_EQ(question.answers, 1);
  EXPECT_EQ(cache_.counts().remembered.value(), 8U);
}

TEST_F(DenyCacheTest, AllocatesNothingOnceItHasGrown) {
  drain("a");
  drain("b");
  Question passing(Action::kTake, {take("a")}, 1);
  Question refund(Action::kRefund, {take("b")}, 1);
  const auto ask_all = [&] {
    cache_.forget("a", 0);
    for (int i = 0; i < 3; ++i) cache_.ask(passing.ask);
    cache_.ask(refund.ask);
  };
  ask_all();
  const uint64_t before = testing::allocations();
  for (int i = 0; i < 10; ++i) ask_all();
  // The store under test keeps a queue, which may allocate; hits do not reach it.
  EXPECT_LE(testing::allocations() - before, 10U);
  const uint64_t before_hits = testing::allocations();
  for (int i = 0; i < 1000; ++i) cache_.ask(passing.ask);
  EXPECT_EQ(testing::allocations(), before_hits);
}

}  // namespace
}  // namespace sluice::shortcuts
