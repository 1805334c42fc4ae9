// The matcher, which looks rules up, against explain(), which goes through all of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rules/explain.h"
#include "rules/matcher.h"
#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using rc::gen::element;
using rc::gen::inRange;
using testing::TestClaims;

bool one_in(int n) { return *inRange(0, n) == 0; }

template <class Make>
auto some(int most, const Make& make) {
  std::vector<decltype(make())> items;
  const int count = *inRange(0, most + 1);
  for (int i = 0; i < count; ++i) items.push_back(make());
  return items;
}

// Few words, so that rules and requests meet.
std::string any_word() { return *element<std::string>("a", "b", "ab", "abc", "b%", "a|b", "pro", "free", "", "1"); }
std::string any_path() {
  return *element<std::string>("/", "/a", "/a/b", "/a/b/c", "/ab", "/b", "/b/a", "/%7C", "/a%2Fb", "/a/b/a/b");
}
std::string any_host() {
  return *element<std::string>("a.com", "b.a.com", "c.b.a.com", "com", "b.com", "a.com.b", ".a.com", "");
}
std::string any_method() { return *element<std::string>("GET", "POST", "PUT"); }
std::string any_address() {
  return *element<std::string>("10.0.0.1", "10.0.1.1", "10.1.0.1", "192.168.0.1", "2001:db8::1", "2001:db8:1::1",
                               "::1");
}
Network any_network() {
  const Address address = *Address::parse(any_address());
  const int bits = *element(0, 8, 16, 23, 24, 32, 48, 64, 128);
  return {address.masked(std::min(bits, address.bits())), std::min(bits, address.bits())};
}
KeySource any_source() {
  return *KeySource::parse(*element<std::string_view>("ip:address", "ip:address/24", "ip:address/16/48", "header:x-a",
                                                      "header:x-b", "query:q", "cookie:c", "jwt:plan", "jwt:org.id",
                                                      "attr:plan", "attr:user", "path", "method", "host"));
}
std::string any_value_of(const KeySource& source) {
  if (one_in(6)) return any_word();
  switch (source.kind) {
    case KeyKind::kPath: return any_path();
    case KeyKind::kHost: return any_host();
    case KeyKind::kMethod: return any_method();
    case KeyKind::kIp:
      return *element<std::string>("10.0.0.1", "10.0.0.0/24", "10.0.0.0/16", "2001:db8::/64", "2001:db8::1", "10.");
    default: return any_word();
  }
}

Condition any_condition() {
  Condition condition;
  condition.source = any_source();
  const auto value = [&] { return any_value_of(condition.source); };
  const int form = *inRange(0, condition.source == KeySource{} ? 4 : 3);
  if (form < 2) condition.values = some(form == 0 ? 0 : 12, value);
  if (form == 2) condition.prefixes = some(12, value);
  if (form == 3) condition.networks = some(12, any_network);
  if (form < 2 && condition.values.empty()) condition.values.push_back(value());
  if (form == 2 && condition.prefixes.empty()) condition.prefixes.push_back(value());
  if (form == 3 && condition.networks.empty()) condition.networks.push_back(any_network());
  return condition;
}

Selector any_selector() {
  Selector selector;
  if (one_in(4)) selector.path = any_path();
  if (one_in(3)) selector.path_prefix = any_path();
  if (one_in(4)) selector.methods = some(2, any_method);
  if (one_in(4)) {
    selector.hosts = some(4, [] { return HostPattern{any_host(), one_in(2)}; });
  }
  return selector;
}

Rule any_rule(int number) {
  Rule rule;
  rule.name = *element<std::string>("r", "r|", "%") + std::to_string(number);
  rule.mode = one_in(4) ? Mode::kShadow : Mode::kEnforce;
  rule.priority = *element(0, 0, 0, 1, -1);
  rule.limit_keys = some(2, any_source);
  rule.match = some(2, any_condition);
  rule.on_missing_key = one_in(8) ? OnMissingKey::kDeny : one_in(3) ? OnMissingKey::kSkip : OnMissingKey::kShare;
  if (one_in(3)) rule.cost.source = KeySource{KeyKind::kHeader, "x-cost"};
  rule.cost.fixed = Tokens::whole(*inRange(1, 4));
  rule.cost.fallback = Tokens::whole(7);
  if (one_in(2)) rule.cost.most = Tokens::whole(9);
  return rule;
}

KillSwitch any_kill_switch() {
  KillSwitch kill_switch{any_condition(), std::nullopt, "because"};
  if (one_in(2)) kill_switch.expires_at_us = *inRange(0, 3);
  return kill_switch;
}

