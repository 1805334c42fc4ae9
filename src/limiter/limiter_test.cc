#include "limiter/limiter.h"

#include <gtest/gtest.h>

#include "limiter/limiter_testing.h"

namespace sluice::limiter {
namespace {

using stores::Action;

class LimiterTest : public testing::Test, protected LimiterUnderTest {
 protected:
  Counts counts_of(const std::string& name) {
    for (const RuleCounts& counts : limiter.counts()) {
      if (counts.rule == name) return counts.counts;
    }
    ADD_FAILURE() << "no counts of " << name;
    return {};
  }
};

TEST_F(LimiterTest, LetsEverythingPassWhereNoRuleApplies) {
  const Answer& answer = take("ann");
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(answer.buckets.empty());
  EXPECT_EQ(answer.tightest, nullptr);
  EXPECT_EQ(reason_text(answer), "");
}

TEST_F(LimiterTest, TellsOfEachBucketAndOfTheTightest) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 5)), rule("all", {}, per_second(10, 100))}));
  const Answer& answer = take("ann");
  ASSERT_EQ(answer.buckets.size(), 2U);
  EXPECT_EQ(answer.buckets[0].policy, "p");
  EXPECT_EQ(answer.buckets[0].rule, "user");
  EXPECT_EQ(answer.buckets[0].remaining, Tokens::whole(4));
  EXPECT_EQ(answer.buckets[0].reset_after, Duration::seconds(1));
  EXPECT_EQ(answer.buckets[1].remaining, Tokens::whole(99));
  EXPECT_EQ(answer.tightest, &answer.buckets[0]);
  EXPECT_NE(answer.buckets[0].key, answer.buckets[1].key);
}

TEST_F(LimiterTest, TakesFromAllBucketsOrFromNone) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 2)), rule("all", {}, per_second(1, 100))}));
  take("ann");
  take("ann");
  const Answer& rejected = take("ann");
  EXPECT_FALSE(rejected.allowed);
  EXPECT_EQ(rejected.reason, Reason::kExceeded);
  EXPECT_EQ(reason_text(rejected), "token_bucket_exceeded");
  EXPECT_EQ(rejected.policy, "p");
  EXPECT_EQ(rejected.rule, "user");
  EXPECT_EQ(rejected.retry_after, Duration::seconds(1));
  EXPECT_EQ(rejected.buckets[1].remaining, Tokens::whole(98));
  EXPECT_EQ(take("bob").buckets[1].remaining, Tokens::whole(97));
}

TEST_F(LimiterTest, NamesTheRejectionByTheLongestWait) {
  limiter.set_rules(rule_set({rule("fast", {}, per_second(10, 1)), rule("slow", {"path"}, per_second(0.1, 1)),
                              rule("middle", {"method"}, per_second(1, 1))}));
  ASSERT_TRUE(take("ann").allowed);
  const Answer& rejected = take("ann");
  EXPECT_EQ(rejected.rule, "slow");
  EXPECT_EQ(rejected.retry_after, Duration::seconds(10));
  EXPECT_EQ(rejected.tightest, &rejected.buckets[1]);
}

TEST_F(LimiterTest, SaysThatACostAboveTheCapacityCanNeverPass) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 5))});
  rules->policies[0].rules[0].cost.fixed = Tokens::whole(6);
  limiter.set_rules(rules);
  const Answer& answer = take("ann");
  EXPECT_EQ(reason_text(answer), "cost_exceeds_capacity");
  EXPECT_EQ(answer.retry_after, kForever);
  EXPECT_EQ(answer.buckets[0].remaining, Tokens::whole(5));
}

TEST_F(LimiterTest, HoldsEachTierToItsOwnLimit) {
  auto rules = rule_set({rule("big", {"path"}, per_second(1000, 2000)), rule("small", {"path"}, per_second(1, 1))});
  rules->policies[0].rules[0].match = {equals("attr:user_id", "big")};
  limiter.set_rules(rules);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(take("big").allowed);
  EXPECT_EQ(take("big").buckets.size(), 1U);
  EXPECT_TRUE(take("ann").allowed);
  EXPECT_FALSE(take("ann").allowed);
}

TEST_F(LimiterTest, PutsSeveralLimitsOnOneKey) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(10, 2))});
  rules->policies[0].rules[0].limits.push_back(per_second(0.001, 3));
  limiter.set_rules(rules);
  EXPECT_TRUE(take("ann").allowed);
  EXPECT_TRUE(take("ann").allowed);
  EXPECT_FALSE(take("ann").allowed);
  now.instant = now.instant + Duration::seconds(1);
  EXPECT_TRUE(take("ann").allowed);
  EXPECT_EQ(take("ann").retry_after, Duration::seconds(999));
}

