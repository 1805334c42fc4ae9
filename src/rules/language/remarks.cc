#include "rules/language/remarks.h"

#include <algorithm>
#include <set>

namespace sluice::rules {
namespace {

std::set<std::string> claims_of(const RuleSet& rules) {
  std::set<std::string> claims;
  const auto add = [&](const KeySource& source) {
    if (source.kind == KeyKind::kJwt) claims.insert(source.text());
  };
  for (const KillSwitch& kill_switch : rules.kill_switches) add(kill_switch.condition.source);
  for (const Policy& policy : rules.policies) {
    for (const KillSwitch& kill_switch : policy.kill_switches) add(kill_switch.condition.source);
    for (const Rule& rule : policy.rules) {
      for (const Condition& condition : rule.match) add(condition.source);
      for (const KeySource& source : rule.limit_keys) add(source);
    }
  }
  return claims;
}

bool never_passes(const Rule& rule) {
  return !rule.cost.source && std::any_of(rule.limits.begin(), rule.limits.end(),
                                          [&](const Limit& limit) { return rule.cost.fixed > limit.capacity(); });
}

}  // namespace

std::vector<std::string> remarks_on(const RuleSet& rules) {
  std::vector<std::string> remarks;
  if (rules.jwt.keys.empty() && !rules.jwt.trust_upstream) {
    for (const std::string& claim : claims_of(rules)) {
      remarks.push_back(claim + " never has a value: give jwt keys to verify tokens with, or set trust_upstream_jwt");
    }
  }
  for (const Policy& policy : rules.policies) {
    for (const Rule& rule : policy.rules) {
      if (!never_passes(rule)) continue;
      remarks.push_back("rule '" + rule.name + "' of policy '" + policy.id +
                        "' lets no request pass: each costs more than fits");
    }
  }
  return remarks;
}

}  // namespace sluice::rules
