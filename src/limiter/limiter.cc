#include "limiter/limiter.h"

#include <algorithm>

#include "limiter/worker.h"

namespace sluice::limiter {
namespace {

// Calls `visit(policy, rule, number)` for each rule.
template <class Visit>
void for_each_rule(const ActiveRules& rules, const Visit& visit) {
  uint32_t number = 0;
  for (const rules::Policy& policy : rules.rules().policies) {
    for (const rules::Rule& rule : policy.rules) visit(policy, rule, number++);
  }
}

}  // namespace

Limiter::Limiter(Ports ports)
    : ports_(std::move(ports)), rules_(std::make_shared<const ActiveRules>(std::make_shared<const rules::RuleSet>())) {}

void Limiter::set_rules(std::shared_ptr<const rules::RuleSet> rules) {
  auto compiled = std::make_shared<const ActiveRules>(std::move(rules));
  const std::lock_guard lock(mutex_);
  rules_ = std::move(compiled);
  generation_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const ActiveRules> Limiter::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

std::vector<RuleCounts> Limiter::counts() const {
  const std::lock_guard lock(mutex_);
  CountsByRule all = past_;
  for (const Worker* worker : workers_) worker->add_counts_to(all);
  // A rule that was never asked counts too, with nothing.
  for_each_rule(*rules_, [&](const auto& policy, const auto& rule, uint32_t) {
    all[{policy.id, rule.name, rule.mode}];
  });
  std::vector<RuleCounts> result;
  result.reserve(all.size());
  for (const auto& [name, counts] : all) result.push_back({name, counts});
  return result;
}

Counts Limiter::requests() const {
  const std::lock_guard lock(mutex_);
  Counts all = past_requests_;
  for (const Worker* worker : workers_) all += worker->requests_.of(0);
  return all;
}

Counts Limiter::named_counts() const {
  const std::lock_guard lock(mutex_);
  Counts all = past_named_;
  for (const Worker* worker : workers_) all += worker->named_counts_.of(0);
  return all;
}

Counts Limiter::degraded_counts() const {
  const std::lock_guard lock(mutex_);
  Counts all = past_degraded_;
  for (const Worker* worker : workers_) all += worker->degraded_.of(0);
  return all;
}

std::array<uint64_t, kReasons> Limiter::rejections() const {
  const std::lock_guard lock(mutex_);
  std::array<uint64_t, kReasons> all = past_rejections_;
  for (const Worker* worker : workers_) worker->add_rejections_to(all);
  return all;
}

void Limiter::join(Worker& worker) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(&worker);
}

void Limiter::leave(Worker& worker) {
  const std::lock_guard lock(mutex_);
  worker.add_counts_to(past_);
  past_requests_ += worker.requests_.of(0);
  past_named_ += worker.named_counts_.of(0);
  past_degraded_ += worker.degraded_.of(0);
  worker.add_rejections_to(past_rejections_);
  std::erase(workers_, &worker);
}

uint64_t Limiter::renew(Worker& worker) {
  const std::lock_guard lock(mutex_);
  worker.add_counts_to(past_);
  worker.take_over(rules_);
  return generation_.load(std::memory_order_relaxed);
}

void Limiter::count_late(const rules::Application& application, bool allowed) {
  const std::lock_guard lock(mutex_);
  Counts& counts = past_[{application.policy->id, application.rule->name, application.rule->mode}];
  ++(allowed ? counts.allowed : counts.rejected);
}

}  // namespace sluice::limiter