TEST_F(LimiterTest, LetsShadowRulesDecideWithoutASay) {
  auto rules =
      rule_set({rule("dry run", {"attr:user_id"}, per_second(1, 1)), rule("user", {"path"}, per_second(1, 3))});
  rules->policies[0].rules[0].mode = rules::Mode::kShadow;
  limiter.set_rules(rules);
  for (int i = 0; i < 3; ++i) {
    const Answer& answer = take("ann");
    EXPECT_TRUE(answer.allowed) << i;
    ASSERT_EQ(answer.buckets.size(), 1U);
    EXPECT_EQ(answer.tightest->rule, "user");
    ASSERT_EQ(answer.shadow.size(), 1U);
    EXPECT_EQ(answer.shadow[0].rule, "dry run");
    EXPECT_EQ(answer.shadow[0].allowed, i == 0);
  }
  // What would reject in shadow does not end enforcement, and what is rejected takes nothing in shadow.
  const Answer& rejected = take("bob");
  EXPECT_FALSE(rejected.allowed);
  EXPECT_EQ(rejected.rule, "user");
  EXPECT_TRUE(rejected.shadow[0].allowed);
  EXPECT_EQ(rejected.shadow[0].remaining, Tokens::whole(1));
  EXPECT_EQ(counts_of("dry run").allowed, 1U);
  EXPECT_EQ(counts_of("dry run").rejected, 2U);
  EXPECT_EQ(counts_of("user").allowed, 3U);
  EXPECT_EQ(counts_of("user").rejected, 1U);
}

TEST_F(LimiterTest, DeniesByAKillSwitchUntilItExpires) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))});
  rules->kill_switches.push_back({equals("attr:user_id", "eve"), now.unix_us + 60'000'000, "leaked key"});
  limiter.set_rules(rules);
  UserRequest eve("eve");
  worker.decide(check, *eve, now, stores::Action::kTake);
  const Answer& killed = check.answer();
  EXPECT_FALSE(killed.allowed);
  EXPECT_EQ(reason_text(killed), "kill_switch");
  EXPECT_EQ(killed.detail, "leaked key");
  EXPECT_EQ(killed.killed_value, "eve");
  EXPECT_EQ(killed.retry_after, Duration::seconds(60));
  EXPECT_TRUE(killed.buckets.empty());
  now.unix_us += 59'999'999;
  EXPECT_EQ(take("eve").retry_after, Duration::micros(1));
  now.unix_us += 1;
  EXPECT_TRUE(take("eve").allowed);
  EXPECT_TRUE(take("ann").allowed);
}

TEST_F(LimiterTest, OfSeveralKillSwitchesTheWaitIsThatOfTheLongest) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))});
  const auto eve = equals("attr:user_id", "eve");
  rules->kill_switches = {{eve, now.unix_us + 5, "short"}, {eve, now.unix_us + 7, "long"}, {eve, now.unix_us + 6, ""}};
  limiter.set_rules(rules);
  EXPECT_EQ(take("eve").retry_after, Duration::micros(7));
  EXPECT_EQ(take("eve").detail, "long");
}

// The year 9999 is more nanoseconds away than there are.
TEST_F(LimiterTest, AKillSwitchMayExpireInAnyYear) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))});
  rules->kill_switches.push_back({equals("attr:user_id", "eve"), 253'402'300'799'000'000, "for good"});
  limiter.set_rules(rules);
  EXPECT_EQ(take("eve").retry_after, kForever);
}

TEST_F(LimiterTest, DeniesWhomARuleCannotKnow) {
  auto rules = rule_set({rule("key", {"header:x-api-key"}, per_second(1, 1))});
  rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kDeny;
  limiter.set_rules(rules);
  const Answer& answer = take("ann");
  EXPECT_EQ(reason_text(answer), "missing_key");
  EXPECT_EQ(answer.rule, "key");
  EXPECT_EQ(answer.retry_after, kForever);
}

TEST_F(LimiterTest, PeeksRefundsAndResets) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 5))}));
  EXPECT_EQ(decide("ann", Action::kPeek).buckets[0].remaining, Tokens::whole(5));
  take("ann");
  take("ann");
  EXPECT_EQ(decide("ann", Action::kPeek).buckets[0].remaining, Tokens::whole(3));
  EXPECT_TRUE(decide("ann", Action::kRefund).allowed);
  EXPECT_EQ(decide("ann", Action::kPeek).buckets[0].remaining, Tokens::whole(4));
  decide("ann", Action::kReset);
  EXPECT_EQ(decide("ann", Action::kPeek).buckets[0].remaining, Tokens::whole(5));
  EXPECT_EQ(counts_of("user").allowed, 2U);
}

