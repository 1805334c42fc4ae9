#include "rules/compiled_rules.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "rules/bucket_key.h"

namespace sluice::rules {
namespace {

const Selector kAnyRequest;

// The places of a policy's rules in the order in which they are asked.
std::vector<size_t> by_priority(const Policy& policy) {
  std::vector<size_t> places(policy.rules.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return policy.rules[a].priority > policy.rules[b].priority; });
  return places;
}

std::vector<const Condition*> conditions_of(const Entry& entry) {
  if (entry.kill_switch != nullptr) return {&entry.kill_switch->condition};
  std::vector<const Condition*> conditions;
  for (const Condition& condition : entry.rule->match) conditions.push_back(&condition);
  return conditions;
}

}  // namespace

CompiledRules::CompiledRules(const RuleSet& rules) {
  plan_.trusted_proxies = TrustedProxies(rules);
  plan_.forwarded_header = rules.forwarded_header;
  selectors_.emplace_back(kAnyRequest, texts_);
  add_kill_switches(rules.kill_switches, nullptr, 0);
  for (size_t i = 0; i < rules.policies.size(); ++i) {
    add_kill_switches(rules.policies[i].kill_switches, &rules.policies[i], static_cast<uint32_t>(i + 1));
  }
  for (const Policy& policy : rules.policies) {
    selectors_.emplace_back(policy.selector, texts_);
    add_rules(policy, static_cast<uint32_t>(selectors_.size() - 1));
  }
  build_index();
}

void CompiledRules::add_kill_switches(const std::vector<KillSwitch>& kill_switches, const Policy* policy,
                                      uint32_t selector) {
  for (const KillSwitch& kill_switch : kill_switches) {
    Entry entry;
    entry.policy = policy;
    entry.kill_switch = &kill_switch;
    entry.selector = selector;
    add_conditions(conditions_of(entry), entry);
    entries_.push_back(entry);
  }
}

void CompiledRules::add_conditions(const std::vector<const Condition*>& conditions, Entry& entry) {
  entry.first_condition = static_cast<uint32_t>(conditions_.size());
  entry.conditions = static_cast<uint32_t>(conditions.size());
  for (const Condition* condition : conditions) {
    conditions_.emplace_back(*condition, plan_.sources.add(condition->source), texts_);
  }
}

void CompiledRules::add_rules(const Policy& policy, uint32_t selector) {
  const auto first = static_cast<uint32_t>(entries_.size());
  for (const size_t place : by_priority(policy)) {
    Entry entry;
    entry.policy = &policy;
    entry.rule = &policy.rules[place];
    entry.selector = selector;
    entry.order = rules_in_file_ + static_cast<uint32_t>(place);
    add_rule(entry);
  }
  rules_in_file_ += static_cast<uint32_t>(policy.rules.size());
  add_tiers(first);
}

void CompiledRules::add_rule(Entry& entry) {
  const Rule& rule = *entry.rule;
  entry.key_prefix = texts_.keep(key_prefix(entry.policy->id, rule.name));
  entry.on_missing_key = rule.on_missing_key;
  entry.is_enforced = rule.mode == Mode::kEnforce;
  add_conditions(conditions_of(entry), entry);
  add_keys(rule, entry);
  if (rule.cost.source) entry.cost_source = plan_.sources.add(*rule.cost.source);
  entry.fixed_cost = rule.cost.fixed;
  entries_.push_back(entry);
}

void CompiledRules::add_keys(const Rule& rule, Entry& entry) {
  std::vector<SourceId> ids;
  for (const KeySource& source : rule.limit_keys) ids.push_back(plan_.sources.add(source));
  entry.keys = static_cast<uint32_t>(ids.size());
  if (ids.size() <= Entry::kKeysInPlace) {
    std::copy(ids.begin(), ids.end(), entry.few_keys.begin());
  } else {
    entry.many_keys = static_cast<uint32_t>(many_keys_.size());
    many_keys_.insert(many_keys_.end(), ids.begin(), ids.end());
  }
}

void CompiledRules::add_tiers(uint32_t first_entry) {
  std::map<std::vector<SourceId>, std::vector<uint32_t>> limits;
  for (auto number = first_entry; number < entries_.size(); ++number) {
    const auto sources = keys(entries_[number]);
    std::vector<SourceId> set(sources.begin(), sources.end());
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    limits[set].push_back(number);
  }
  for (const auto& [set, numbers] : limits) {
    if (numbers.size() < 2) continue;
    for (const uint32_t number : numbers) entries_[number].tiers = tier_groups_;
    ++tier_groups_;
  }
}

void CompiledRules::build_index() {
  std::vector<std::vector<Anchor>> anchors;
  for (const Entry& entry : entries_) {
    const Selector& selector = entry.policy == nullptr ? kAnyRequest : entry.policy->selector;
    anchors.push_back(anchors_of(selector, conditions_of(entry), plan_.sources));
    // One that is left out where a key is missing. A tier is not: it may come before another all the same.
    if (entry.rule == nullptr || entry.on_missing_key != OnMissingKey::kSkip || entry.tiers != kNoTiers) continue;
    for (const SourceId source : keys(entry)) {
      if (has_name(plan_.sources[source])) anchors.back().push_back(anchor_of_presence(source));
    }
  }
  index_.emplace(anchors, plan_.sources);
}

}  // namespace sluice::rules
