#include "rules/language/build_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rules/language/load_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Limit> limits_of(const std::string& text) { return loaded(text).policies.at(0).rules.at(0).limits; }
Cost cost(const std::string& fields) {
  return loaded(config("\"rps\": 1, \"burst\": 1, " + fields)).policies[0].rules[0].cost;
}

TEST(BuildLimit, BucketsTakeARateAndABurst) {
  EXPECT_THAT(limits_of(config(R"("rps": 10, "burst": 20)")), ElementsAre(*Limit::token_bucket(10, 20)));
  EXPECT_THAT(limits_of(config(R"("tokens_per_second": 0.1, "burst": 0.5)")),
              ElementsAre(*Limit::token_bucket(0.1, 0.5)));
  const auto rate = *Rate::per_second(3);
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "leaky_bucket", "algorithm_config": {"rps": 3, "burst": 4})")),
              ElementsAre(*Limit::leaky_bucket(rate, Tokens::whole(4))));
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "leaky_queue", "algorithm_config": {"rps": 3, "burst": 4})")),
              ElementsAre(*Limit::leaky_queue(rate, Tokens::whole(4))));
}

TEST(BuildLimit, WindowsTakeALimitAndALength) {
  const std::string fields = R"("algorithm_config": {"limit": 100, "window_seconds": 60})";
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "fixed_window", )" + fields)),
              ElementsAre(*Limit::fixed_window(Tokens::whole(100), Duration::seconds(60))));
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "sliding_window_log", )" + fields)),
              ElementsAre(*Limit::sliding_window_log(Tokens::whole(100), Duration::seconds(60))));
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "sliding_window_counter", )" + fields)),
              ElementsAre(*Limit::sliding_window_counter(Tokens::whole(100), Duration::seconds(60))));
}

TEST(BuildLimit, BurstSecondsIsExactWhereDoublesAreNot) {
  EXPECT_EQ(limits_of(config(R"("rps": 0.29, "burst_seconds": 100)"))[0].capacity(), Tokens::whole(29));
  EXPECT_EQ(limits_of(config(R"("rps": 10, "burst_seconds": 300)"))[0].capacity(), Tokens::whole(3000));
  EXPECT_EQ(limits_of(config(R"("rps": 1.6666666666666667, "burst_seconds": 60)"))[0].capacity(), Tokens::whole(100));
}