TEST_F(LimiterTest, TellsHowLongAQueueHoldsARequest) {
  auto rules = rule_set({rule("queue", {}, *Limit::leaky_queue(*Rate::per_second(10), Tokens::whole(3)))});
  limiter.set_rules(rules);
  EXPECT_EQ(take("ann").delay, Duration());
  EXPECT_EQ(take("ann").delay, Duration::millis(100));
}

TEST_F(LimiterTest, ShadowRulesForWhichThereIsNoRoomDisturbNobody) {
  std::vector<rules::Rule> many;
  for (size_t i = 0; i < stores::Store::kMaxTakes; ++i) {
    many.push_back(rule("r" + std::to_string(i), {("header:h" + std::to_string(i)).c_str()}, per_second(1, 5)));
  }
  many.push_back(rule("trial", {}, per_second(1, 5)));
  many.back().mode = rules::Mode::kShadow;
  limiter.set_rules(rule_set(many));
  const Answer& answer = take("ann");
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(answer.shadow.empty());
}

TEST_F(LimiterTest, RefusesWhatMoreBucketsThanThereMayBeApplyTo) {
  std::vector<rules::Rule> many;
  for (size_t i = 0; i <= stores::Store::kMaxTakes; ++i) {
    many.push_back(rule("r" + std::to_string(i), {("header:h" + std::to_string(i)).c_str()}, per_second(1, 5)));
  }
  limiter.set_rules(rule_set(many));
  const Answer& answer = take("ann");
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(reason_text(answer), "too_many_buckets");
}

TEST_F(LimiterTest, KeepsRulesOfTheSameNameInTwoPoliciesApart) {
  auto rules = rule_set({rule("user", {"attr:user_id"}, per_second(1, 5))});
  rules->policies.push_back({"q", {}, {rule("user", {"attr:user_id"}, per_second(1, 5))}, {}});
  limiter.set_rules(rules);
  const Answer& answer = take("ann");
  ASSERT_EQ(answer.buckets.size(), 2U);
  EXPECT_EQ(answer.buckets[0].remaining, Tokens::whole(4));
  EXPECT_EQ(answer.buckets[1].remaining, Tokens::whole(4));
}

TEST(BucketsBesideTheRules, AreLimitedByWhatTheCallerSays) {
  LimiterUnderTest under_test;
  const Limit limit = per_second(1, 2);
  const auto take = [&](Tokens cost) -> const Answer& {
    under_test.worker.decide(under_test.check, NamedBucket{"user:42", &limit, cost}, under_test.now);
    return under_test.check.answer();
  };
  ASSERT_TRUE(take(kOneToken).allowed);
  const Answer& second = take(kOneToken);
  ASSERT_TRUE(second.allowed);
  ASSERT_EQ(second.buckets.size(), 1U);
  EXPECT_EQ(second.tightest->key, "user:42");
  EXPECT_EQ(second.tightest->policy, "");
  EXPECT_EQ(second.tightest->reset_after, Duration::seconds(2));
  const Answer& third = take(kOneToken);
  EXPECT_EQ(third.reason, Reason::kExceeded);
  EXPECT_EQ(third.retry_after, Duration::seconds(1));
  EXPECT_EQ(take(Tokens::whole(3)).reason, Reason::kCostExceedsCapacity);
  EXPECT_EQ(under_test.limiter.named_counts().allowed, 2U);
  EXPECT_EQ(under_test.limiter.named_counts().rejected, 2U);
}

TEST(BucketsBesideTheRules, AreNeverThoseOfARule) {
  LimiterUnderTest under_test;
  under_test.limiter.set_rules(rule_set({rule("r", {"attr:user_id"}, per_second(1, 1))}));
  const std::string key(under_test.take("42").tightest->key);
  const Limit limit = per_second(1, 1);
  under_test.worker.decide(under_test.check, NamedBucket{key, &limit}, under_test.now);
  EXPECT_TRUE(under_test.check.answer().allowed);
}

