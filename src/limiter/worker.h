// Decides requests by the rules, for one thread. Not thread-safe, but any number of workers share a Limiter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "limiter/check.h"
#include "limiter/limiter.h"
#include "limiter/local_shares.h"
#include "limiter/reservations.h"

namespace sluice::limiter {

// A bucket that a caller names and limits itself, beside the rules.
struct NamedBucket {
  // Apart from those of rules: no key that a caller thinks of is the key of a rule's bucket.
  static constexpr uint32_t kPart = UINT32_MAX;

  std::string_view key;
  const Limit* limit = nullptr;
  Tokens cost = kOneToken;

  Take take() const { return {key, limit, cost, kPart}; }
};

class Worker {
 public:
  // Both must outlive it. The store is this thread's way to the buckets of all.
  Worker(Limiter& limiter, stores::Store& store);
  explicit Worker(Limiter& limiter) : Worker(limiter, limiter.store()) {}
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // True: check.answer() holds. False: the store answers later, and the check is told then. The request and its bytes
  // must live until the answer is there. REQUIRES: no request of this check is under way.
  bool decide(Check& check, const rules::Request& request, const rules::Now& now,
              stores::Action action = stores::Action::kTake);
  // The same for a bucket beside the rules. The answer has that bucket, with neither policy nor rule.
  bool decide(Check& check, const NamedBucket& bucket, const rules::Now& now,
              stores::Action action = stores::Action::kTake);
  // Takes from buckets beside the rules, each on its own, in order; faster than one by one. The takes are made by
  // NamedBucket::take(). kUnavailable: all pass but those that never can, and nothing is known of what remains.
  // kPending cannot be: REQUIRES a store that answers at once. REQUIRES: at most stores::Store::kMaxTakes, and as many
  // results.
  stores::Progress take_each(std::span<const Take> takes, Instant now, std::span<stores::BucketResult> results);

  // kPeek or kReset of buckets that somebody looks after, each on its own; counted nowhere. REQUIRES as above.
  stores::Progress look_after(std::span<const Take> takes, stores::Action action, Instant now,
                              std::span<stores::BucketResult> results);

  // Keeps what the request that `check` allowed has taken, to be settled later by the handle that is returned.
  // REQUIRES: it was a take, it was allowed, and the limiter's reservations had room.
  std::string reserve(const Check& check, Instant expires);
  // Replaces what was taken by what it really cost: less is given back, more is taken as far as it is there. Returns
  // what the emptiest bucket lacked; nothing if there is no such reservation. A rule's limit is the one it has now;
  // what has no rule any more is left as it is.
  std::optional<Tokens> settle(std::string_view handle, Tokens cost, Instant now);

  Reservations& reservations() { return limiter_.reservations_; }
  // Of all workers. Takes a lock: not on the way of a request.
  Counts requests() const { return limiter_.requests(); }

  // Those of its latest decision.
  const rules::RuleSet& rules() const { return rules_->rules(); }
  rules::ClaimSource* claims() const { return claims_.get(); }

 private:
  friend class Check;
  friend class Limiter;

  // Goes over to the rules in force.
  void keep_up() {
    if (generation_ != limiter_.generation()) generation_ = limiter_.renew(*this);
  }
  void take_over(std::shared_ptr<const ActiveRules> rules);
  void add_counts_to(CountsByRule& all) const;

  bool gather(Check& check) const;
  void gather_leases(Check& check) const;
  bool ask(Check& check);
  void finish(Check& check, stores::Progress progress);
  bool keep_local_takes(Check& check);
  template <class Keeps>
  static void keep_takes(Check& check, const Keeps& keeps);
  static void drop_not_asked(Check& check);
  void do_without_store(Check& check);
  void conclude(Check& check) const;
  void note_denied_in_shadow(Check& check);
  void count(const Check& check);
  void count_request(const Check& check);
  void add_rejections_to(std::array<uint64_t, kReasons>& all) const;
  std::optional<Limit> current_limit(const HeldBucket& held) const;
  Tokens take_more(const Take& take, Instant now);

  Limiter& limiter_;
  stores::Store& store_;
  const bool others_ask_meanwhile_;
  uint64_t generation_ = 0;
  std::shared_ptr<const ActiveRules> rules_;
  std::unique_ptr<rules::ClaimSource> claims_;
  std::unique_ptr<OwnCounts> counts_;
  OwnCounts requests_{1};
  OwnCounts named_counts_{1};
  OwnCounts rejections_{kReasons};  // by Reason
  OwnCounts degraded_{1};
  LocalShares shares_;
};

}  // namespace sluice::limiter
