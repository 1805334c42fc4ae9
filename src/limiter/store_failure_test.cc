// Stores that answer later, or not at all.
#include <gtest/gtest.h>

#include <array>

#include "limiter/limiter_testing.h"

namespace sluice::limiter {
namespace {

using rules::OnStoreFailure;
using stores::Action;
using stores::Ask;
using stores::Progress;

// Does as it is told.
class StoreUnderTest final : public stores::Store {
 public:
  Progress ask(Ask& ask) override {
    asked = &ask;
    return next;
  }
  // Answers what was left pending, as the memory store would.
  void answer(stores::Store& as) {
    as.ask(*asked);
    asked->listener->on_answer(Progress::kAnswered);
  }
  void fail() { asked->listener->on_answer(Progress::kUnavailable); }

  Progress next = Progress::kUnavailable;
  Ask* asked = nullptr;
};

class LaterCheck final : public Check {
 public:
  int answers = 0;

 private:
  void on_answer() override { ++answers; }
};

class StoreFailureTest : public testing::Test {
 protected:
  static std::shared_ptr<rules::RuleSet> rules_with(OnStoreFailure policy) {
    auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 2)), rule("all", {}, per_second(1, 100))});
    rules->policies[0].rules[0].on_store_failure = policy;
    return rules;
  }

  StoreUnderTest store_;
  LimiterUnderTest sut_{&store_};
};

TEST_F(StoreFailureTest, LetsRequestsPassWhereRulesSayAllow) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kAllow));
  for (int i = 0; i < 5; ++i) {
    const Answer& answer = sut_.take("ann");
    EXPECT_TRUE(answer.allowed);
    EXPECT_TRUE(answer.degraded);
    EXPECT_TRUE(answer.buckets.empty());
  }
}

TEST_F(StoreFailureTest, DeniesWhereARuleSaysDeny) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kDeny));
  const Answer& answer = sut_.take("ann");
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(answer.degraded);
  EXPECT_EQ(reason_text(answer), "store_unavailable");
  EXPECT_EQ(answer.rule, "user");
}

TEST_F(StoreFailureTest, LimitsInMemoryWhereARuleSaysLocal) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kLocal));
  EXPECT_TRUE(sut_.take("ann").allowed);
  const Answer& second = sut_.take("ann");
  ASSERT_EQ(second.buckets.size(), 1U);
  EXPECT_EQ(second.buckets[0].rule, "user");
  EXPECT_EQ(second.buckets[0].remaining, Tokens());
  const Answer& third = sut_.take("ann");
  EXPECT_FALSE(third.allowed);
  EXPECT_TRUE(third.degraded);
  EXPECT_EQ(third.rule, "user");
  EXPECT_TRUE(sut_.take("bob").allowed);
}

TEST_F(StoreFailureTest, RefusesWhatCanNeverPassWhateverRulesSay) {
  for (const OnStoreFailure policy : {OnStoreFailure::kAllow, OnStoreFailure::kDeny, OnStoreFailure::kLocal}) {
    auto rules = rules_with(policy);
    rules->policies[0].rules[0].cost.fixed = Tokens::whole(3);
    sut_.limiter.set_rules(rules);
    for (const Action action : {Action::kTake, Action::kPeek}) {
      const Answer& answer = sut_.decide("ann", action);
      EXPECT_FALSE(answer.allowed);
      EXPECT_EQ(reason_text(answer), "cost_exceeds_capacity");
      EXPECT_EQ(answer.rule, "user");
      EXPECT_EQ(answer.retry_after, kForever);
    }
  }
}

