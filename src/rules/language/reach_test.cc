#include "rules/language/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "rules/language/load_testing.h"
#include "stopwatch/cpu_stopwatch.h"

namespace sluice::rules {
namespace {

using ::testing::HasSubstr;

std::string rule(const std::string& name, const std::string& conditions, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "limit_keys": ["header:k"], "match": {)" + conditions + "}, " + more +
         R"("algorithm_config": {"rps": 1, "burst": 1}})";
}
std::string two(const std::string& first, const std::string& second) {
  return "{\"rules\": [" + rule("first", first) + ",\n" + rule("second", second) + "]}";
}

TEST(Reach, ATierBehindOneThatAlwaysHoldsIsRefusedWithBothLines) {
  EXPECT_EQ(
      faults_of("{\"rules\": [" + rule("free", "") + ",\n" + rule("pro", R"("attr:plan": "pro")") + "]}"),
      std::vector<std::string>{
          "2: rules[1]: the rule 'pro' can never apply: the rule 'free' in line 1 has the same limit_keys, is asked "
          "first, and holds whenever it does (put the rule without match last)"});
}

TEST(Reach, NarrowerTiersBehindWiderOnesAreRefused) {
  const auto refused = [](const std::string& first, const std::string& second) {
    return fault_of(two(first, second)).find("the rule 'second' can never apply") != std::string::npos;
  };
  EXPECT_TRUE(refused(R"("attr:a": "x")", R"("attr:a": "x")"));
  EXPECT_TRUE(refused(R"("attr:a": ["x", "y"])", R"("attr:a": "y")"));
  EXPECT_TRUE(refused(R"("attr:a": ["x", "y", "z"])", R"("attr:a": ["z", "x"])"));
  EXPECT_TRUE(refused(R"("attr:a": "x")", R"("attr:a": "x", "attr:b": "y")"));
  EXPECT_TRUE(refused(R"("attr:b": "y")", R"("attr:a": "x", "attr:b": "y")"));
  EXPECT_TRUE(refused(R"("attr:a": {"prefix": "x"})", R"("attr:a": {"prefix": "xy"})"));
  EXPECT_TRUE(refused(R"("attr:a": {"prefix": "x"})", R"("attr:a": ["xa", "xb"])"));
  EXPECT_TRUE(refused(R"("attr:a": {"prefix": ""})", R"("attr:a": "q")"));
  EXPECT_TRUE(refused(R"("ip:address": "10.0.0.0/8")", R"("ip:address": ["10.1.0.0/16", "10.2.3.4"])"));
  EXPECT_TRUE(refused(R"("ip:address": "::/0")", R"("ip:address": "2001:db8::1")"));

  EXPECT_FALSE(refused(R"("attr:a": "x")", R"("attr:a": "y")"));
  EXPECT_FALSE(refused(R"("attr:a": "x")", R"("attr:a": ["x", "y"])"));
  EXPECT_FALSE(refused(R"("attr:a": "x", "attr:b": "y")", R"("attr:a": "x")"));
  EXPECT_FALSE(refused(R"("attr:a": "x")", R"("attr:b": "x")"));
  EXPECT_FALSE(refused(R"("attr:a": "x")", R"("jwt:a": "x")"));
  EXPECT_FALSE(refused(R"("attr:a": {"prefix": "xy"})", R"("attr:a": {"prefix": "x"})"));
  EXPECT_FALSE(refused(R"("attr:a": "x")", R"("attr:a": {"prefix": "x"})"));
  EXPECT_FALSE(refused(R"("ip:address": "10.0.0.0/8")", R"("ip:address": ["10.1.0.0/16", "11.0.0.1"])"));
  EXPECT_FALSE(refused(R"("ip:address": "0.0.0.0/0")", R"("ip:address": "::1")"));
}

TEST(Reach, ATierThatEarlierOnesTogetherCoverIsRefusedWithAllOfThem) {
  const auto policy = [](const std::string& selector, const std::string& rules) {
    return R"({"policies": [{"id": "p", "selector": {)" + selector + "}, \"rules\": [\n" + rules + "]}]}";
  };
  const std::string methods = R"("methods": ["GET", "POST"])";
  const std::string get = rule("read", R"("method": "GET")") + ",\n";
  const std::string post = rule("write", R"("method": "POST")") + ",\n";
  const std::string why =
      "4: policies[0].rules[2]: the rule 'rest' can never apply: the rules 'read' in line 2 and 'write' in line 3 have "
      "the same limit_keys, are asked first, and one of them holds whenever it does (rules with the same limit_keys "
      "are "
      "tiers of one limit: leave this one out, or let its match name what the others do not)";
  const auto faults = [&](const std::string& selector, const std::string& last) {
    return faults_of(policy(selector, get + post + last));
  };
  EXPECT_THAT(faults(methods, rule("rest", R"("method": ["GET", "POST"])")), ::testing::ElementsAre(why));
  EXPECT_THAT(faults("", rule("rest", R"("method": ["GET", "POST"])")), ::testing::ElementsAre(why));
  EXPECT_THAT(faults(methods, rule("rest", "")), ::testing::ElementsAre(why));
  EXPECT_THAT(faults("", rule("rest", "")), ::testing::IsEmpty());
  EXPECT_THAT(faults(R"("methods": ["GET", "POST", "PUT"])", rule("rest", "")), ::testing::IsEmpty());
  EXPECT_THAT(faults(methods, rule("rest", "", R"("priority": 1, )")), ::testing::SizeIs(2));
  const std::string shadow = rule("tried", R"("method": "POST")", R"("mode": "shadow", )") + ",\n";
  EXPECT_EQ(fault_of(policy(methods, get + shadow + rule("rest", ""))), "none");
}

TEST(Reach, AMethodThatIsNoneIsNotTakenForAnyLess) {
  EXPECT_THAT(faults_of(R"({"policies": [{"id": "p", "selector": {"methods": ["GET", "P T"]}, "rules": [)" +
                        rule("a", R"("method": "GET")") + "," + rule("b", "") + "]}]}"),
              ::testing::ElementsAre(HasSubstr("a method is a word")));
}

TEST(Reach, PriorityDecidesWhichIsAskedFirst) {
  EXPECT_EQ(
      fault_of("{\"rules\": [" + rule("free", "") + "," + rule("pro", R"("attr:a": "x")", R"("priority": 1, )") + "]}"),
      "none");
  EXPECT_THAT(
      fault_of("{\"rules\": [" + rule("pro", R"("attr:a": "x")") + "," + rule("free", "", R"("priority": 1, )") + "]}"),
      HasSubstr("the rule 'pro' can never apply: the rule 'free'"));
}

TEST(Reach, OnlyTiersOfOneLimitStandInEachOthersWay) {
  const auto other = [](const std::string& keys) {
    return "{\"rules\": [" + rule("a", "") + R"(, {"name": "b", "limit_keys": )" + keys +
           R"(, "algorithm_config": {"rps": 1, "burst": 1}}]})";
  };
  EXPECT_EQ(fault_of(other(R"(["header:k", "path"])")), "none");
  EXPECT_EQ(fault_of(other("[]")), "none");
  EXPECT_THAT(fault_of(other(R"(["header:K"])")), HasSubstr("can never apply"));
  EXPECT_THAT(fault_of(R"({"rules": [
      {"name": "a", "limit_keys": ["path", "host"], "algorithm_config": {"rps": 1, "burst": 1}},
      {"name": "b", "limit_keys": ["host", "path"], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
              HasSubstr("can never apply"));
}

TEST(Reach, AShadowRuleHidesNoEnforcedOne) {
  const std::string shadow = R"("mode": "shadow", )";
  EXPECT_EQ(fault_of("{\"rules\": [" + rule("a", "", shadow) + "," + rule("b", "") + "]}"), "none");
  EXPECT_THAT(fault_of("{\"rules\": [" + rule("a", "") + "," + rule("b", "", shadow) + "]}"),
              HasSubstr("'b' can never apply"));
  EXPECT_THAT(fault_of("{\"rules\": [" + rule("a", "", shadow) + "," + rule("b", "", shadow) + "]}"),
              HasSubstr("'b' can never apply"));
}

TEST(Reach, ARuleWithFaultsOfItsOwnIsNotComparedWithOthers) {
  EXPECT_EQ(
      faults_of("{\"rules\": [" + rule("a", "", R"("priority": "high", )") + "," + rule("b", R"("attr:a": "x")") + "]}")
          .size(),
      1u);
}

// Small worlds in which every request can be tried.
constexpr const char* kValues[] = {"", "a", "a~", "ab", "ab~", "abc", "abc~", "b", "b~", "ba", "ba~", "~"};

Condition random_condition(const std::string& source) {
  Condition condition;
  condition.source = *KeySource::parse(source);
  auto& list = *rc::gen::arbitrary<bool>() ? condition.values : condition.prefixes;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
    list.push_back(*rc::gen::element<std::string>("a", "ab", "abc", "b", "ba"));
  return condition;
}

Rule random_rule() {
  Rule rule;
  for (const char* source : {"attr:x", "attr:y"}) {
    if (*rc::gen::arbitrary<bool>()) rule.match.push_back(random_condition(source));
  }
  if (*rc::gen::arbitrary<bool>()) std::reverse(rule.match.begin(), rule.match.end());
  rule.priority = *rc::gen::inRange(0, 2);
  if (*rc::gen::inRange(0, 4) == 0) rule.mode = Mode::kShadow;
  return rule;
}

bool fits(const Condition& condition, std::string_view value) {
  if (value.empty()) return false;
  const auto is_equal = [&](const std::string& text) { return value == text; };
  const auto begins = [&](const std::string& text) { return value.starts_with(text); };
  return std::any_of(condition.values.begin(), condition.values.end(), is_equal) ||
         std::any_of(condition.prefixes.begin(), condition.prefixes.end(), begins);
}

bool fits(const Rule& rule, std::string_view x, std::string_view y) {
  return std::all_of(rule.match.begin(), rule.match.end(),
                     [&](const Condition& c) { return fits(c, c.source.name == "x" ? x : y); });
}

bool goes_before(const Rule& a, size_t place_a, const Rule& b, size_t place_b) {
  return a.priority != b.priority ? a.priority > b.priority : place_a < place_b;
}

RC_GTEST_PROP(Reach, WhatIsHiddenFitsNoRequestThatItsHidersDoNot, ()) {
  std::vector<Rule> rules;
  for (int i = *rc::gen::inRange(2, 8); i > 0; --i) rules.push_back(random_rule());
  std::vector<const Rule*> pointers;
  for (const Rule& each : rules) pointers.push_back(&each);
  for (const language::Hidden& hidden : language::find_hidden(pointers)) {
    const Rule& lost = rules[hidden.hidden];
    for (const size_t by : hidden.by) {
      RC_ASSERT(goes_before(rules[by], by, lost, hidden.hidden));
      RC_ASSERT(rules[by].mode == Mode::kEnforce || lost.mode == Mode::kShadow);
    }
    for (const char* x : kValues) {
      for (const char* y : kValues) {
        const auto takes = [&](size_t by) { return fits(rules[by], x, y); };
        RC_ASSERT(!fits(lost, x, y) || std::any_of(hidden.by.begin(), hidden.by.end(), takes));
      }
    }
  }
}

// Whether one condition says no more than another, by its words alone.
bool is_within(const Condition& narrow, const Condition& wide) {
  const auto is_covered = [&](const std::string& text, bool is_value) {
    return (is_value && std::count(wide.values.begin(), wide.values.end(), text) > 0) ||
           std::any_of(wide.prefixes.begin(), wide.prefixes.end(), [&](const auto& p) { return text.starts_with(p); });
  };
  return std::all_of(narrow.values.begin(), narrow.values.end(), [&](const auto& v) { return is_covered(v, true); }) &&
         std::all_of(narrow.prefixes.begin(), narrow.prefixes.end(),
                     [&](const auto& p) { return is_covered(p, false); });
}

RC_GTEST_PROP(Reach, EveryTierThatAnEarlierOneCoversIsFound, ()) {
  std::vector<Rule> rules;
  for (int i = *rc::gen::inRange(2, 8); i > 0; --i) rules.push_back(random_rule());
  std::vector<const Rule*> pointers;
  for (const Rule& each : rules) pointers.push_back(&each);
  std::vector<bool> is_hidden(rules.size());
  for (const auto& hidden : language::find_hidden(pointers)) is_hidden[hidden.hidden] = true;
  for (size_t later = 0; later < rules.size(); ++later) {
    bool expected = false;
    for (size_t earlier = 0; earlier < rules.size(); ++earlier) {
      if (earlier == later || !goes_before(rules[earlier], earlier, rules[later], later)) continue;
      if (rules[earlier].mode == Mode::kShadow && rules[later].mode == Mode::kEnforce) continue;
      const auto& narrow = rules[later].match;
      expected =
          expected || std::all_of(rules[earlier].match.begin(), rules[earlier].match.end(), [&](const Condition& wide) {
            return std::any_of(narrow.begin(), narrow.end(),
                               [&](const Condition& c) { return c.source == wide.source && is_within(c, wide); });
          });
    }
    RC_ASSERT(is_hidden[later] || !expected);
  }
}

TEST(Reach, ManyTiersThatShareAllButOneValueTakeLittleTime) {
  std::vector<Rule> rules(10'000);
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto add = [&](const char* source, std::string value) {
      rules[i].match.push_back(Condition{*KeySource::parse(source), {std::move(value)}, {}, {}});
    };
    add("attr:plan", "pro");
    add("attr:region", i % 2 == 0 ? "eu" : "us");
    add("attr:user", std::to_string(i));
  }
  rules.push_back(rules[1'234]);
  std::vector<const Rule*> pointers;
  for (const Rule& each : rules) pointers.push_back(&each);
  const CpuStopwatch stopwatch;
  const auto hidden = language::find_hidden(pointers);
  ASSERT_EQ(hidden.size(), 1u);
  EXPECT_EQ(hidden[0].by, std::vector<size_t>{1'234});
  EXPECT_LT(stopwatch.seconds(), 5.0);
}

TEST(Reach, TheWorkIsBoundedWhereNoValueTellsTiersApart) {
  // Each says two of few values of every source: all lists are long, and no tier covers another.
  std::vector<Rule> rules(20'000);
  for (size_t i = 0; i < rules.size(); ++i) {
    for (int source = 0; source < 8; ++source) {
      const size_t digit = (i >> (2 * source)) & 3;
      rules[i].match.push_back(Condition{*KeySource::parse("attr:" + std::to_string(source)),
                                         {std::to_string(digit), std::to_string(digit + 10)},
                                         {},
                                         {}});
    }
  }
  std::vector<const Rule*> pointers;
  for (const Rule& each : rules) pointers.push_back(&each);
  const CpuStopwatch stopwatch;
  language::find_hidden(pointers);
  EXPECT_LT(stopwatch.seconds(), 20.0);
}

}  // namespace
}  // namespace sluice::rules
