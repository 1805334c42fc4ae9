#include "rules/explain.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "rules/bucket_key.h"
#include "rules/cost.h"
#include "rules/reader.h"
#include "rules/reasons.h"

namespace sluice::rules {
namespace {

ReadingPlan plan_of(const RuleSet& rules) {
  ReadingPlan plan;
  plan.trusted_proxies = TrustedProxies(rules);
  plan.forwarded_header = rules.forwarded_header;
  const auto add = [&](const Condition& condition) { plan.sources.add(condition.source); };
  for (const KillSwitch& kill_switch : rules.kill_switches) add(kill_switch.condition);
  for (const Policy& policy : rules.policies) {
    for (const KillSwitch& kill_switch : policy.kill_switches) add(kill_switch.condition);
    for (const Rule& rule : policy.rules) {
      for (const Condition& condition : rule.match) add(condition);
      for (const KeySource& source : rule.limit_keys) plan.sources.add(source);
      if (rule.cost.source) plan.sources.add(*rule.cost.source);
    }
  }
  return plan;
}

// The names of its limit_keys, whatever their order: what makes rules tiers of one limit.
std::set<std::string> limit_of(const Rule& rule) {
  std::set<std::string> names;
  for (const KeySource& source : rule.limit_keys) names.insert(source.text());
  return names;
}

class Explanation {
 public:
  Explanation(const RuleSet& rules, const Request& request, const Now& now, ClaimSource* claims)
      : rules_(rules), request_(request), now_(now), plan_(plan_of(rules)) {
    reader_.begin(plan_, request_, now_, claims);
  }

  Report run(const ClaimSource* claims) {
    find_kill_switch();
    for (const Policy& policy : rules_.policies) explain_policy(policy);
    if (report_.denied_by != nullptr) silence_others();
    report_.client = describe(reader_.client(), plan_.forwarded_header);
    report_.token = describe_token(claims);
    return std::move(report_);
  }

 private:
  SourceId id(const KeySource& source) { return plan_.sources.add(source); }

  bool kills(const KillSwitch& kill_switch) {
    return !kill_switch.has_expired(now_.unix_us) &&
           !why_not(kill_switch.condition, id(kill_switch.condition.source), reader_);
  }

  void find_kill_switch() {
    for (const KillSwitch& kill_switch : rules_.kill_switches) try_kill_switch(kill_switch);
    for (const Policy& policy : rules_.policies) {
      if (policy.kill_switches.empty() || why_not(policy.selector, reader_)) continue;
      for (const KillSwitch& kill_switch : policy.kill_switches) try_kill_switch(kill_switch);
    }
  }

  void try_kill_switch(const KillSwitch& kill_switch) {
    const bool is_longest = report_.kill_switch == nullptr || kill_switch.outlasts(*report_.kill_switch);
    if (!is_longest || !kills(kill_switch)) return;
    report_.kill_switch = &kill_switch;
    report_.killed_for = fact_of(kill_switch.condition, id(kill_switch.condition.source), reader_);
    report_.ruling = Ruling::kKilled;
  }

  void explain_policy(const Policy& policy) {
    const size_t first = report_.rules.size();
    for (const Rule& rule : policy.rules) report_.rules.push_back({&policy, &rule, false, "", "", {}});
    const auto reports = std::span(report_.rules).subspan(first);
    if (report_.ruling == Ruling::kKilled) {
      for (RuleReport& report : reports) report.why = "a kill switch denies the request before any rule is asked";
    } else if (const auto why = why_not(policy.selector, reader_)) {
      for (RuleReport& report : reports) report.why = *why;
    } else {
      explain_rules(reports);
    }
  }

  void explain_rules(std::span<RuleReport> reports) {
    std::vector<RuleReport*> asked;
    for (RuleReport& report : reports) asked.push_back(&report);
    std::stable_sort(asked.begin(), asked.end(),
                     [](const RuleReport* a, const RuleReport* b) { return a->rule->priority > b->rule->priority; });
    std::vector<const Rule*> chosen;
    for (RuleReport* report : asked) {
      if (const Rule* tier = tier_before(*report->rule, chosen)) {
        report->why = "tier " + quoted(tier->name) + " came first";
      } else if (holds(*report)) {
        chosen.push_back(report->rule);
        apply(*report);
      }
    }
  }

  // A shadow rule is no tier to an enforced one.
  static const Rule* tier_before(const Rule& rule, const std::vector<const Rule*>& chosen) {
    const auto tier = std::find_if(chosen.begin(), chosen.end(), [&](const Rule* other) {
      return limit_of(*other) == limit_of(rule) && (other->mode == Mode::kEnforce || rule.mode == Mode::kShadow);
    });
    return tier == chosen.end() ? nullptr : *tier;
  }

  bool holds(RuleReport& report) {
    std::string facts;
    for (const Condition& condition : report.rule->match) {
      if (auto why = why_not(condition, id(condition.source), reader_)) {
        report.why = *std::move(why);
        return false;
      }
      facts += (facts.empty() ? "" : ", ") + fact_of(condition, id(condition.source), reader_);
    }
    report.why = facts.empty() ? "it is for every request of its policy" : facts;
    return true;
  }

  void apply(RuleReport& report) {
    const Rule& rule = *report.rule;
    KeyMemory key;
    key.append_prefix(key_prefix(report.policy->id, rule.name), rule.limit_keys.size());
    for (const KeySource& source : rule.limit_keys) {
      const std::string_view value = reader_.key_value(id(source));
      if (value.empty() && rule.on_missing_key != OnMissingKey::kShare) return refuse(report, source);
      key.append_value(value);
    }
    report.applies = true;
    report.key = key.text(0, key.size());
    report.cost = cost_of_rule(rule);
  }

  void refuse(RuleReport& report, const KeySource& source) {
    const bool denies = report.rule->on_missing_key == OnMissingKey::kDeny;
    const bool is_enforced = report.rule->mode == Mode::kEnforce;
    report.why = source.text() + " has no value, and on_missing_key is " + (denies ? "deny" : "skip");
    if (denies && !is_enforced) report.why += "; a shadow rule denies nothing";
    if (!denies || !is_enforced || report_.denied_by != nullptr) return;
    report_.denied_by = report.rule;
    report_.ruling = Ruling::kMissingKey;
  }

  void silence_others() {
    for (RuleReport& report : report_.rules) {
      if (!report.applies) continue;
      report = {report.policy,
                report.rule,
                false,
                "it would apply, but rule " + quoted(report_.denied_by->name) + " denies the request",
                "",
                {}};
    }
  }

  Tokens cost_of_rule(const Rule& rule) {
    if (request_.cost) return *request_.cost;
    if (!rule.cost.source) return rule.cost.fixed;
    return cost_from_source(rule.cost, parse_cost(reader_.value(id(*rule.cost.source))));
  }

  std::string describe_token(const ClaimSource* claims) const {
    switch (reader_.token()) {
      case Reader::Token::kNotAsked: return "";
      case Reader::Token::kNone: return "there is no bearer token";
      case Reader::Token::kNobodyToAsk: return "not looked at: nothing here can verify it";
      case Reader::Token::kRefused: return "refused: " + claims->why_not();
      case Reader::Token::kGood: return "good";
    }
    return "";
  }

  const RuleSet& rules_;
  const Request& request_;
  const Now& now_;
  ReadingPlan plan_;
  Reader reader_;
  Report report_;
};

}  // namespace

Report explain(const RuleSet& rules, const Request& request, const Now& now, ClaimSource* claims) {
  return Explanation(rules, request, now, claims).run(claims);
}

}  // namespace sluice::rules
