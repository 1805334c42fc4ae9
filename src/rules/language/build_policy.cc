#include "rules/language/build_policy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "documents/utc_time.h"
#include "rules/language/build_condition.h"
#include "rules/language/build_rule.h"
#include "rules/language/build_selector.h"
#include "rules/language/check.h"
#include "rules/language/fields.h"
#include "rules/language/reach.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Node;

// The rules of one policy, with the places where they stand.
class RulesBuilder {
 public:
  RulesBuilder(std::span<const Written> list, Faults& faults) : list_(list), faults_(faults) {}

  // `reach` is the selector as far as it can be relied on.
  std::vector<Rule> build(const Selector& reach, Mode mode) {
    for (const Written& written : list_) {
      const Node& node = *written.node;
      const bool is_row = &form_of(node, kRuleSpec) == &kTableRowSpec;
      BuiltRule built = is_row ? build_table_row(node, written.path, faults_) : build_rule(node, written.path, faults_);
      if (mode == Mode::kShadow) built.rule.mode = Mode::kShadow;
      built.rule.row_id = written.path.row_id();
      check_name(written, built.rule);
      if (built.is_whole) check_match(written, built.rule, reach);
      built_.push_back(std::move(built));
    }
    report_hidden(reach);
    return take_active();
  }

 private:
  void check_name(const Written& written, const Rule& rule) {
    if (rule.name.empty()) return;
    const auto [first, is_new] = names_.emplace(rule.name, &written);
    if (is_new) return;
    faults_.add(
        written.node->position, written.path,
        {"the rule " + quote(rule.name) + " is there twice, the first time " + first->second->place(written.path),
         "a rule's name is unique within its policy"});
  }

  void check_match(const Written& written, const Rule& rule, const Selector& selector) {
    for (const Condition& condition : rule.match) {
      if (auto problem = contradiction(selector, condition)) {
        faults_.add(written.node->position, written.path,
                    {"the rule " + quote(rule.name) + " can never apply: " + problem->message,
                     "change " + quote(condition.source.text()) + " or the selector"});
      }
    }
  }

  void report_hidden(const Selector& selector) {
    std::vector<const Rule*> rules;
    std::vector<const Written*> places;
    for (size_t i = 0; i < built_.size(); ++i) {
      if (!built_[i].is_whole || !built_[i].is_active) continue;
      rules.push_back(&built_[i].rule);
      places.push_back(&list_[i]);
    }
    for (const Hidden& hidden : find_hidden(rules, selector)) {
      const Written& place = *places[hidden.hidden];
      const Rule& first = *rules[hidden.by.front()];
      const bool is_one = hidden.by.size() == 1;
      std::vector<std::string> names;
      for (const size_t by : hidden.by) names.push_back(quote(rules[by]->name) + " " + places[by]->place(place.path));
      faults_.add(place.node->position, place.path,
                  {"the rule " + quote(rules[hidden.hidden]->name) + " can never apply: " +
                       (is_one ? "the rule " + names[0] + " has the same limit_keys, is asked first, and holds"
                               : "the rules " + enumeration(std::move(names)) +
                                     " have the same limit_keys, are asked first, and one of them holds") +
                       " whenever it does",
                   is_one ? how_to_unhide(place, first, places[hidden.by.front()]->path.file()) : kUnhideFromMany});
    }
  }

  static constexpr const char* kUnhideFromMany =
      "rules with the same limit_keys are tiers of one limit: leave this one out, or let its match name what "
      "the others do not";

  // "a, b and 3 others".
  static std::string enumeration(std::vector<std::string> names) {
    constexpr size_t kMostNames = 4;
    if (names.size() > kMostNames) {
      const size_t others = names.size() - kMostNames + 1;
      names.resize(kMostNames - 1);
      names.push_back(std::to_string(others) + " others");
    }
    std::string text = names.front();
    for (size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " and ") + names[i];
    return text;
  }

  static std::string how_to_unhide(const Written& hidden, const Rule& by, std::string_view file_of_by) {
    if (hidden.path.is_row()) {
      return "rules with the same limit_keys are tiers of one limit, asked by priority and then by row: give this one "
             "a plan or a match of its own, or switch one of the two off";
    }
    const std::string order = hidden.path.file() == file_of_by ? "" : "files go in the order of their names: ";
    return order + (by.match.empty() ? "put the rule without match last"
                                     : "put the narrower rule first, or give it a higher priority");
  }

  std::vector<Rule> take_active() {
    std::vector<Rule> rules;
    for (BuiltRule& built : built_) {
      if (built.is_active) rules.push_back(std::move(built.rule));
    }
    return rules;
  }

  std::span<const Written> list_;
  Faults& faults_;
  std::vector<BuiltRule> built_;  // in the order of the list
  std::map<std::string, const Written*> names_;
};

