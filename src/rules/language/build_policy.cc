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
  RulesBuilder(const Node& list, const Path& path, Faults& faults) : list_(list), path_(path), faults_(faults) {}

  std::vector<Rule> build(const Selector& selector, Mode mode) {
    for (size_t i = 0; i < list_.items.size(); ++i) {
      const Node& node = list_.items[i];
      if (node.kind != Kind::kObject) continue;
      const Path path(path_, i);
      const bool is_row = &form_of(node, kRuleSpec) == &kTableRowSpec;
      BuiltRule built = is_row ? build_table_row(node, path, faults_) : build_rule(node, path, faults_);
      if (mode == Mode::kShadow) built.rule.mode = Mode::kShadow;
      check_name(node, built.rule, path);
      if (built.is_whole) check_match(node, built.rule, selector, path);
      built_.push_back({std::move(built), i});
    }
    report_hidden();
    return take_active();
  }

 private:
  struct Placed {
    BuiltRule built;
    size_t index;  // in the file
  };

  const Node& node_of(size_t index) const { return list_.items[index]; }

  void check_name(const Node& node, const Rule& rule, const Path& path) {
    if (rule.name.empty()) return;
    const auto [first, is_new] = names_.emplace(rule.name, node.position.line);
    if (is_new) return;
    faults_.add(
        node.position, path,
        {"the rule " + quote(rule.name) + " is there twice, the first time in line " + std::to_string(first->second),
         "a rule's name is unique within its policy"});
  }

  void check_match(const Node& node, const Rule& rule, const Selector& selector, const Path& path) {
    for (const Condition& condition : rule.match) {
      if (auto problem = contradiction(selector, condition)) {
        faults_.add(node.position, path,
                    {"the rule " + quote(rule.name) + " can never apply: " + problem->message,
                     "change " + quote(condition.source.text()) + " or the selector"});
      }
    }
  }

  void report_hidden() {
    std::vector<const Rule*> rules;
    std::vector<size_t> places;
    for (const Placed& placed : built_) {
      if (!placed.built.is_whole || !placed.built.is_active) continue;
      rules.push_back(&placed.built.rule);
      places.push_back(placed.index);
    }
    for (const Hidden& hidden : find_hidden(rules)) {
      const Node& node = node_of(places[hidden.hidden]);
      const Rule& by = *rules[hidden.by];
      faults_.add(node.position, Path(path_, places[hidden.hidden]),
                  {"the rule " + quote(rules[hidden.hidden]->name) + " can never apply: the rule " + quote(by.name) +
                       " in line " + std::to_string(node_of(places[hidden.by]).position.line) +
                       " has the same limit_keys, is asked first, and holds whenever it does",
                   by.match.empty() ? "put the rule without match last"
                                    : "put the narrower rule first, or give it a higher priority"});
    }
  }

  std::vector<Rule> take_active() {
    std::vector<Rule> rules;
    for (Placed& placed : built_) {
      if (placed.built.is_active) rules.push_back(std::move(placed.built.rule));
    }
    return rules;
  }

  const Node& list_;
  const Path& path_;
  Faults& faults_;
  std::vector<Placed> built_;
  std::map<std::string, int> names_;
};

std::optional<int64_t> expiry_of(const Fields& fields, const Path& path, Faults& faults) {
  const Node* value = fields.value("expires_at");
  if (value == nullptr) return std::nullopt;
  if (value->kind == Kind::kNumber) return static_cast<int64_t>(std::floor(value->number));
  if (const auto micros = documents::parse_time_us(value->text)) {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds(*micros)).count();
  }
  faults.add(value->position, Path(path, "expires_at"),
             {"expires_at must be a time such as 2030-01-31T12:00:00Z or unix seconds, but is " + found(*value),
              "date, T, time, then Z or an offset such as +02:00"});
  return std::nullopt;
}

}  // namespace

std::vector<KillSwitch> build_kill_switches(const Node& list, const Path& path, Faults& faults) {
  std::vector<KillSwitch> switches;
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (list.items[i].kind != Kind::kObject) continue;
    const Fields fields(list.items[i], kKillSwitchSpec);
    const Path item(path, i);
    KillSwitch kill_switch;
    kill_switch.expires_at = expiry_of(fields, item, faults);
    kill_switch.reason = fields.text("reason");
    const auto source = KeySource::parse(fields.text("key"));
    if (!source || !fields.has("value")) continue;
    auto condition = build_condition(*source, fields.member("value")->value, Path(item, "value"), faults);
    if (!condition) continue;
    kill_switch.condition = *std::move(condition);
    switches.push_back(std::move(kill_switch));
  }
  return switches;
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
    policy.rules = RulesBuilder(*rules, rules_path, faults).build(policy.selector, mode);
  }
  if (const Node* switches = fields.value("kill_switches")) {
    policy.kill_switches = build_kill_switches(*switches, Path(path, "kill_switches"), faults);
  }
  return policy;
}

Policy build_default_policy(const Node& rules, const Path& path, Faults& faults) {
  Policy policy;
  policy.id = "default";
  policy.rules = RulesBuilder(rules, path, faults).build(policy.selector, Mode::kEnforce);
  return policy;
}

}  // namespace sluice::rules::language
