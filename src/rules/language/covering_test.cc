#include "rules/language/covering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "rules/language/reach.h"
#include "stopwatch/cpu_stopwatch.h"

namespace sluice::rules::language {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Texts = std::vector<std::string>;

Condition one_of(const char* source, Texts values) { return {*KeySource::parse(source), std::move(values), {}, {}}; }
Condition begins(const char* source, Texts prefixes) {
  return {*KeySource::parse(source), {}, std::move(prefixes), {}};
}
Condition within(const Texts& networks) {
  Condition condition{*KeySource::parse("ip:address"), {}, {}, {}};
  for (const auto& text : networks) condition.networks.push_back(*Network::parse(text));
  return condition;
}

// Who hides the last of these tiers.
std::vector<size_t> hiders(const std::vector<Region>& tiers, const Selector& selector = {}) {
  std::vector<Rule> rules(tiers.size());
  std::vector<const Rule*> pointers;
  for (size_t i = 0; i < tiers.size(); ++i) {
    rules[i].match = tiers[i];
    pointers.push_back(&rules[i]);
  }
  for (const Hidden& hidden : find_hidden(pointers, selector)) {
    if (hidden.hidden + 1 == tiers.size()) return hidden.by;
  }
  return {};
}

TEST(Covering, ValuesAndPrefixesOfSeveralTiersMakeUpAList) {
  EXPECT_THAT(hiders({{one_of("attr:a", {"x"})}, {one_of("attr:a", {"y"})}, {one_of("attr:a", {"x", "y"})}}),
              ElementsAre(0, 1));
  EXPECT_THAT(hiders({{one_of("attr:a", {"x"})}, {begins("attr:a", {"y"})}, {one_of("attr:a", {"x", "y1", "y2"})}}),
              ElementsAre(0, 1));
  EXPECT_THAT(hiders({{begins("attr:a", {"x"})}, {begins("attr:a", {"y"})}, {begins("attr:a", {"xx", "y"})}}),
              ElementsAre(0, 1));
  EXPECT_THAT(hiders({{one_of("attr:a", {"x"})}, {one_of("attr:a", {"y"})}, {one_of("attr:a", {"x", "y", "z"})}}),
              IsEmpty());
  EXPECT_THAT(hiders({{begins("attr:a", {"xa"})}, {begins("attr:a", {"xb"})}, {begins("attr:a", {"x"})}}), IsEmpty());
}

TEST(Covering, APathIsNeverMissingNorAHostThatTheSelectorNames) {
  EXPECT_THAT(hiders({{begins("path", {"/"})}, {}}), ElementsAre(0));
  EXPECT_THAT(hiders({{begins("path", {"/"})}, {one_of("path", {"/a"}), one_of("attr:a", {"x"})}}), ElementsAre(0));
  EXPECT_THAT(hiders({{begins("path", {"/a"})}, {}}), IsEmpty());
  Selector below;
  below.hosts = {{"example.com", true}};
  EXPECT_THAT(hiders({{begins("host", {""})}, {}}, below), ElementsAre(0));
  EXPECT_THAT(hiders({{begins("host", {""})}, {begins("host", {"a"})}}, below), ElementsAre(0));
  EXPECT_THAT(hiders({{begins("host", {"a"})}, {}}, below), IsEmpty());
  EXPECT_THAT(hiders({{begins("host", {""})}, {}}), IsEmpty());
}

TEST(Covering, AMissingValueIsCoveredByNoConditionOnIt) {
  EXPECT_THAT(hiders({{begins("attr:a", {""})}, {one_of("attr:a", {"y"})}, {}}), IsEmpty());
  EXPECT_THAT(hiders({{within({"0.0.0.0/0"})}, {within({"::/0"})}, {}}), IsEmpty());
}

TEST(Covering, NetworksMakeUpALargerOne) {
  EXPECT_THAT(hiders({{within({"10.0.0.0/25"})}, {within({"10.0.0.128/25"})}, {within({"10.0.0.0/24"})}}),
              ElementsAre(0, 1));
  EXPECT_THAT(hiders({{within({"0.0.0.0/1"})}, {within({"128.0.0.0/1"})}, {within({"0.0.0.0/0"})}}), ElementsAre(0, 1));
  EXPECT_THAT(hiders({{within({"::/1"})}, {within({"8000::/1"})}, {within({"::/0"})}}), ElementsAre(0, 1));
  EXPECT_THAT(hiders({{within({"0.0.0.0/1"})}, {within({"128.0.0.0/1"})}, {within({"0.0.0.0/0", "::1"})}}), IsEmpty());
  EXPECT_THAT(hiders({{within({"10.0.0.0/25"})}, {within({"10.0.0.128/26"})}, {within({"10.0.0.0/24"})}}), IsEmpty());
  EXPECT_THAT(
      hiders({{within({"10.0.0.0/25"})}, {within({"10.0.0.129/32", "10.0.0.192/26"})}, {within({"10.0.0.0/24"})}}),
      IsEmpty());
}

TEST(Covering, EveryCombinationOfSeveralSourcesNeedsItsTier) {
  const Region last = {one_of("attr:a", {"1", "2"}), one_of("attr:b", {"1", "2"})};
  const auto cell = [](const char* a, const char* b) { return Region{one_of("attr:a", {a}), one_of("attr:b", {b})}; };
  EXPECT_THAT(hiders({{one_of("attr:a", {"1"})}, cell("2", "1"), cell("2", "2"), last}), ElementsAre(0, 1, 2));
  EXPECT_THAT(hiders({cell("1", "1"), cell("1", "2"), cell("2", "1"), last}), IsEmpty());
  EXPECT_THAT(hiders({{one_of("attr:a", {"1"})}, {one_of("attr:a", {"2"}), one_of("attr:c", {"1"})}, last}), IsEmpty());
}

TEST(Covering, OneTierThatIsEnoughIsNamedAlone) {
  EXPECT_THAT(hiders({{one_of("attr:a", {"x"})}, {one_of("attr:a", {"y", "x"})}, {one_of("attr:a", {"x", "y"})}}),
              ElementsAre(1));
}

TEST(Covering, TheSelectorSaysWhichMethodsPathsAndHostsThereAre) {
  const Selector methods{.path = {}, .path_prefix = {}, .methods = {"GET", "PUT"}, .hosts = {}};
  EXPECT_THAT(hiders({{one_of("method", {"GET"})}, {begins("method", {"P"})}, {}}, methods), ElementsAre(0, 1));
  EXPECT_THAT(hiders({{one_of("method", {"PUT"})}, {begins("method", {"P"})}}, methods), ElementsAre(0));
  const Selector below{.path = {}, .path_prefix = "/v1", .methods = {}, .hosts = {}};
  EXPECT_THAT(hiders({{one_of("path", {"/v1"})}, {begins("path", {"/v1/"})}, {}}, below), ElementsAre(0, 1));
  EXPECT_THAT(hiders({{begins("path", {"/v1"})}, {}}, below), ElementsAre(0));
  EXPECT_THAT(hiders({{begins("path", {"/v1/"})}, {}}, below), IsEmpty());
  EXPECT_THAT(hiders({{begins("path", {"/v1/a"})}, {begins("path", {"/v1/"})}}, below), IsEmpty());
  const Selector exact{.path = "/a", .path_prefix = {}, .methods = {}, .hosts = {}};
  EXPECT_THAT(hiders({{begins("path", {"/"})}, {}}, exact), ElementsAre(0));
  const Selector hosts{.path = {}, .path_prefix = {}, .methods = {}, .hosts = {{"a.b", false}, {"c.b", false}}};
  EXPECT_THAT(hiders({{one_of("host", {"a.b"})}, {one_of("host", {"c.b"})}, {}}, hosts), ElementsAre(0, 1));
  const Selector wildcard{.path = {}, .path_prefix = {}, .methods = {}, .hosts = {{"a.b", false}, {"b", true}}};
  EXPECT_THAT(hiders({{one_of("host", {"a.b"})}, {}}, wildcard), IsEmpty());
}

TEST(Covering, MoreCombinationsThanTheBoundAreNotLookedAt) {
  const auto tiers = [](size_t count) {
    std::vector<Region> all;
    Texts values;
    for (size_t i = 0; i < count; ++i) {
      values.push_back(std::to_string(i));
      all.push_back({one_of("attr:a", {values.back()})});
    }
    all.push_back({one_of("attr:a", values)});
    return all;
  };
  EXPECT_EQ(hiders(tiers(kMostCells)).size(), kMostCells);
  EXPECT_THAT(hiders(tiers(kMostCells + 1)), IsEmpty());
}

TEST(Covering, AHoleBehindThousandsOfNeighboursIsNotOverlooked) {
  for (const size_t count : {4'000, 6'000}) {
    std::vector<Region> tiers;
    for (size_t i = 0; i < count; ++i) {
      tiers.push_back({within({"10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256)})});
    }
    tiers.push_back({within({"10.0.0.0/19"})});
    EXPECT_THAT(hiders(tiers), IsEmpty()) << count;
  }
}

TEST(Covering, TenThousandTiersOfManyCombinationsTakeLittleTime) {
  std::vector<Rule> rules;
  for (int i = 0; i < 100; ++i) rules.emplace_back().match = {one_of("attr:a", {std::to_string(i)})};
  for (int i = 0; i < 10'000; ++i) {
    Condition wide = one_of("attr:a", {});
    for (int value = 0; value < 100; ++value) wide.values.push_back(std::to_string(value));
    wide.values.push_back("own-" + std::to_string(i));
    rules.emplace_back().match = {std::move(wide)};
  }
  std::vector<const Rule*> pointers;
  for (const Rule& rule : rules) pointers.push_back(&rule);
  const CpuStopwatch stopwatch;
  EXPECT_THAT(find_hidden(pointers), IsEmpty());
  EXPECT_LT(stopwatch.seconds(), 20.0);
}

// A small world in which every request can be tried: all that conditions tell apart is in it.
constexpr const char* kTexts[] = {"", "a", "a~", "ab", "ab~", "b", "b~", "~"};
constexpr const char* kMethods[] = {"", "GET", "PUT", "~"};
constexpr const char* kAddresses[] = {"",         "1.1.1.1",  "10.0.0.0",  "10.0.0.1", "10.0.0.2", "10.0.0.3",
                                      "10.0.0.4", "11.1.1.1", "200.1.1.1", "::1",      "::2"};

struct TestRequest {
  std::string text;
  std::string method;
  std::string address;
};

bool fits(const Condition& condition, const TestRequest& request) {
  const bool is_method = condition.source.kind == KeyKind::kMethod;
  const bool is_address = condition.source.kind == KeyKind::kIp;
  const std::string& value = is_method ? request.method : is_address ? request.address : request.text;
  if (value.empty()) return false;
  if (is_address) {
    return std::any_of(condition.networks.begin(), condition.networks.end(),
                       [&](const Network& network) { return network.contains(*Address::parse(value)); });
  }
  return std::count(condition.values.begin(), condition.values.end(), value) > 0 ||
         std::any_of(condition.prefixes.begin(), condition.prefixes.end(),
                     [&](const std::string& prefix) { return value.starts_with(prefix); });
}

bool fits(const Rule& rule, const TestRequest& request) {
  return std::all_of(rule.match.begin(), rule.match.end(), [&](const Condition& each) { return fits(each, request); });
}

Texts some_of(const Texts& words) {
  Texts some;
  for (const std::string& word : words) {
    if (*rc::gen::inRange(0, 3) == 0) some.push_back(word);
  }
  if (some.empty()) some.push_back(*rc::gen::elementOf(words));
  return some;
}

Rule random_rule() {
  Rule rule;
  const auto happens = [] { return *rc::gen::arbitrary<bool>(); };
  if (happens()) {
    const Texts texts = some_of({"a", "ab", "b"});
    rule.match.push_back(happens() ? one_of("attr:x", texts) : begins("attr:x", texts));
  }
  if (happens()) rule.match.push_back(one_of("method", some_of({"GET", "PUT"})));
  if (happens()) {
    rule.match.push_back(within(some_of({"0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "10.0.0.0/30", "10.0.0.0/31",
                                         "10.0.0.2/31", "10.0.0.1", "::/0", "::1"})));
  }
  rule.priority = *rc::gen::inRange(0, 2);
  if (*rc::gen::inRange(0, 5) == 0) rule.mode = Mode::kShadow;
  return rule;
}

// Whether some request of the world comes to this tier.
bool is_reached(const std::vector<Rule>& rules, size_t tier, const Selector& selector) {
  const auto goes_before = [&](size_t other) {
    const Rule& earlier = rules[other];
    const Rule& later = rules[tier];
    const bool is_asked_first = earlier.priority != later.priority ? earlier.priority > later.priority : other < tier;
    return is_asked_first && (earlier.mode == Mode::kEnforce || later.mode == Mode::kShadow);
  };
  const auto is_taken = [&](const TestRequest& request) {
    for (size_t other = 0; other < rules.size(); ++other) {
      if (other != tier && goes_before(other) && fits(rules[other], request)) return true;
    }
    return false;
  };
  for (const char* method : kMethods) {
    if (!selector.methods.empty() && std::count(selector.methods.begin(), selector.methods.end(), method) == 0)
      continue;
    for (const char* text : kTexts) {
      for (const char* address : kAddresses) {
        const TestRequest request{text, method, address};
        if (fits(rules[tier], request) && !is_taken(request)) return true;
      }
    }
  }
  return false;
}

RC_GTEST_PROP(Covering, ATierIsHiddenExactlyIfNoRequestComesToIt, ()) {
  Selector selector;
  if (*rc::gen::arbitrary<bool>()) selector.methods = {"GET", "PUT"};
  std::vector<Rule> rules;
  for (int i = *rc::gen::inRange(2, 9); i > 0; --i) rules.push_back(random_rule());
  std::vector<const Rule*> pointers;
  for (const Rule& rule : rules) pointers.push_back(&rule);
  std::vector<bool> is_hidden(rules.size());
  for (const Hidden& hidden : find_hidden(pointers, selector)) is_hidden[hidden.hidden] = true;
  for (size_t tier = 0; tier < rules.size(); ++tier) RC_ASSERT(is_hidden[tier] != is_reached(rules, tier, selector));
}

}  // namespace
}  // namespace sluice::rules::language
