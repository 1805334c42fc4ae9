#include "scenario/rules_home.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "rules/model.h"

namespace sluice::scenario {
namespace {

rules::KeySource source(const std::string& text) { return *rules::KeySource::parse(text); }

// Applies to requests that bring a key for it; each brings its own cost.
rules::Rule rule_for(const std::string& name, const Limit& limit) {
  rules::Rule rule;
  rule.name = name;
  rule.limit_keys = {source("attr:" + name)};
  rule.limits = {limit};
  rule.cost.source = source("header:cost-" + name);
  rule.on_missing_key = rules::OnMissingKey::kSkip;
  return rule;
}

// The verdict that a reason stands for.
Verdict verdict_of(const limiter::Answer& answer) {
  switch (answer.reason) {
    case limiter::Reason::kNone: return Verdict::kAllowed;
    case limiter::Reason::kExceeded: return Verdict::kLimited;
    case limiter::Reason::kCostExceedsCapacity: return Verdict::kCostExceedsCapacity;
    default: std::abort();  // No scenario of limits alone ends so.
  }
}

}  // namespace

std::string RulesHome::text_of(Tokens tokens) {
  char text[40];
  std::snprintf(text, sizeof(text), "%lld.%06lld", static_cast<long long>(tokens.micros() / Tokens::kMicrosPerToken),
                static_cast<long long>(tokens.micros() % Tokens::kMicrosPerToken));
  return text;
}

RulesHome::RulesHome()
    : store_(std::move(*memory::MemoryStore::create({}))), limiter_({*store_, *store_, {}}), worker_(limiter_) {}

void RulesHome::define(const NamedLimit& limit) {
  const auto known =
      std::find_if(limits_.begin(), limits_.end(), [&](const auto& one) { return one.name == limit.name; });
  if (known == limits_.end()) {
    limits_.push_back(limit);
  } else {
    known->limit = limit.limit;
  }
  load();
}

void RulesHome::order_as(std::span<const Take> takes) {
  const auto place = [&](const NamedLimit& limit) {
    return std::find_if(takes.begin(), takes.end(), [&](const Take& take) { return take.limit_name == limit.name; });
  };
  const auto is_before = [&](const NamedLimit& a, const NamedLimit& b) { return place(a) < place(b); };
  if (std::is_sorted(limits_.begin(), limits_.end(), is_before)) return;
  std::stable_sort(limits_.begin(), limits_.end(), is_before);
  load();
}

void RulesHome::load() {
  rules::RuleSet rules;
  rules.policies.emplace_back().id = "scenario";
  for (const NamedLimit& one : limits_) rules.policies[0].rules.push_back(rule_for(one.name, one.limit));
  limiter_.set_rules(std::make_shared<const rules::RuleSet>(std::move(rules)));
}

Answer RulesHome::take(std::span<const Take> takes, Instant now) { return ask(takes, now, stores::Action::kTake); }

Answer RulesHome::peek(std::span<const Take> takes, Instant now) { return ask(takes, now, stores::Action::kPeek); }

void RulesHome::refund(std::span<const Take> takes, Instant now) { ask(takes, now, stores::Action::kRefund); }

Answer RulesHome::ask(std::span<const Take> takes, Instant now, stores::Action action) {
  order_as(takes);
  std::vector<std::string> names;
  std::vector<std::string> costs;
  for (const Take& take : takes) {
    names.push_back("cost-" + take.limit_name);
    costs.push_back(text_of(take.cost));
  }
  std::vector<rules::Field> attributes;
  std::vector<rules::Field> headers;
  for (size_t i = 0; i < takes.size(); ++i) {
    attributes.push_back({takes[i].limit_name, takes[i].key});
    headers.push_back({names[i], costs[i]});
  }
  rules::Request request;
  request.attributes = attributes;
  request.headers = headers;
  worker_.decide(check_, request, {now, 0}, action);
  const limiter::Answer& answer = check_.answer();
  if (action == stores::Action::kRefund) return {};
  if (answer.buckets.size() != takes.size()) std::abort();
  uint32_t named = 0;
  while (takes[named].limit_name != answer.tightest->rule) ++named;
  const limiter::BucketAnswer& bucket = *answer.tightest;
  return {{verdict_of(answer), bucket.remaining, answer.retry_after, answer.delay, named}, bucket.reset_after};
}

}  // namespace sluice::scenario
