// A request that Leases asks the store about: for what its credit does not cover, and for more on top.
// Big, hence lent from a pool; must stay where it is until it is answered.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sluice/take.h"
#include "sluice/units.h"
#include "stores/shortcuts/credit.h"
#include "stores/shortcuts/lease_table.h"
#include "stores/store.h"

namespace sluice::shortcuts {

// The part of whoever asks that the answer is for.
class LeaseRequest;
class LeaseRequester {
 public:
  virtual void answer(LeaseRequest& request, stores::Progress progress) = 0;

 protected:
  ~LeaseRequester() = default;
};

class LeaseRequest final : public stores::Listener {
 public:
  // One of the takes that are taken together.
  struct Item {
    Lease* lease;        // nullptr: not leased
    uint32_t drops;      // of the lease, when it was asked
    bool is_covered;     // by credit
    uint8_t asked_as;    // else: which of takes
    Tokens on_top;       // asked for in advance
    Credit::Lots spent;  // of the credit, if covered
  };

  void start(LeaseRequester& by, stores::Ask& ask, Instant now) {
    by_ = &by;
    origin = &ask;
    sent = now;
    count = together = 0;
    is_plain = true;
    since_ns_ = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void cover(size_t i, Lease& lease) {
    items[i] = {&lease, lease.drops, true, 0, {}, lease.credit.spend(origin->takes[i].cost, sent)};
    ++lease.pins;
  }
  // REQUIRES: i < origin->together, in order.
  void ask_for(size_t i, Lease* lease, Tokens on_top) {
    items[i] = {lease, lease != nullptr ? lease->drops : 0, false, static_cast<uint8_t>(count), on_top, {}};
    if (lease != nullptr) ++lease->pins;
    add(origin->takes[i], on_top);
    together = count;
    is_plain &= on_top == Tokens();
  }
  void ask_for_those_behind() {
    for (size_t i = origin->together; i < origin->takes.size(); ++i) add(origin->takes[i], {});
  }
  // Leaves all in advance away.
  void make_plain() {
    for (size_t i = 0; i < origin->together; ++i) {
      Item& item = items[i];
      if (item.is_covered || item.on_top == Tokens()) continue;
      takes[item.asked_as].cost = origin->takes[i].cost;
      item.on_top = Tokens();
      item.lease->is_asking = false;
    }
    is_plain = true;
  }
  // What the store is asked.
  stores::Ask& question() {
    asked = {stores::Action::kTake, {takes.data(), count}, together, origin->now, {results.data(), count}, this};
    asked.since_ns = since_ns_;
    asked.decided = {decided.data(), count};
    return asked;
  }

  bool was_asked(size_t which) const { return (asked.not_asked >> which & 1) == 0; }
  bool is_rejected() const {
    for (size_t i = 0; i < together; ++i) {
      if (!was_asked(i) || !results[i].decision.allowed()) return true;
    }
    return false;
  }

  void on_answer(stores::Progress progress) override { by_->answer(*this, progress); }

  stores::Ask* origin = nullptr;
  Instant sent;
  bool is_plain = true;
  size_t count = 0;     // of what the store is asked
  size_t together = 0;  // likewise
  std::array<Item, stores::Store::kMaxTakes> items;
  std::array<Take, stores::Store::kMaxTakes> takes;
  std::array<stores::BucketResult, stores::Store::kMaxTakes> results;
  std::array<stores::Decided, stores::Store::kMaxTakes> decided;
  stores::Ask asked;

 private:
  void add(const Take& take, Tokens on_top) {
    takes[count] = take;
    takes[count].cost = take.cost + on_top;
    ++count;
  }

  LeaseRequester* by_ = nullptr;
  int64_t since_ns_ = 0;
};

}  // namespace sluice::shortcuts