RC_GTEST_PROP(BuildLimit, BurstSecondsOfWholeNumbersIsTheirProduct, ()) {
  const int rate = *rc::gen::inRange(1, 10'000);
  const int seconds = *rc::gen::inRange(1, 10'000);
  const auto limits =
      limits_of(config("\"rps\": " + std::to_string(rate) + ", \"burst_seconds\": " + std::to_string(seconds)));
  RC_ASSERT(limits[0].capacity() == Tokens::whole(int64_t{rate} * seconds));
}

TEST(BuildLimit, BurstSecondsBeyondTheRangeAreRefused) {
  EXPECT_THAT(
      fault_of(config(R"("rps": 1e9, "burst_seconds": 2)")),
      HasSubstr("burst_seconds x tokens_per_second must be between 0.000001 and 1e9 tokens, but is about 2000000000"));
  EXPECT_THAT(fault_of(config(R"("rps": 1e-9, "burst_seconds": 0.001)")),
              HasSubstr("burst_seconds x tokens_per_second must"));
  EXPECT_THAT(fault_of(config(R"("rps": 1e9, "burst_seconds": 3e9)")),
              HasSubstr("burst_seconds x tokens_per_second must"));
}

TEST(BuildLimit, WindowsThatCannotBeCountedAreRefused) {
  EXPECT_THAT(
      fault_of(rule_with(R"("algorithm": "fixed_window", "algorithm_config": {"limit": 1e9, "window_seconds": 0.01})")),
      HasSubstr("limit / window_seconds must be between 1e-9 and 1e9 tokens per second"));
  EXPECT_THAT(
      fault_of(rule_with(R"("algorithm": "fixed_window", "algorithm_config": {"limit": 1, "window_seconds": 0.0001})")),
      HasSubstr("window_seconds must be at least 0.001, but is 0.0001"));
}

TEST(BuildLimit, SaysWhichFieldIsMissing) {
  EXPECT_THAT(fault_of(config(R"("burst": 1)")), HasSubstr("tokens_per_second is missing"));
  EXPECT_EQ(
      fault_of(config(R"("rps": 1)")),
      "rules[0].algorithm_config: burst is missing (burst is how many requests may come at once; 5 x rps suits an "
      "interactive API)");
  EXPECT_THAT(fault_of(rule_with(R"("algorithm": "fixed_window", "algorithm_config": {"limit": 1})")),
              HasSubstr("window_seconds is missing"));
  EXPECT_THAT(fault_of(rule_with(R"("algorithm": "fixed_window", "algorithm_config": {"window_seconds": 1})")),
              HasSubstr("limit is missing"));
  EXPECT_THAT(fault_of(rule_with(R"("mode": "enforce")")), HasSubstr("algorithm_config is missing"));
}

TEST(BuildLimit, FieldsOfTheOtherKindOfAlgorithmAreRefused) {
  EXPECT_THAT(fault_of(config(R"("rps": 1, "burst": 1, "window_seconds": 1)")),
              HasSubstr("window_seconds belongs to a window, but the algorithm is token_bucket"));
  EXPECT_THAT(fault_of(rule_with(
                  R"("algorithm": "fixed_window", "algorithm_config": {"limit": 1, "window_seconds": 1, "rps": 1})")),
              HasSubstr("rps belongs to a bucket, but the algorithm is fixed_window"));
  EXPECT_THAT(fault_of(config(R"("rps": 1, "burst": 1, "burst_seconds": 1)")),
              HasSubstr("burst_seconds says the capacity, but burst does so too"));
}

TEST(BuildLimit, AMisspeltAlgorithmIsOneFaultNotSeveral) {
  EXPECT_EQ(faults_of(rule_with(R"("algorithm": "fixed_windw", "algorithm_config": {"limit": 1, "window_seconds": 1})"))
                .size(),
            1u);
  EXPECT_EQ(faults_of(rule_with(R"("limits": [{"algorithm": "fixed_windw", "limit": 1, "window_seconds": 1}])")).size(),
            1u);
  EXPECT_EQ(faults_of(rule_with(R"("algorithm": "fixed_windw", "limits": [{"limit": 1, "window_seconds": 1}])")).size(),
            1u);
}

TEST(BuildLimit, SeveralLimitsStandOnOneKey) {
  const auto limits = limits_of(rule_with(R"("limits": [{"rps": 10, "burst": 10},
      {"algorithm": "fixed_window", "limit": 1000, "window_seconds": 3600}])"));
  EXPECT_THAT(limits, ElementsAre(*Limit::token_bucket(10, 10),
                                  *Limit::fixed_window(Tokens::whole(1000), Duration::seconds(3600))));
  EXPECT_THAT(limits_of(rule_with(R"("algorithm": "fixed_window", "limits": [{"limit": 5, "window_seconds": 1}])")),
              ElementsAre(*Limit::fixed_window(Tokens::whole(5), Duration::seconds(1))));
}

TEST(BuildLimit, TheCostOfSeveralLimitsStandsBesideThem) {
  const auto rule = loaded(rule_with(R"("limits": [{"rps": 10, "burst": 10}], "algorithm_config": {"fixed_cost": 2})"))
                        .policies[0]
                        .rules[0];
  EXPECT_EQ(rule.cost.fixed, Tokens::whole(2));
  EXPECT_EQ(rule.limits.size(), 1u);
  EXPECT_THAT(
      fault_of(rule_with(R"("limits": [{"rps": 10, "burst": 10, "fixed_cost": 2}])")),
      HasSubstr("'fixed_cost' is no field of an entry of limits (a request has one cost for all limits: write it "
                "in algorithm_config beside limits)"));
  EXPECT_THAT(fault_of(rule_with(R"("limits": [{"rps": 10, "burst": 10}], "algorithm_config": {"rps": 2})")),
              HasSubstr("rps belongs into limits, since this rule has limits"));
}

TEST(BuildLimit, LimitsAreBounded) {
  std::string list;
  for (int i = 0; i < 9; ++i) list += std::string(i > 0 ? "," : "") + R"({"rps": 1, "burst": 1})";
  EXPECT_THAT(fault_of(rule_with("\"limits\": [" + list + "]")),
              HasSubstr("limits must have at most 8 entries, but has 9"));
  EXPECT_THAT(fault_of(rule_with("\"limits\": []")), HasSubstr("limits must not be empty"));
}

TEST(BuildCost, SourcesAreHeadersAndQueryParametersInAnyCase) {
  EXPECT_EQ(cost(R"("cost_source": "header:X-Cost")").source->text(), "header:x-cost");
  EXPECT_EQ(cost(R"("cost_source": "query:Cost")").source->text(), "query:cost");
  EXPECT_EQ(cost(R"("cost_source": "fixed", "fixed_cost": 2.5)").source, std::nullopt);
  EXPECT_EQ(cost(R"("cost_source": "fixed", "fixed_cost": 2.5)").fixed, Tokens::micros(2'500'000));
  for (const char* source : {"jwt:cost", "path", "headers:x", "header:", "", "Fixed"}) {
    EXPECT_THAT(fault_of(config(R"("rps": 1, "burst": 1, "cost_source": ")" + std::string(source) + "\"")),
                HasSubstr("cost_source must be fixed, header:<name> or query:<name>, but is '" + std::string(source)));
  }
}

TEST(BuildCost, TheDefaultIsNeverAboveTheMost) {
  const Cost bounded = cost(R"("cost_source": "header:x", "default_cost": 2, "max_cost": 10)");
  EXPECT_EQ(bounded.fallback, Tokens::whole(2));
  EXPECT_EQ(bounded.most, Tokens::whole(10));
  EXPECT_EQ(cost(R"("cost_source": "header:x", "max_cost": 0.5)").fallback, Tokens::micros(500'000));
  EXPECT_THAT(fault_of(config(R"("rps": 1, "burst": 1, "default_cost": 11, "max_cost": 10)")),
              HasSubstr("default_cost must be at most max_cost, which is 10, but is 11"));
  EXPECT_THAT(fault_of(config(R"("rps": 1, "burst": 1, "default_cost": "x", "max_cost": 0.1)")),
              HasSubstr("default_cost must be a number"));
}

}  // namespace
}  // namespace sluice::rules
