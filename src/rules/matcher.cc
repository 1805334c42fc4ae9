#include "rules/matcher.h"

#include <algorithm>

#include "rules/compiled_rules.h"
#include "rules/cost.h"
#include "rules/evaluation_memory.h"

namespace sluice::rules {
namespace {

// One match under way.
class Match {
 public:
  Match(const CompiledRules& rules, const Request& request, const Now& now, EvaluationMemory& memory)
      : rules_(rules), request_(request), now_(now), memory_(memory) {}

  Ruling run() {
    rules_.index().find(memory_.reader, memory_.candidates);
    for (const uint32_t number : memory_.candidates) {
      const Entry& entry = rules_.entry(number);
      if (entry.rule == nullptr) {
        ask_kill_switch(entry);
        continue;
      }
      if (memory_.kill_switch != nullptr) break;
      const Ruling ruling = ask_rule(entry);
      if (ruling == Ruling::kAsk) continue;
      memory_.applied.clear();
      memory_.denied_in_shadow.clear();
      return ruling;
    }
    if (memory_.kill_switch != nullptr) {
      memory_.denied_in_shadow.clear();
      return Ruling::kKilled;
    }
    finish();
    return Ruling::kAsk;
  }

 private:
  // Of several the one that lasts longest: its end is what the caller has to wait for.
  void ask_kill_switch(const Entry& entry) {
    const KillSwitch& asked = *entry.kill_switch;
    if (asked.has_expired(now_.unix_us) || !holds(entry)) return;
    if (memory_.kill_switch != nullptr && !asked.outlasts(*memory_.kill_switch)) return;
    memory_.kill_switch = &asked;
    memory_.killed_source = rules_.conditions(entry).front().source();
  }

  Ruling ask_rule(const Entry& entry) {
    if (is_outranked(entry) || !holds(entry)) return Ruling::kAsk;
    take_tier(entry);
    const size_t key_begin = memory_.keys.size();
    memory_.keys.append_prefix(entry.key_prefix, entry.keys);
    for (const SourceId source : rules_.keys(entry)) {
      const std::string_view value = memory_.reader.key_value(source);
      if (value.empty() && entry.on_missing_key != OnMissingKey::kShare) {
        memory_.keys.cut(key_begin);
        return ask_missing(entry);
      }
      memory_.keys.append_value(value);
    }
    const auto application = static_cast<uint32_t>(memory_.applied.size());
    memory_.applied.push_back({entry.policy, entry.rule, {}, cost_of_entry(entry)});
    memory_.places.push_back({entry.order, application, key_begin, memory_.keys.size()});
    return Ruling::kAsk;
  }

  Ruling ask_missing(const Entry& entry) {
    if (entry.on_missing_key != OnMissingKey::kDeny) return Ruling::kAsk;
    if (!entry.is_enforced) {
      memory_.denied_in_shadow.push_back({entry.policy, entry.rule, {}, {}});
      return Ruling::kAsk;
    }
    memory_.denied_by = {entry.policy, entry.rule, {}, {}};
    return Ruling::kMissingKey;
  }

  bool holds(const Entry& entry) {
    if (entry.selector != last_selector_) {
      last_selector_ = entry.selector;
      last_selector_holds_ = rules_.selector(entry).holds(memory_.reader);
    }
    if (!last_selector_holds_) return false;
    for (const PreparedCondition& condition : rules_.conditions(entry)) {
      if (!condition.holds(memory_.reader)) return false;
    }
    return true;
  }

  // A shadow rule takes no place from an enforced one; what it would do is judged as if it were enforced.
  bool is_outranked(const Entry& entry) const {
    if (entry.tiers == kNoTiers) return false;
    const auto& chosen = memory_.tiers[entry.tiers];
    return (entry.is_enforced ? chosen.enforced : chosen.any) == memory_.round;
  }

  void take_tier(const Entry& entry) {
    if (entry.tiers == kNoTiers) return;
    auto& chosen = memory_.tiers[entry.tiers];
    chosen.any = memory_.round;
    if (entry.is_enforced) chosen.enforced = memory_.round;
  }

  Tokens cost_of_entry(const Entry& entry) {
    if (request_.cost) return *request_.cost;
    if (entry.cost_source == kNoSource) return entry.fixed_cost;
    auto& parsed = memory_.parsed_costs[entry.cost_source];
    if (parsed.round != memory_.round) parsed = {memory_.round, parse_cost(memory_.reader.value(entry.cost_source))};
    return cost_from_source(entry.rule->cost, parsed.cost);
  }

  void finish() {
    auto& applied = memory_.applied;
    for (size_t i = 0; i < applied.size(); ++i) {
      applied[i].key = memory_.keys.text(memory_.places[i].key_begin, memory_.places[i].key_end);
    }
    const auto is_before = [](const auto& a, const auto& b) { return a.order < b.order; };
    if (!std::is_sorted(memory_.places.begin(), memory_.places.end(), is_before)) sort_by(is_before);
  }

  template <class IsBefore>
  void sort_by(const IsBefore& is_before) {
    std::sort(memory_.places.begin(), memory_.places.end(), is_before);
    memory_.unsorted.swap(memory_.applied);
    memory_.applied.clear();
    for (const auto& place : memory_.places) memory_.applied.push_back(memory_.unsorted[place.application]);
  }

  const CompiledRules& rules_;
  const Request& request_;
  const Now& now_;
  EvaluationMemory& memory_;
  uint32_t last_selector_ = UINT32_MAX;
  bool last_selector_holds_ = false;
};

void prepare(EvaluationMemory& memory, const CompiledRules& rules) {
  ++memory.round;
  if (memory.tiers.size() < rules.tier_groups()) memory.tiers.resize(rules.tier_groups());
  if (memory.parsed_costs.size() < rules.plan().sources.size()) memory.parsed_costs.resize(rules.plan().sources.size());
  memory.keys.clear();
  memory.places.clear();
  memory.applied.clear();
  memory.kill_switch = nullptr;
  memory.denied_by = {};
  memory.denied_in_shadow.clear();
}

}  // namespace

struct Matcher::Parts {
  explicit Parts(std::shared_ptr<const RuleSet> set) : rules(std::move(set)), compiled(*rules) {}

  std::shared_ptr<const RuleSet> rules;
  CompiledRules compiled;
};

Matcher::Matcher(std::shared_ptr<const RuleSet> rules) : parts_(std::make_unique<const Parts>(std::move(rules))) {}
Matcher::~Matcher() = default;

const RuleSet& Matcher::rules() const { return *parts_->rules; }

Ruling Matcher::match(const Request& request, const Now& now, ClaimSource* claims, Evaluation& evaluation) const {
  EvaluationMemory& memory = *evaluation.memory_;
  prepare(memory, parts_->compiled);
  memory.reader.begin(parts_->compiled.plan(), request, now, claims);
  return Match(parts_->compiled, request, now, memory).run();
}

}  // namespace sluice::rules
