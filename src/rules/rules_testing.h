// For tests: rules and requests in a few words.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/explain.h"
#include "rules/matcher.h"

namespace sluice::rules::testing {

inline KeySource source(std::string_view text) { return KeySource::parse(text).value(); }
inline Condition is(std::string_view from, std::vector<std::string> values) {
  return {source(from), std::move(values), {}, {}};
}
inline Condition is_in(std::vector<std::string_view> networks) {
  Condition condition;
  for (const std::string_view network : networks) condition.networks.push_back(Network::parse(network).value());
  return condition;
}

inline Rule rule(std::string name, std::vector<std::string_view> limit_keys, std::vector<Condition> match = {}) {
  Rule rule;
  rule.name = std::move(name);
  for (const std::string_view key : limit_keys) rule.limit_keys.push_back(source(key));
  rule.match = std::move(match);
  return rule;
}

inline Policy policy(std::string id, std::vector<Rule> rules, Selector selector = {}) {
  return {std::move(id), std::move(selector), std::move(rules), {}};
}

// Owns the bytes of a request.
class TestRequest {
 public:
  TestRequest() = default;
  TestRequest(const TestRequest&) = delete;
  TestRequest& operator=(const TestRequest&) = delete;

  TestRequest& method(std::string_view text) { return set(request_.method, text); }
  TestRequest& path(std::string_view text) { return set(request_.path, text); }
  TestRequest& host(std::string_view text) { return set(request_.host, text); }
  TestRequest& ip(std::string_view text) { return set(request_.ip, text); }
  TestRequest& header(std::string_view name, std::string_view value) { return add(headers_, name, value); }
  TestRequest& query(std::string_view name, std::string_view value) { return add(query_, name, value); }
  TestRequest& attribute(std::string_view name, std::string_view value) { return add(attributes_, name, value); }
  TestRequest& cost(Tokens cost) {
    request_.cost = cost;
    return *this;
  }

  const Request& view() const { return request_; }

 private:
  std::string_view keep(std::string_view text) { return texts_.emplace_back(text); }
  TestRequest& set(std::string_view& part, std::string_view text) {
    part = keep(text);
    return *this;
  }
  TestRequest& add(std::vector<Field>& fields, std::string_view name, std::string_view value) {
    fields.push_back({keep(name), keep(value)});
    request_.headers = headers_;
    request_.query = query_;
    request_.attributes = attributes_;
    return *this;
  }

  std::deque<std::string> texts_;
  std::vector<Field> headers_;
  std::vector<Field> query_;
  std::vector<Field> attributes_;
  Request request_;
};

// Knows one token, `good`, and counts how often it is asked.
class TestClaims final : public ClaimSource {
 public:
  explicit TestClaims(Claims claims = {{{"org.id", "1"}, {"plan", "pro"}}}) : claims_(std::move(claims)) {}

  const Claims* claims_of(std::string_view token, int64_t) override {
    ++asked_;
    return token == "good" ? &claims_ : nullptr;
  }
  std::string why_not() const override { return "it is bad"; }
  int asked() const { return asked_; }

 private:
  Claims claims_;
  int asked_ = 0;
};

// A matcher with what it needs to be asked.
class TestMatcher {
 public:
  explicit TestMatcher(RuleSet rules) : rules_(std::make_shared<const RuleSet>(std::move(rules))), matcher_(rules_) {}

  Ruling match(const TestRequest& request) { return matcher_.match(request.view(), now_, &claims_, evaluation_); }
  // "policy|rule|value" of all that applies.
  std::vector<std::string> keys(const TestRequest& request) {
    match(request);
    std::vector<std::string> keys;
    for (const Application& application : evaluation_.applied()) keys.emplace_back(application.key);
    return keys;
  }
  Report explain(const TestRequest& request) { return rules::explain(*rules_, request.view(), now_, &claims_); }

  void set_time(int64_t unix_seconds) { now_.unix_us = unix_seconds * 1'000'000; }
  const Evaluation& evaluation() const { return evaluation_; }
  const TestClaims& claims() const { return claims_; }
  const RuleSet& rules() const { return *rules_; }

 private:
  std::shared_ptr<const RuleSet> rules_;
  Matcher matcher_;
  Evaluation evaluation_;
  TestClaims claims_;
  Now now_;
};

}  // namespace sluice::rules::testing
