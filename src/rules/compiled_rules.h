// A rule set prepared for matching: every kill switch and rule is an entry, numbered in the order they are asked in.
// Immutable. Views into the rule set, which its owner keeps alive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rules/conditions.h"
#include "rules/match_index.h"
#include "rules/model.h"

namespace sluice::rules {

inline constexpr uint32_t kNoTiers = UINT32_MAX;

// First the kill switches (those for all, then policy by policy), then the rules: policy by policy, of a policy by
// priority, then in the order of the file.
//
// All that a match needs of most rules is in here and in two more places: the selector, and the texts of both. It is
// memory that is waited for when there are many rules.
struct alignas(64) Entry {
  static constexpr size_t kKeysInPlace = 3;

  const Policy* policy = nullptr;           // none: a kill switch for all
  const Rule* rule = nullptr;               // of a rule
  const KillSwitch* kill_switch = nullptr;  // of a kill switch
  std::string_view key_prefix;
  uint32_t selector = 0;
  uint32_t first_condition = 0;
  uint32_t conditions = 0;
  std::array<SourceId, kKeysInPlace> few_keys{};
  uint32_t many_keys = 0;  // where they are instead if there are more
  uint32_t keys = 0;
  uint32_t tiers = kNoTiers;  // which limit it is a tier of, if there are others
  uint32_t order = 0;         // of its rule in the file
  SourceId cost_source = kNoSource;
  // What the rule says, here so that a match need not go there.
  OnMissingKey on_missing_key = OnMissingKey::kShare;
  bool is_enforced = true;
  Tokens fixed_cost;
};

class CompiledRules {
 public:
  explicit CompiledRules(const RuleSet& rules);

  const ReadingPlan& plan() const { return plan_; }
  const MatchIndex& index() const { return *index_; }
  const Entry& entry(uint32_t number) const { return entries_[number]; }
  const PreparedSelector& selector(const Entry& entry) const { return selectors_[entry.selector]; }
  std::span<const PreparedCondition> conditions(const Entry& entry) const {
    return std::span(conditions_).subspan(entry.first_condition, entry.conditions);
  }
  std::span<const SourceId> keys(const Entry& entry) const {
    if (entry.keys <= Entry::kKeysInPlace) return std::span(entry.few_keys).first(entry.keys);
    return std::span(many_keys_).subspan(entry.many_keys, entry.keys);
  }
  uint32_t tier_groups() const { return tier_groups_; }

 private:
  void add_kill_switches(const std::vector<KillSwitch>& kill_switches, const Policy* policy, uint32_t selector);
  void add_rules(const Policy& policy, uint32_t selector);
  void add_rule(Entry& entry);
  void add_conditions(const std::vector<const Condition*>& conditions, Entry& entry);
  void add_keys(const Rule& rule, Entry& entry);
  void add_tiers(uint32_t first_entry);
  void build_index();

  TextMemory texts_;
  ReadingPlan plan_;
  std::vector<Entry> entries_;
  std::vector<PreparedSelector> selectors_;  // 0 holds for all requests
  std::vector<PreparedCondition> conditions_;
  std::vector<SourceId> many_keys_;
  uint32_t tier_groups_ = 0;
  uint32_t rules_in_file_ = 0;
  std::optional<MatchIndex> index_;
};

}  // namespace sluice::rules
