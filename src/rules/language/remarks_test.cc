#include "rules/language/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is;
using ::testing::IsEmpty;
using testing::policy;
using testing::rule;

RuleSet by_claims() {
  RuleSet rules;
  rules.policies = {policy("p", {rule("pro", {"jwt:sub"}, {is("jwt:plan", {"pro"})}), rule("all", {})})};
  return rules;
}

TEST(Remarks, ClaimsThatNobodyVerifiesAreNamedOnceEach) {
  EXPECT_THAT(remarks_on(by_claims()),
              ElementsAre(HasSubstr("jwt:plan never has a value"), HasSubstr("jwt:sub never has a value")));
}

TEST(Remarks, ClaimsThatSomebodyVerifiesAreFine) {
  RuleSet trusting = by_claims();
  trusting.jwt.trust_upstream = true;
  EXPECT_THAT(remarks_on(trusting), IsEmpty());
  RuleSet verifying = by_claims();
  verifying.jwt.keys.emplace_back();
  EXPECT_THAT(remarks_on(verifying), IsEmpty());
}

TEST(Remarks, ARuleUnderWhichNothingPassesIsNamed) {
  RuleSet rules;
  rules.policies = {policy("p", {rule("dear", {}), rule("fair", {"path"})})};
  for (Rule& each : rules.policies[0].rules) {
    each.limits = {*Limit::token_bucket(1, 5)};
    each.cost.fixed = Tokens::whole(each.name == "dear" ? 6 : 5);
  }
  EXPECT_THAT(remarks_on(rules),
              ElementsAre("rule 'dear' of policy 'p' lets no request pass: each costs more than fits"));
}

}  // namespace
}  // namespace sluice::rules
