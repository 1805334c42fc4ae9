// A question for more of several leases that run low. Big, hence lent from a pool; must stay where it is until it is
// answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sluice/limit.h"
#include "sluice/take.h"
#include "sluice/units.h"
#include "stores/shortcuts/lease_table.h"
#include "stores/store.h"

namespace sluice::shortcuts {

// The part of whoever asks that the answer is for.
class LeaseRenewal;
class LeaseRenewer {
 public:
  virtual void answer(LeaseRenewal& renewal, stores::Progress progress) = 0;

 protected:
  ~LeaseRenewer() = default;
};

class LeaseRenewal final : public stores::Listener {
 public:
  struct Item {
    Lease* lease;    // pinned
    uint32_t drops;  // of the lease, when it was asked
    Limit limit;     // likewise
  };

  void start(LeaseRenewer& by, Instant now) {
    by_ = &by;
    sent = now;
    count_ = 0;
  }
  // REQUIRES: it is not full.
  void add(Lease& lease, Tokens more) {
    Item& item = items_[count_] = {&lease, lease.drops, lease.limit};
    takes_[count_++] = {lease.key, &item.limit, more, lease.part};
  }
  bool is_full() const { return count_ == items_.size(); }
  // What the store is asked: each on its own.
  stores::Ask& question() {
    ask_ = {stores::Action::kTake, {takes_.data(), count_}, 0, sent, {results_.data(), count_}, this, {}, 0};
    ask_.decided = {decided_.data(), count_};
    return ask_;
  }

  size_t count() const { return count_; }
  const Item& item(size_t i) const { return items_[i]; }
  const Take& take(size_t i) const { return takes_[i]; }
  const stores::Decided& decided(size_t i) const { return decided_[i]; }
  // nullptr: the store was not asked.
  const stores::BucketResult* result(size_t i) const { return (ask_.not_asked >> i & 1) == 0 ? &results_[i] : nullptr; }

  void on_answer(stores::Progress progress) override { by_->answer(*this, progress); }

  Instant sent;

 private:
  LeaseRenewer* by_ = nullptr;
  size_t count_ = 0;
  std::array<Item, stores::Store::kMaxTakes> items_;
  std::array<Take, stores::Store::kMaxTakes> takes_;
  std::array<stores::BucketResult, stores::Store::kMaxTakes> results_;
  std::array<stores::Decided, stores::Store::kMaxTakes> decided_;
  stores::Ask ask_;
};

}  // namespace sluice::shortcuts
