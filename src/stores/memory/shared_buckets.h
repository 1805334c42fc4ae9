// What happens when there is no room for a new key: keys that find none share a few thousand buckets among them.
//
// A shared bucket is at least as strict as each of its keys' own would be, so nobody gains by flooding the table, and a
// drained bucket that is already there stays there. A key that gets a bucket of its own later starts with what the
// shared one has spent. Honest newcomers may be refused too early while the flood lasts.
#pragma once

#include "algorithms/pace.h"
#include "algorithms/state.h"
#include "sluice/limit.h"
#include "stores/memory/slot.h"

namespace sluice::memory {

class SharedBuckets {
 public:
  static constexpr size_t kCount = 4096;

  // Does not own its slots: kCount of them.
  explicit SharedBuckets(Slot* slots) : slots_(slots) {}

  Slot* of(const Fingerprint& fingerprint) const { return slots_ + fingerprint.low % kCount; }

  // Counts what every key spent, and gives it back at the slowest of their rates.
  static Outcome decide(const Limit& limit, const BucketState& state, Tokens cost, Instant now) {
    const uint16_t own = pace::of_rate(limit.rate());
    const int64_t spent = state.spent == 0 ? 0 : pace::still_spent(state, now);
    const uint16_t slowest = spent == 0 || own < state.pace ? own : state.pace;
    const int64_t since = spent == 0 ? now.ns : exact::max(now.ns, state.since_ns);
    Outcome outcome;
    outcome.state = state;
    const int64_t left = limit.capacity().micros() - spent;
    outcome.decision.remaining = Tokens::micros(exact::max(0, left - cost.micros()));
    if (cost.micros() <= left) {
      outcome.state = {spent + cost.micros(), since, slowest};
      outcome.changed = true;
      return outcome;
    }
    const bool never = cost > limit.capacity();
    outcome.decision.remaining = Tokens::micros(exact::max(0, left));
    outcome.decision.verdict = never ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
    outcome.decision.retry_after = never ? kForever : pace::time_to_refill(slowest, cost.micros() - left);
    return outcome;
  }

 private:
  Slot* slots_;
};

}  // namespace sluice::memory
