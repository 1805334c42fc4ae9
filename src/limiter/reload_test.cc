// Rules that change while requests run.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "limiter/limiter_testing.h"

namespace sluice::limiter {
namespace {

class ReloadTest : public testing::Test, protected LimiterUnderTest {};

TEST_F(ReloadTest, KeepsBucketsAndWhatWasConsumed) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 10))}));
  for (int i = 0; i < 4; ++i) take("ann");
  limiter.set_rules(
      rule_set({rule("other", {}, per_second(1, 50)), rule("user", {"attr:user_id"}, per_second(1, 10))}));
  EXPECT_EQ(take("ann").buckets[1].remaining, Tokens::whole(5));
}

TEST_F(ReloadTest, AppliesANewRateAndBurstToWhatWasConsumed) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 10))}));
  for (int i = 0; i < 4; ++i) take("ann");
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(5, 20))}));
  EXPECT_EQ(take("ann").buckets[0].remaining, Tokens::whole(15));
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(5, 2))}));
  EXPECT_FALSE(take("ann").allowed);
}

TEST_F(ReloadTest, ForgetsARuleThatIsGone) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))}));
  take("ann");
  limiter.set_rules(rule_set({}));
  EXPECT_TRUE(take("ann").allowed);
  EXPECT_TRUE(take("ann").buckets.empty());
}

TEST_F(ReloadTest, KeepsCountingWhereItWas) {
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))}));
  take("ann");
  take("ann");
  limiter.set_rules(rule_set({rule("new", {}, per_second(1, 1)), rule("user", {"attr:user_id"}, per_second(1, 5))}));
  take("bob");
  const auto counts = limiter.counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].rule, "new");
  EXPECT_EQ(counts[1].rule, "user");
  EXPECT_EQ(counts[1].counts.allowed, 2U);
  EXPECT_EQ(counts[1].counts.rejected, 1U);
}

TEST_F(ReloadTest, CountsARuleAnewThatLeavesTheShadow) {
  rules::Rule shadow = rule("user", {"attr:user_id"}, per_second(1, 1));
  shadow.mode = rules::Mode::kShadow;
  limiter.set_rules(rule_set({shadow}));
  for (int i = 0; i < 3; ++i) take("ann");
  limiter.set_rules(rule_set({rule("user", {"attr:user_id"}, per_second(1, 1))}));
  take("ann");
  const auto counts = limiter.counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].mode, rules::Mode::kEnforce);
  EXPECT_EQ(counts[0].counts.rejected, 1U);
  EXPECT_EQ(counts[1].mode, rules::Mode::kShadow);
  EXPECT_EQ(counts[1].counts.rejected, 2U);
}

// Threads decide while the rules are replaced over and over: each bucket admits its capacity, whatever the others do.
TEST_F(ReloadTest, AdmitsExactlyTheCapacityWhileRulesAreReplaced) {
  constexpr int kThreads = 4;
  constexpr int kCapacity = 20'000;
  const auto rules_of = [](int round) {
    std::vector<rules::Rule> rules;
    rules.push_back(rule("shared", {"attr:user_id"}, per_second(0.000001, kCapacity)));
    for (int i = 0; i < round % 5; ++i) {
      rules.push_back(rule("more" + std::to_string(i), {i % 2 == 0 ? "path" : "method"}, per_second(1e6, 1e9)));
      rules.back().match = {equals("attr:user_id", std::to_string(i))};
    }
    return rule_set(std::move(rules));
  };
  limiter.set_rules(rules_of(0));
  std::atomic<int> allowed{0};
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Worker own(limiter);
      PlainCheck own_check;
      UserRequest request("ann");
      for (int i = 0; i < kCapacity / 2; ++i) {
        own.decide(own_check, *request, now);
        if (own_check.answer().allowed) ++allowed;
      }
      --running;
    });
  }
  for (int round = 0; running > 0; ++round) {
    limiter.set_rules(rules_of(round));
    (void)limiter.counts();
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allowed, kCapacity);
  uint64_t counted = 0;
  for (const RuleCounts& counts : limiter.counts()) {
    if (counts.rule == "shared") counted = counts.counts.allowed + counts.counts.rejected;
  }
  EXPECT_EQ(counted, uint64_t{kThreads} * kCapacity / 2);
}

}  // namespace
}  // namespace sluice::limiter