std::shared_ptr<const RuleSet> any_rules() {
  auto rules = std::make_shared<RuleSet>();
  // Many now and then, so that many share a key of the index.
  const int policies = one_in(10) ? *inRange(20, 50) : *inRange(1, 5);
  for (int i = 0; i < policies; ++i) {
    Policy policy{"p" + std::to_string(i), any_selector(), {}, {}};
    const int count = *inRange(0, 7);
    for (int j = 0; j < count; ++j) policy.rules.push_back(any_rule(j));
    if (one_in(5)) policy.kill_switches = some(2, any_kill_switch);
    rules->policies.push_back(std::move(policy));
  }
  if (one_in(5)) rules->kill_switches = some(2, any_kill_switch);
  if (one_in(3)) rules->trusted_proxies = some(3, any_network);
  rules->trusts_unix = one_in(3);
  if (one_in(2)) rules->forwarded_header = ForwardedHeader::kForwarded;
  return rules;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Owns the bytes of a request.
struct OwnedRequest {
  Pairs headers = any_headers();
  Pairs query = some(2, [] { return std::pair(*element<std::string>("q", "Q", "z"), any_word()); });
  Pairs attributes = some(3, [] { return std::pair(*element<std::string>("plan", "user", "Plan"), any_word()); });
  std::string method = *element<std::string>("GET", "get", "POST", "");
  std::string path = any_path() + *element<std::string>("", "", "/", "?q=1", "//", "/x");
  std::string host = any_host() + *element<std::string>("", ":80", ".");
  std::string ip = one_in(9) ? *element<std::string>("none", "unix") : any_address();
  std::optional<Tokens> cost = one_in(5) ? std::optional(Tokens::whole(3)) : std::nullopt;
  std::vector<Field> header_fields;
  std::vector<Field> query_fields;
  std::vector<Field> attribute_fields;

  static Pairs any_headers() {
    return some(6, [] {
      const auto name = *element<std::string>("X-A", "x-b", "X-Cost", "Cookie", "Authorization", "X-Forwarded-For",
                                              "Forwarded", "accept");
      if (name == "X-Cost") return std::pair(name, *element<std::string>("5", "0", "nan", "100", "2.5", ""));
      if (name == "Cookie") return std::pair(name, "x=1; c=" + any_word());
      if (name == "Authorization") return std::pair(name, *element<std::string>("Bearer good", "Bearer bad", "x"));
      if (name == "X-Forwarded-For") return std::pair(name, any_address() + ", " + any_address());
      if (name == "Forwarded") return std::pair(name, "for=\"[" + any_address() + "]\", for=" + any_address());
      return std::pair(name, any_word());
    });
  }

  Request view() {
    const auto view_of = [](const Pairs& pairs, std::vector<Field>& fields) {
      for (const auto& [name, value] : pairs) fields.push_back({name, value});
    };
    view_of(headers, header_fields);
    view_of(query, query_fields);
    view_of(attributes, attribute_fields);
    return {method, path, host, ip, header_fields, query_fields, attribute_fields, cost};
  }
};

void expect_agreement(const Ruling ruling, const Evaluation& evaluation, const Report& report) {
  RC_ASSERT(ruling == report.ruling);
  RC_ASSERT(evaluation.kill_switch() == report.kill_switch);
  RC_ASSERT(evaluation.denied_by().rule == report.denied_by);
  size_t i = 0;
  for (const RuleReport& rule : report.rules) {
    RC_ASSERT(!rule.why.empty());
    if (!rule.applies) continue;
    RC_ASSERT(i < evaluation.applied().size());
    const Application& application = evaluation.applied()[i++];
    RC_ASSERT(application.policy == rule.policy);
    RC_ASSERT(application.rule == rule.rule);
    RC_ASSERT(application.key == rule.key);
    RC_ASSERT(application.cost.micros() == rule.cost.micros());
  }
  RC_ASSERT(i == evaluation.applied().size());
}

void expect_agreement_on_requests(const std::shared_ptr<const RuleSet>& rules) {
  const Matcher matcher(rules);
  Evaluation evaluation;
  for (int i = 0; i < 8; ++i) {
    OwnedRequest owned;
    const Request request = owned.view();
    const Now now{Instant(0), *inRange(0, 3)};
    TestClaims claims;
    TestClaims again;
    ClaimSource* const asked = i % 4 == 3 ? nullptr : &claims;
    const Ruling ruling = matcher.match(request, now, asked, evaluation);
    RC_ASSERT(claims.asked() <= 1);
    const Report report = explain(*rules, request, now, asked == nullptr ? nullptr : &again);
    expect_agreement(ruling, evaluation, report);
  }
}

RC_GTEST_PROP(Agreement, TheMatcherFindsWhatGoingThroughAllRulesFinds, ()) {
  expect_agreement_on_requests(any_rules());
}

// Few sources with long lists, so that indexes are within indexes, and the same one behind several keys.
Rule any_rule_of_lists(int number) {
  Rule rule = any_rule(number);
  rule.match.clear();
  for (const char* from : {"attr:plan", "header:x-a", "method", "ip:address"}) {
    if (one_in(4)) continue;
    Condition condition;
    condition.source = *KeySource::parse(from);
    const auto value = [&] { return any_value_of(condition.source); };
    if (condition.source == KeySource{}) {
      condition.networks = some(8, any_network);
      condition.networks.push_back(any_network());
    } else {
      condition.values = some(8, value);
      condition.values.push_back(value());
    }
    rule.match.push_back(std::move(condition));
  }
  return rule;
}

RC_GTEST_PROP(Agreement, ItDoesWhereManyRulesShareListsOfValues, ()) {
  auto rules = std::make_shared<RuleSet>();
  std::vector<std::vector<HostPattern>> groups;
  for (int i = 0; i < 3; ++i) groups.push_back(some(7, [] { return HostPattern{any_host(), one_in(2)}; }));
  const int count = *inRange(20, 80);
  for (int i = 0; i < count; ++i) {
    Selector selector;
    selector.hosts = *rc::gen::elementOf(groups);
    if (!one_in(3)) selector.path_prefix = *element<std::string>("/a", "/b", "/a/b");
    rules->policies.push_back({"p" + std::to_string(i), selector, {any_rule_of_lists(0), any_rule_of_lists(1)}, {}});
  }
  expect_agreement_on_requests(rules);
}

}  // namespace
}  // namespace sluice::rules
