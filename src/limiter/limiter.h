// The rules in force and the store behind them: what all threads of a process share. Thread-safe.
//
// Deciding is done by a Worker, one for each thread, which notices new rules by a number and then takes them over: no
// lock is taken on the way of a request. Buckets are known by policy, rule and key, so they survive a change of rules.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "limiter/active_rules.h"
#include "limiter/answer.h"
#include "limiter/counts.h"
#include "limiter/reservations.h"
#include "rules/claims.h"
#include "stores/store.h"

namespace sluice::limiter {

class Worker;

// What a limiter is made of. All must outlive it.
struct Ports {
  stores::Store& store;
  // Answers at once; asked while the store is away, for rules that say `local`.
  stores::Store& local;
  // Verifies tokens, for one thread. May be empty: then no claim is known.
  std::function<std::unique_ptr<rules::ClaimSource>(const rules::JwtSettings&)> make_claims;
  // How many servers share the store, as far as is known: while it is away, each limits to its part. Empty: one.
  std::function<uint32_t()> peers{};
};

// A rule that goes over from shadow to enforce is counted anew: what would have been rejected was not.
struct RuleName {
  std::string policy;
  std::string rule;
  rules::Mode mode = rules::Mode::kEnforce;

  friend auto operator<=>(const RuleName&, const RuleName&) = default;
};

struct RuleCounts : RuleName {
  Counts counts;
};

using CountsByRule = std::map<RuleName, Counts>;

class Limiter {
 public:
  // Without rules every request passes.
  explicit Limiter(Ports ports);

  // Takes effect with the next request of each worker.
  void set_rules(std::shared_ptr<const rules::RuleSet> rules);
  std::shared_ptr<const ActiveRules> rules() const;
  // Changes whenever the rules do.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  stores::Store& store() const { return ports_.store; }

  // Estimates that are yet to be settled.
  Reservations& reservations() { return reservations_; }

  // Since the start, of every rule there is or was, by policy, name and mode.
  std::vector<RuleCounts> counts() const;
  // Requests, each once, however many rules it came under, or beside the rules. Peeks are none.
  Counts requests() const;
  // Of the buckets beside the rules.
  Counts named_counts() const;
  // Requests that were decided without the store, since it was away.
  Counts degraded_counts() const;
  // Requests by the rules that were rejected, since the start, by Reason.
  std::array<uint64_t, kReasons> rejections() const;

 private:
  friend class Worker;

  void join(Worker& worker);
  void leave(Worker& worker);
  // Keeps what the worker counted under the rules it had, and gives it those in force.
  uint64_t renew(Worker& worker);
  // A decision that came after its rules were replaced.
  void count_late(const rules::Application& application, bool allowed);

  const Ports ports_;
  Reservations reservations_;
  std::atomic<uint64_t> generation_{1};
  mutable std::mutex mutex_;  // for all below
  std::shared_ptr<const ActiveRules> rules_;
  std::vector<Worker*> workers_;
  CountsByRule past_;
  Counts past_requests_;
  Counts past_named_;
  Counts past_degraded_;
  std::array<uint64_t, kReasons> past_rejections_{};
};

}  // namespace sluice::limiter
