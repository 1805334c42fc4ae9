// Every policy and rule, and why it did or did not apply to a request: for people, and slow. It looks at each rule in
// turn and shares no index with the matcher, whose tests hold it to this.
#pragma once

#include <string>
#include <vector>

#include "rules/claims.h"
#include "rules/evaluation.h"
#include "rules/model.h"
#include "rules/request.h"

namespace sluice::rules {

struct RuleReport {
  const Policy* policy = nullptr;
  const Rule* rule = nullptr;
  bool applies = false;
  std::string why;  // "method DELETE is not one of GET, POST", "tier 'enterprise' came first", "jwt:plan is 'free'"
  std::string key;  // of its buckets, where it applies
  Tokens cost;
};

struct Report {
  Ruling ruling = Ruling::kAsk;
  const KillSwitch* kill_switch = nullptr;
  std::string killed_for;  // what the kill switch denies: "ip:address is '192.0.2.7'"
  const Rule* denied_by = nullptr;
  std::string client;             // the address that counts, and how it was found
  std::string token;              // what became of the bearer token; empty where no rule asks for claims
  std::vector<RuleReport> rules;  // every rule of every policy in force, in the order of the file
  // What else was written, where that is known: "policy old", "rule public-api/free".
  std::vector<std::string> not_active;
};

Report explain(const RuleSet& rules, const Request& request, const Now& now, ClaimSource* claims);

}  // namespace sluice::rules