TEST_F(StoreFailureTest, RefusesWhatCanNeverPassOfABucketBesideTheRules) {
  const Limit limit = per_second(1, 5);
  sut_.worker.decide(sut_.check, NamedBucket{"k", &limit, Tokens::whole(9)}, sut_.now);
  EXPECT_EQ(reason_text(sut_.check.answer()), "cost_exceeds_capacity");
  sut_.worker.decide(sut_.check, NamedBucket{"k", &limit, Tokens::whole(5)}, sut_.now);
  EXPECT_TRUE(sut_.check.answer().allowed);
  const std::array takes = {NamedBucket{"k", &limit, Tokens::whole(9)}.take(), NamedBucket{"k", &limit}.take()};
  std::array<stores::BucketResult, 2> results;
  EXPECT_EQ(sut_.worker.take_each(takes, sut_.now.instant, results), Progress::kUnavailable);
  EXPECT_FALSE(results[0].decision.allowed());
  EXPECT_EQ(results[0].decision.retry_after, kForever);
  EXPECT_TRUE(results[1].decision.allowed());
}

TEST_F(StoreFailureTest, MoreThanThePartOfOneServerIsNotMoreThanTheLimit) {
  std::vector<rules::Rule> rules = {rule("user", {"attr:user_id"}, per_second(1, 5))};
  rules[0].on_store_failure = OnStoreFailure::kLocal;
  rules[0].cost.fixed = Tokens::whole(3);
  Limiter limiter({store_, *sut_.local, {}, [] { return 2U; }});
  limiter.set_rules(rule_set(std::move(rules)));
  Worker worker(limiter);
  PlainCheck check;
  UserRequest request("ann");
  worker.decide(check, *request, sut_.now);
  EXPECT_FALSE(check.answer().allowed);
  EXPECT_EQ(reason_text(check.answer()), "token_bucket_exceeded");
  EXPECT_EQ(check.answer().retry_after, kForever);
}

TEST_F(StoreFailureTest, NeverDeniesByAShadowRule) {
  auto rules = rules_with(OnStoreFailure::kDeny);
  rules->policies[0].rules[0].mode = rules::Mode::kShadow;
  sut_.limiter.set_rules(rules);
  EXPECT_TRUE(sut_.take("ann").allowed);
}

TEST_F(StoreFailureTest, TellsTheCheckWhenAnAnswerCameLater) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kAllow));
  store_.next = Progress::kPending;
  LaterCheck check;
  UserRequest request("ann");
  EXPECT_FALSE(sut_.worker.decide(check, *request, sut_.now));
  EXPECT_EQ(check.answers, 0);
  store_.answer(*sut_.memory);
  EXPECT_EQ(check.answers, 1);
  EXPECT_TRUE(check.answer().allowed);
  ASSERT_EQ(check.answer().buckets.size(), 2U);
  EXPECT_EQ(check.answer().buckets[0].remaining, Tokens::whole(1));
}

TEST_F(StoreFailureTest, DoesWithoutAStoreThatFailsLater) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kLocal));
  store_.next = Progress::kPending;
  LaterCheck check;
  UserRequest request("ann");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(sut_.worker.decide(check, *request, sut_.now));
    store_.fail();
    EXPECT_EQ(check.answers, i + 1);
    EXPECT_EQ(check.answer().allowed, i < 2);
    EXPECT_TRUE(check.answer().degraded);
  }
}

TEST_F(StoreFailureTest, KeepsTheRulesOfARequestThatIsUnderWay) {
  sut_.limiter.set_rules(rules_with(OnStoreFailure::kAllow));
  store_.next = Progress::kPending;
  LaterCheck check;
  UserRequest request("ann");
  EXPECT_FALSE(sut_.worker.decide(check, *request, sut_.now));
  sut_.limiter.set_rules(rule_set({}));
  EXPECT_TRUE(sut_.take("bob").allowed);  // The worker goes over to the new rules.
  auto* const asked = check.answers == 0 ? store_.asked : nullptr;
  ASSERT_NE(asked, nullptr);
  store_.answer(*sut_.memory);
  EXPECT_EQ(check.answer().buckets[0].rule, "user");
  EXPECT_EQ(sut_.limiter.counts().size(), 2U);
  EXPECT_EQ(sut_.limiter.counts()[1].counts.allowed, 1U);
}

}  // namespace
}  // namespace sluice::limiter