// In unix microseconds.
std::optional<int64_t> expiry_of(const Fields& fields, const Path& path, Faults& faults) {
  const Node* value = fields.value("expires_at");
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::kNumber) return static_cast<int64_t>(std::ceil(value->number * 1e6));
  if (const auto micros = documents::parse_time_us(value->text)) return *micros;
  faults.add(value->position, Path(path, "expires_at"),
             {"expires_at must be a time such as 2030-01-31T12:00:00Z or unix seconds, but is " + found(*value),
              "date, T, time, then Z or an offset such as +02:00"});
  return std::nullopt;
}

// Of lists with faults some items are left out: such a selector may let through more than it says.
Selector reach_of(const Selector& selector, const Fields& fields) {
  Selector reach = selector;
  const Node* written = fields.value("selector");
  if (written == nullptr) return reach;
  const Fields parts(*written, kSelectorSpec);
  const Node* methods = parts.value("methods");
  const Node* hosts = parts.value("hosts");
  if (methods == nullptr || methods->items.size() != reach.methods.size()) reach.methods.clear();
  if (hosts == nullptr || hosts->items.size() != reach.hosts.size()) reach.hosts.clear();
  return reach;
}

Policy build_policy(const Node& node, const Path& path, Faults& faults) {
  const Fields fields(node, kPolicySpec);
  Policy policy;
  policy.id = fields.text("id");
  if (fields.value("id") != nullptr) {
    if (auto problem = bad_name("id", policy.id, "")) {
      faults.add(fields.position("id"), Path(path, "id"), *std::move(problem));
    }
  }
  if (const Node* selector = fields.value("selector")) {
    policy.selector = build_selector(*selector, Path(path, "selector"), faults);
  }
  const Mode mode = fields.text("mode") == "shadow" ? Mode::kShadow : Mode::kEnforce;
  if (const Node* rules = fields.value("rules")) {
    const Path rules_path(path, "rules");
    const Selector reach = reach_of(policy.selector, fields);
    policy.rules = RulesBuilder(items_of(*rules, rules_path), faults).build(reach, mode);
  }
  if (const Node* switches = fields.value("kill_switches")) {
    policy.kill_switches = build_kill_switches(*switches, Path(path, "kill_switches"), faults);
    // What is in shadow denies nothing.
    if (mode == Mode::kShadow) policy.kill_switches.clear();
  }
  return policy;
}

Policy build_default_policy(std::span<const Written> rules, Faults& faults) {
  Policy policy;
  policy.id = kDefaultPolicy;
  policy.rules = RulesBuilder(rules, faults).build(policy.selector, Mode::kEnforce);
  return policy;
}

// A policy of that name would be a second one.
void refuse_second_default(std::span<const Written> rules, std::span<const Written> policies, Faults& faults) {
  if (rules.empty()) return;
  for (const Written& policy : policies) {
    const Node* id = policy.node->find("id");
    if (id == nullptr || id->text != kDefaultPolicy) continue;
    faults.add(policy.node->position, policy.path,
               {"the policy 'default' is made up of the rules that stand in no policy, such as the one " +
                    rules.front().place(policy.path) + ", but is also given here",
                "give this policy another id, or put those rules into it"});
  }
}

}  // namespace

std::vector<KillSwitch> build_kill_switches(const Node& list, const Path& path, Faults& faults) {
  std::vector<KillSwitch> switches;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (list.items[i].kind != Kind::kObject) continue;
    const Fields fields(list.items[i], kKillSwitchSpec);
    const Path item(path, i);
    KillSwitch kill_switch;
    kill_switch.expires_at_us = expiry_of(fields, item, faults);
    kill_switch.reason = fields.text("reason");
    const auto source = KeySource::parse(fields.text("key"));
    if (!fields.has("value")) continue;
    const Node& value = fields.member("value")->value;
    if (!source) {
      check_values(value, Path(item, "value"), faults);
      continue;
    }
    auto condition = build_condition(*source, value, Path(item, "value"), faults);
    if (!condition) continue;
    kill_switch.condition = *std::move(condition);
    switches.push_back(std::move(kill_switch));
  }
  return switches;
}

std::vector<Policy> build_policies(std::span<const Written> rules, std::span<const Written> policies, Faults& faults) {
  refuse_second_default(rules, policies, faults);
  std::vector<Policy> built;
  Policy default_policy = build_default_policy(rules, faults);
  if (!default_policy.rules.empty()) built.push_back(std::move(default_policy));
  std::map<std::string, const Written*> ids;
  for (const Written& written : policies) {
    Policy policy = build_policy(*written.node, written.path, faults);
    const auto [first, is_new] = ids.emplace(policy.id, &written);
    if (!is_new && !policy.id.empty()) {
      faults.add(
          written.node->position, written.path,
          {"the policy " + quote(policy.id) + " is there twice, the first time " + first->second->place(written.path),
           "a policy's id is unique"});
    }
    if (Fields(*written.node, kPolicySpec).boolean("is_active", true)) built.push_back(std::move(policy));
  }
  return built;
}

}  // namespace sluice::rules::language
