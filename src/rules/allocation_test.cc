// A match allocates nothing once its memory has grown.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using testing::is;
using testing::is_in;
using testing::policy;
using testing::rule;
using testing::source;

// Every kind of source, selector and condition, and tiers out of order.
RuleSet rules_of_all_kinds() {
  Rule last = rule("last", {"host"});
  last.priority = 1;
  last.cost.source = source("query:cost");
  Rule tried = rule("tried", {"header:x-missing"});
  tried.mode = Mode::kShadow;
  tried.on_missing_key = OnMissingKey::kDeny;
  RuleSet rules;
  rules.trusted_proxies = {*Network::parse("10.0.0.0/8")};
  rules.kill_switches = {{is("attr:user", {"nobody"}), std::nullopt, ""}};
  rules.policies = {
      policy("a", {rule("address", {"ip:address"}), rule("network", {"ip:address/24"}),
                   rule("key", {"header:x-api-key", "query:q", "cookie:session"}, {is("jwt:plan", {"pro", "free"})}),
                   rule("all", {"jwt:plan", "path", "method", "attr:user"}), tried, last}),
      policy("b", {rule("in", {}, {is_in({"203.0.113.0/24", "198.51.100.0/24"})})},
             {{}, "/v1", {"POST"}, {{"com", true}}})};
  return rules;
}

TEST(Allocation, DoesNotHappenInASteadyState) {
  const Matcher matcher(std::make_shared<const RuleSet>(rules_of_all_kinds()));
  testing::TestRequest owned;
  owned.path("/x/../v1/%7Eme").method("post").host("API.example.COM:80").ip("10.0.0.1");
  owned.header("X-Forwarded-For", "203.0.113.7, 10.0.0.2").header("X-Api-Key", "a|long|key|with|separators|in|it");
  owned.header("Cookie", "a=b; session=s").header("Authorization", "Bearer good").query("cost", "2.5").query("q", "1");
  owned.attribute("user", "42");
  const Request& request = owned.view();
  testing::TestClaims claims;
  Evaluation evaluation;
  const auto match = [&] {
    ASSERT_EQ(matcher.match(request, {}, &claims, evaluation), Ruling::kAsk);
    ASSERT_EQ(evaluation.applied().size(), 6u);
    ASSERT_EQ(evaluation.denied_in_shadow().size(), 1u);
  };
  const uint64_t before_the_first = sluice::testing::allocations();
  match();
  EXPECT_GT(sluice::testing::allocations(), before_the_first) << "allocations are not counted";
  const uint64_t before = sluice::testing::allocations();
  for (int i = 0; i < 1000; ++i) match();
  EXPECT_EQ(sluice::testing::allocations(), before);
}

}  // namespace
}  // namespace sluice::rules
