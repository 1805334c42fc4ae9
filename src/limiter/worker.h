// Decides requests by the rules, for one thread. Not thread-safe, but any number of workers share a Limiter.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "limiter/check.h"
#include "limiter/limiter.h"

namespace sluice::limiter {

class Worker {
 public:
  explicit Worker(Limiter& limiter);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // True: check.answer() holds. False: the store answers later, and the check is told then. The request and its bytes
  // must live until the answer is there. REQUIRES: no request of this check is under way.
  bool decide(Check& check, const rules::Request& request, const rules::Now& now,
              stores::Action action = stores::Action::kTake);

  const rules::RuleSet& rules() const { return rules_->rules(); }
  rules::ClaimSource* claims() const { return claims_.get(); }

 private:
  friend class Check;
  friend class Limiter;

  void take_over(std::shared_ptr<const ActiveRules> rules);
  void add_counts_to(std::map<std::pair<std::string, std::string>, Counts>& all) const;

  bool gather(Check& check) const;
  bool ask(Check& check);
  void finish(Check& check, stores::Progress progress);
  bool keep_local_takes(Check& check) const;
  void do_without_store(Check& check);
  void conclude(Check& check) const;
  void count(const Check& check);

  Limiter& limiter_;
  uint64_t generation_ = 0;
  std::shared_ptr<const ActiveRules> rules_;
  std::unique_ptr<rules::ClaimSource> claims_;
  std::unique_ptr<OwnCounts> counts_;
};

}  // namespace sluice::limiter
