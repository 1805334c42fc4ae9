#include "rules/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using testing::is;
using testing::is_in;
using ::testing::IsEmpty;
using testing::policy;
using testing::rule;
using testing::source;
using testing::TestMatcher;
using testing::TestRequest;

TestMatcher matcher_of(std::vector<Policy> policies) {
  RuleSet rules;
  rules.policies = std::move(policies);
  return TestMatcher(std::move(rules));
}

Selector below(std::string path) {
  Selector selector;
  selector.path_prefix = std::move(path);
  return selector;
}

TEST(Matcher, AppliesEveryRuleOfDifferentLimitKeysTogether) {
  auto matcher = matcher_of(
      {policy("api", {rule("address", {"ip:address"}), rule("key", {"header:x-api-key"}), rule("global", {})})});
  EXPECT_THAT(matcher.keys(TestRequest().ip("1.2.3.4").header("X-Api-Key", "k")),
              ElementsAre("api|address|1.2.3.4", "api|key|k", "api|global"));
}

TEST(Matcher, WithNoRulesLetsEverythingPass) {
  auto matcher = matcher_of({});
  TestRequest request;
  EXPECT_EQ(matcher.match(request), Ruling::kAsk);
  EXPECT_THAT(matcher.evaluation().applied(), IsEmpty());
}

TEST(Matcher, AppliesOfTiersTheFirstWhoseMatchHolds) {
  auto matcher = matcher_of({policy("api", {rule("enterprise", {"header:x-api-key"}, {is("jwt:plan", {"pro"})}),
                                            rule("free", {"header:x-api-key"}), rule("global", {})})});
  TestRequest request;
  EXPECT_THAT(matcher.keys(TestRequest().header("x-api-key", "k").header("Authorization", "Bearer good")),
              ElementsAre("api|enterprise|k", "api|global"));
  EXPECT_THAT(matcher.keys(TestRequest().header("x-api-key", "k")), ElementsAre("api|free|k", "api|global"));
}

TEST(Matcher, TakesTiersByTheirSetOfLimitKeysWhateverTheirOrder) {
  auto matcher = matcher_of({policy("api", {rule("a", {"ip:address", "attr:u"}), rule("b", {"attr:u", "ip:address"}),
                                            rule("c", {"attr:u"}), rule("d", {"attr:u", "attr:u"})})});
  EXPECT_THAT(matcher.keys(TestRequest().ip("1.1.1.1").attribute("u", "7")), ElementsAre("api|a|1.1.1.1|7", "api|c|7"));
}

TEST(Matcher, TakesRulesOfTwoPoliciesForTwoLimits) {
  auto matcher = matcher_of({policy("one", {rule("r", {"ip:address"})}), policy("two", {rule("r", {"ip:address"})})});
  EXPECT_THAT(matcher.keys(TestRequest().ip("1.1.1.1")), ElementsAre("one|r|1.1.1.1", "two|r|1.1.1.1"));
}

TEST(Matcher, AsksTiersByPriorityAndTellsThemInTheOrderOfTheFile) {
  std::vector<Rule> rules = {rule("low", {"ip:address"}), rule("other", {}), rule("high", {"ip:address"}),
                             rule("key", {"attr:u"})};
  rules[0].priority = -1;
  rules[3].priority = 9;
  auto matcher = matcher_of({policy("p", rules)});
  EXPECT_THAT(matcher.keys(TestRequest().ip("1.1.1.1").attribute("u", "7")),
              ElementsAre("p|other", "p|high|1.1.1.1", "p|key|7"));
}

TEST(Matcher, LetsAShadowTierTakeNoPlaceFromAnEnforcedOne) {
  std::vector<Rule> rules = {rule("trial", {"ip:address"}), rule("free", {"ip:address"}),
                             rule("later", {"ip:address"})};
  rules[0].mode = Mode::kShadow;
  rules[2].mode = Mode::kShadow;
  auto matcher = matcher_of({policy("p", rules)});
  EXPECT_THAT(matcher.keys(TestRequest().ip("1.1.1.1")), ElementsAre("p|trial|1.1.1.1", "p|free|1.1.1.1"));
}

