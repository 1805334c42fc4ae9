#include "rules/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using ::testing::HasSubstr;
using testing::is;
using testing::is_in;
using testing::policy;
using testing::rule;
using testing::TestMatcher;
using testing::TestRequest;

// Why the first rule of this policy did or did not apply.
std::string why(Policy each, const TestRequest& request) {
  RuleSet rules;
  rules.policies.push_back(std::move(each));
  return TestMatcher(std::move(rules)).explain(request).rules.at(0).why;
}

Policy selected(Selector selector) { return policy("p", {rule("r", {})}, std::move(selector)); }
Policy matched(Condition condition) { return policy("p", {rule("r", {}, {std::move(condition)})}); }

TEST(Explain, SaysWhichPartOfASelectorDoesNotHold) {
  EXPECT_EQ(why(selected({"/a", {}, {}, {}}), TestRequest().path("/b?x")), "path '/b' is not '/a'");
  EXPECT_EQ(why(selected({{}, "/a", {}, {}}), TestRequest().path("/ab")), "path '/ab' is not below '/a'");
  EXPECT_EQ(why(selected({{}, {}, {"GET", "POST"}, {}}), TestRequest().method("delete")),
            "method DELETE is not one of GET, POST");
  EXPECT_EQ(why(selected({{}, {}, {"GET"}, {}}), TestRequest()), "method (none) is not GET");
  EXPECT_EQ(why(selected({{}, {}, {}, {{"a.com", false}, {"b.com", true}}}), TestRequest().host("b.com")),
            "host 'b.com' is none of a.com, *.b.com");
}

TEST(Explain, SaysWhichConditionDoesNotHold) {
  EXPECT_EQ(why(matched(is("attr:plan", {"pro"})), TestRequest()), "attr:plan has no value");
  EXPECT_EQ(why(matched(is("attr:plan", {"pro"})), TestRequest().attribute("plan", "free")),
            "attr:plan is 'free', not 'pro'");
  EXPECT_EQ(why(matched(is("attr:plan", {"1", "2", "3", "4", "5", "6", "7"})), TestRequest().attribute("plan", "free")),
            "attr:plan is 'free', not one of '1', '2', '3', '4', '5' and 2 more");
  Condition prefix = is("attr:plan", {});
  prefix.prefixes = {"pro-"};
  EXPECT_EQ(why(matched(prefix), TestRequest().attribute("plan", "pr\n")),
            "attr:plan is 'pr?', which does not begin with 'pro-'");
  EXPECT_EQ(why(matched(is_in({"10.0.0.0/8"})), TestRequest().ip("11.0.0.1")), "address 11.0.0.1 is not in 10.0.0.0/8");
  EXPECT_EQ(why(matched(is_in({"10.0.0.0/8"})), TestRequest()), "the address of the client is unknown");
}

TEST(Explain, SaysWhyARuleApplies) {
  EXPECT_EQ(why(matched(is("attr:plan", {"pro"})), TestRequest().attribute("plan", "pro")), "attr:plan is 'pro'");
  EXPECT_EQ(why(selected({}), TestRequest()), "it is for every request of its policy");
}

TEST(Explain, SaysWhichTierCameFirst) {
  RuleSet rules;
  rules.policies = {policy("p", {rule("free", {"attr:u"}), rule("vip", {"attr:u"})})};
  rules.policies[0].rules[1].priority = 5;
  const Report report = TestMatcher(std::move(rules)).explain(TestRequest());
  EXPECT_FALSE(report.rules[0].applies);
  EXPECT_EQ(report.rules[0].why, "tier 'vip' came first");
  EXPECT_TRUE(report.rules[1].applies);
  EXPECT_EQ(report.rules[1].key, "p|vip|%-");
}

TEST(Explain, SaysWhatBecameOfAMissingKey) {
  RuleSet rules;
  rules.policies = {policy("p", {rule("all", {}), rule("user", {"attr:u"})})};
  rules.policies[0].rules[1].on_missing_key = OnMissingKey::kDeny;
  TestMatcher matcher(std::move(rules));
  const Report report = matcher.explain(TestRequest());
  EXPECT_EQ(report.ruling, Ruling::kMissingKey);
  EXPECT_EQ(report.denied_by, &matcher.rules().policies[0].rules[1]);
  EXPECT_EQ(report.rules[1].why, "attr:u has no value, and on_missing_key is deny");
  EXPECT_EQ(report.rules[0].why, "it would apply, but rule 'user' denies the request");
}

TEST(Explain, SaysThatAKillSwitchCameFirst) {
  RuleSet rules;
  rules.policies = {policy("p", {rule("all", {})})};
  rules.kill_switches = {{is("attr:u", {"7"}), std::nullopt, "abuse"}};
  const Report report = TestMatcher(std::move(rules)).explain(TestRequest().attribute("u", "7"));
  EXPECT_EQ(report.ruling, Ruling::kKilled);
  EXPECT_EQ(report.killed_for, "attr:u is '7'");
  EXPECT_THAT(report.rules[0].why, HasSubstr("kill switch"));
}

TEST(Explain, SaysWhoTheClientIsAndHowThatIsKnown) {
  RuleSet rules;
  rules.trusted_proxies = {*Network::parse("10.0.0.0/8")};
  TestMatcher matcher(std::move(rules));
  const auto client = [&](const TestRequest& request) { return matcher.explain(request).client; };
  EXPECT_EQ(client(TestRequest().ip("10.0.0.1").header("X-Forwarded-For", "1.1.1.1")), "1.1.1.1, from x-forwarded-for");
  EXPECT_THAT(client(TestRequest().ip("2.2.2.2")), HasSubstr("is not believed"));
  EXPECT_THAT(client(TestRequest().ip("10.0.0.1").header("X-Forwarded-For", "?")), HasSubstr("is no address"));
  EXPECT_THAT(client(TestRequest().ip("10.0.0.1")), HasSubstr("all of which are trusted"));
  EXPECT_THAT(client(TestRequest()), HasSubstr("unknown"));
  EXPECT_THAT(client(TestRequest().ip("unix")), HasSubstr("trusted_proxies does not have 'unix'"));
}

TEST(Explain, SaysWhoSpeaksThroughAUnixSocketThatIsTrusted) {
  RuleSet rules;
  rules.trusts_unix = true;
  TestMatcher matcher(std::move(rules));
  const auto client = [&](const TestRequest& request) { return matcher.explain(request).client; };
  EXPECT_EQ(client(TestRequest().ip("unix").header("X-Forwarded-For", "1.1.1.1")), "1.1.1.1, from x-forwarded-for");
  EXPECT_THAT(client(TestRequest().ip("unix")), HasSubstr("is missing, or is no address"));
}

TEST(Explain, SaysWhatBecameOfTheToken) {
  RuleSet rules;
  rules.policies = {matched(is("jwt:plan", {"pro"}))};
  TestMatcher matcher(std::move(rules));
  const auto token = [&](std::string_view authorization) {
    return matcher.explain(TestRequest().header("Authorization", authorization)).token;
  };
  EXPECT_EQ(token("Bearer good"), "good");
  EXPECT_EQ(token("Bearer bad"), "refused: it is bad");
  EXPECT_EQ(token("Basic x"), "there is no bearer token");
  EXPECT_EQ(TestMatcher(RuleSet()).explain(TestRequest().header("Authorization", "Bearer good")).token, "");
}

}  // namespace
}  // namespace sluice::rules