TEST(BucketsBesideTheRules, TakenTogetherAreTakenInOrderAndEachOnItsOwn) {
  LimiterUnderTest under_test;
  const Limit limit = per_second(1, 1);
  const Take takes[] = {NamedBucket{"a", &limit}.take(), NamedBucket{"a", &limit}.take(),
                        NamedBucket{"b", &limit}.take()};
  stores::BucketResult results[3];
  ASSERT_EQ(under_test.worker.take_each(takes, under_test.now.instant, results), stores::Progress::kAnswered);
  EXPECT_TRUE(results[0].decision.allowed());
  EXPECT_FALSE(results[1].decision.allowed());
  EXPECT_TRUE(results[2].decision.allowed());
  EXPECT_EQ(results[2].reset_after, Duration::seconds(1));
  EXPECT_EQ(under_test.limiter.named_counts().rejected, 1U);
}

TEST(Requests, AreCountedOnceByAllWorkersTogether) {
  LimiterUnderTest under_test;
  auto rules = rule_set(
      {rule("a", {"attr:user_id"}, per_second(1, 1)), rule("b", {"attr:user_id", "method"}, per_second(1, 100))});
  for (rules::Rule& one : rules->policies[0].rules) one.on_missing_key = rules::OnMissingKey::kSkip;
  rules->kill_switches.push_back({equals("attr:user_id", "banned"), {}, "gone"});
  under_test.limiter.set_rules(rules);
  under_test.take("42");
  under_test.take("42");
  under_test.take("banned");
  under_test.decide("7", stores::Action::kPeek);
  under_test.take("");
  {
    Worker other(under_test.limiter);
    const Limit limit = per_second(1, 1);
    const Take takes[] = {NamedBucket{"k", &limit}.take(), NamedBucket{"k", &limit}.take()};
    stores::BucketResult results[2];
    other.take_each(takes, under_test.now.instant, results);
    EXPECT_EQ(under_test.limiter.requests().allowed, 3U);
    EXPECT_EQ(under_test.limiter.requests().rejected, 3U);
  }
  EXPECT_EQ(under_test.limiter.requests().allowed, 3U) << "what a worker counted outlives it";
  EXPECT_EQ(under_test.limiter.requests().rejected, 3U);
}

TEST(Rejections, NameTheRowThatTheRuleWasFrom) {
  LimiterUnderTest under_test;
  auto rules = rule_set({rule("r", {"attr:user_id"}, per_second(1, 1))});
  rules->policies[0].rules[0].row_id = 7;
  rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kDeny;
  under_test.limiter.set_rules(rules);
  under_test.take("42");
  const Answer& answer = under_test.take("42");
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(answer.row_id, 7);
  EXPECT_EQ(answer.buckets[0].row_id, 7);
  EXPECT_EQ(under_test.take("").row_id, 7);
}

TEST(Rejections, OfAShadowRuleForAMissingKeyAreCountedAsItsOwn) {
  LimiterUnderTest under_test;
  auto rules = rule_set({rule("r", {"attr:user_id"}, per_second(1, 1))});
  rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kDeny;
  rules->policies[0].rules[0].mode = rules::Mode::kShadow;
  under_test.limiter.set_rules(rules);
  EXPECT_TRUE(under_test.take("").allowed);
  under_test.decide("", stores::Action::kPeek);
  EXPECT_TRUE(under_test.take("42").allowed);
  const auto counts = under_test.limiter.counts();
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].counts.rejected, 1U);
  EXPECT_EQ(counts[0].counts.allowed, 1U);
  EXPECT_EQ(under_test.limiter.requests().rejected, 0U);
}

TEST(Rejections, AreCountedByTheirReason) {
  LimiterUnderTest under_test;
  auto rules = rule_set({rule("r", {"attr:user_id"}, per_second(1, 1))});
  rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kDeny;
  rules->kill_switches.push_back({equals("attr:user_id", "banned"), {}, "gone"});
  under_test.limiter.set_rules(rules);
  under_test.take("42");
  under_test.take("42");
  under_test.take("banned");
  under_test.take("");
  under_test.decide("banned", stores::Action::kPeek);
  const auto counts = under_test.limiter.rejections();
  EXPECT_EQ(counts[static_cast<size_t>(Reason::kExceeded)], 1U);
  EXPECT_EQ(counts[static_cast<size_t>(Reason::kKillSwitch)], 1U);
  EXPECT_EQ(counts[static_cast<size_t>(Reason::kMissingKey)], 1U);
  EXPECT_EQ(counts[static_cast<size_t>(Reason::kNone)], 0U);
}

}  // namespace
}  // namespace sluice::limiter