TEST(Matcher, SharesSkipsOrDeniesWhereAKeyIsMissing) {
  const auto with = [](OnMissingKey on_missing_key, Mode mode = Mode::kEnforce) {
    Rule each = rule("r", {"ip:address", "attr:u"});
    each.on_missing_key = on_missing_key;
    each.mode = mode;
    return matcher_of({policy("p", {each, rule("global", {})})});
  };
  auto share = with(OnMissingKey::kShare);
  EXPECT_THAT(share.keys(TestRequest().ip("1.1.1.1")), ElementsAre("p|r|1.1.1.1|%-", "p|global"));
  auto skip = with(OnMissingKey::kSkip);
  EXPECT_THAT(skip.keys(TestRequest().ip("1.1.1.1")), ElementsAre("p|global"));
  auto deny = with(OnMissingKey::kDeny);
  EXPECT_EQ(deny.match(TestRequest().ip("1.1.1.1")), Ruling::kMissingKey);
  EXPECT_EQ(deny.evaluation().denied_by().rule, &deny.rules().policies[0].rules[0]);
  EXPECT_THAT(deny.evaluation().applied(), IsEmpty());
  EXPECT_EQ(deny.match(TestRequest().ip("1.1.1.1").attribute("u", "7")), Ruling::kAsk);
  auto shadow = with(OnMissingKey::kDeny, Mode::kShadow);
  EXPECT_THAT(shadow.keys(TestRequest().ip("1.1.1.1")), ElementsAre("p|global"));
}

TEST(Matcher, DoesNotGoOnToTheNextTierWhenTheFirstLacksItsKey) {
  Rule first = rule("first", {"attr:u"});
  first.on_missing_key = OnMissingKey::kSkip;
  auto matcher = matcher_of({policy("p", {first, rule("second", {"attr:u"})})});
  EXPECT_THAT(matcher.keys(TestRequest()), IsEmpty());
}

TEST(Matcher, IsNotFooledByOtherSpellingsOfAPath) {
  auto matcher = matcher_of({policy("p", {rule("r", {})}, below("/v1/admin"))});
  for (const std::string_view path : {"/v1/admin", "/v1/admin/x?y", "/v1//admin", "/v1/%61dmin", "/x/../v1/./admin/"}) {
    EXPECT_THAT(matcher.keys(TestRequest().path(path)), ElementsAre("p|r")) << path;
  }
  for (const std::string_view path : {"/v1/administrator", "/v1", "/", "/v1/x/admin", "/v1/admin%2Fx"}) {
    EXPECT_THAT(matcher.keys(TestRequest().path(path)), IsEmpty()) << path;
  }
}

TEST(Matcher, TakesAWildcardForWhatIsBelowItAlone) {
  Selector selector;
  selector.hosts = {{"example.com", true}, {"other.org", false}};
  auto matcher = matcher_of({policy("p", {rule("r", {})}, selector)});
  for (const std::string_view host : {"a.example.com", "A.b.Example.COM:443", "other.org."}) {
    EXPECT_THAT(matcher.keys(TestRequest().host(host)), ElementsAre("p|r")) << host;
  }
  for (const std::string_view host : {"example.com", "badexample.com", ".example.com", "a.other.org", "com", ""}) {
    EXPECT_THAT(matcher.keys(TestRequest().host(host)), IsEmpty()) << host;
  }
}

TEST(Matcher, SaysTheCostOfEachRule) {
  std::vector<Rule> rules = {rule("fixed", {}), rule("said", {"ip:address"}), rule("cut", {"attr:u"})};
  rules[0].cost.fixed = Tokens::whole(2);
  rules[1].cost.source = source("header:x-cost");
  rules[1].cost.fallback = Tokens::whole(3);
  rules[2].cost.source = source("header:x-cost");
  rules[2].cost.most = Tokens::whole(4);
  auto matcher = matcher_of({policy("p", rules)});
  const auto costs = [&](const TestRequest& request) {
    matcher.match(request);
    std::vector<int64_t> whole;
    for (const Application& application : matcher.evaluation().applied()) whole.push_back(application.cost.floor());
    return whole;
  };
  EXPECT_THAT(costs(TestRequest().header("X-Cost", "7")), ElementsAre(2, 7, 4));
  EXPECT_THAT(costs(TestRequest().header("X-Cost", "nan")), ElementsAre(2, 3, 1));
  EXPECT_THAT(costs(TestRequest()), ElementsAre(2, 3, 1));
  EXPECT_THAT(costs(TestRequest().header("X-Cost", "7").cost(Tokens::whole(50))), ElementsAre(50, 50, 50));
}

