// Rules ready to be asked: their index, and a number for each. Immutable; shared by all threads until it is replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rules/matcher.h"
#include "rules/model.h"

namespace sluice::limiter {

class ActiveRules {
 public:
  explicit ActiveRules(std::shared_ptr<const rules::RuleSet> rules) : matcher_(std::move(rules)) {
    for (const rules::Policy& policy : matcher_.rules().policies) {
      first_of_policy_.push_back(count_);
      count_ += static_cast<uint32_t>(policy.rules.size());
      for (const rules::Rule& rule : policy.rules) has_leases_ |= rule.lease.kind != rules::Lease::Kind::kOff;
    }
  }

  const rules::RuleSet& rules() const { return matcher_.rules(); }
  const rules::Matcher& matcher() const { return matcher_; }

  uint32_t count() const { return count_; }
  // Whether any rule lets servers take tokens in advance.
  bool has_leases() const { return has_leases_; }
  // In the order of the file, from 0. REQUIRES: an application made by this matcher.
  uint32_t number_of(const rules::Application& application) const {
    const auto policy = static_cast<size_t>(application.policy - rules().policies.data());
    return first_of_policy_[policy] + static_cast<uint32_t>(application.rule - application.policy->rules.data());
  }

 private:
  rules::Matcher matcher_;
  std::vector<uint32_t> first_of_policy_;
  uint32_t count_ = 0;
  bool has_leases_ = false;
};

}  // namespace sluice::limiter