// Only what names a bucket is bounded; whoever makes a value long gets around nothing.
TEST(Matcher, ComparesLongValuesToo) {
  RuleSet rules;
  Condition files{source("path"), {}, {"/files/"}, {}};
  rules.policies = {policy("p", {rule("r", {}, {files})})};
  rules.kill_switches = {{Condition{source("header:user-agent"), {}, {"BadBot"}, {}}, std::nullopt, ""}};
  TestMatcher matcher(std::move(rules));
  const std::string tail(5'000, 'a');
  EXPECT_EQ(matcher.match(TestRequest().path("/files/" + tail)), Ruling::kAsk);
  EXPECT_EQ(matcher.evaluation().applied().size(), 1U);
  EXPECT_EQ(matcher.match(TestRequest().header("User-Agent", "BadBot" + tail)), Ruling::kKilled);
}

TEST(Matcher, KillsBeforeAnyRuleUntilTheSwitchExpires) {
  RuleSet rules;
  rules.policies = {policy("p", {rule("r", {"attr:u"})}, below("/v1"))};
  rules.policies[0].rules[0].on_missing_key = OnMissingKey::kDeny;
  rules.policies[0].kill_switches = {{is("header:x-api-key", {"stolen"}), std::nullopt, "stolen key"}};
  rules.kill_switches = {{is_in({"6.6.6.0/24"}), 100'000'000, "attack"}};
  TestMatcher matcher(std::move(rules));
  matcher.set_time(99);
  EXPECT_EQ(matcher.match(TestRequest().ip("6.6.6.6")), Ruling::kKilled);
  EXPECT_EQ(matcher.evaluation().kill_switch()->reason, "attack");
  matcher.set_time(100);
  EXPECT_EQ(matcher.match(TestRequest().ip("6.6.6.6")), Ruling::kAsk);
  EXPECT_EQ(matcher.evaluation().kill_switch(), nullptr);
  EXPECT_EQ(matcher.match(TestRequest().path("/v1/x").header("x-api-key", "stolen")), Ruling::kKilled);
  EXPECT_EQ(matcher.evaluation().kill_switch()->reason, "stolen key");
  EXPECT_EQ(matcher.match(TestRequest().path("/v2").header("x-api-key", "stolen")), Ruling::kAsk);
}

TEST(Matcher, VerifiesATokenOnceAndOnlyWhereARuleAsksForIt) {
  auto matcher = matcher_of(
      {policy("a", {rule("r", {"jwt:sub"}, {is("jwt:plan", {"pro"})}), rule("s", {}, {is("jwt:org.id", {"1"})})},
              below("/a")),
       policy("b", {rule("r", {})})});
  matcher.match(TestRequest().path("/b").header("Authorization", "Bearer good"));
  EXPECT_EQ(matcher.claims().asked(), 0);
  EXPECT_THAT(matcher.keys(TestRequest().path("/a").header("Authorization", "Bearer good")),
              ElementsAre("a|r|%-", "a|s", "b|r"));
  EXPECT_EQ(matcher.claims().asked(), 1);
}

TEST(Matcher, UsesOneEvaluationForOneRuleSetAfterAnother) {
  Evaluation evaluation;
  for (const size_t rules : {1, 7, 3, 20, 2}) {
    RuleSet set;
    set.policies.push_back(policy("p", {}));
    for (size_t i = 0; i < rules; ++i) {
      set.policies[0].rules.push_back(rule("r" + std::to_string(i), {"attr:a" + std::to_string(i)}));
      set.policies[0].rules.push_back(rule("t" + std::to_string(i), {"attr:a" + std::to_string(i)}));
    }
    const Matcher matcher(std::make_shared<const RuleSet>(std::move(set)));
    TestRequest request;
    request.attribute("a0", "v");
    ASSERT_EQ(matcher.match(request.view(), {}, nullptr, evaluation), Ruling::kAsk);
    ASSERT_EQ(evaluation.applied().size(), rules);
    ASSERT_EQ(evaluation.applied()[0].key, "p|r0|v");
  }
}

}  // namespace
}  // namespace sluice::rules
