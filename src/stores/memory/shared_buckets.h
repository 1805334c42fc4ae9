// What happens when there is no room for a new key: keys that find none share a few thousand buckets among them.
//
// A shared bucket is at least as strict as each of its keys' own would be, so nobody gains by flooding the table, and a
// drained bucket that is already there stays there. A key that gets a bucket of its own later starts with what the
// shared one has spent. So honest newcomers may be refused too early, not only while the flood lasts but until the
// slowest rate or longest window that was counted has given all of it back; where there is room a key that is refused
// so gets a bucket of its own, and what is spent of that comes back at its own rate. Refunds and resets of a key
// without a bucket of its own do nothing, for nobody knows what of the shared one is its.
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

  // Counts what every key spent, and gives it back at the slowest of their rates; of windows, all of it when the
  // longest has passed since the last of them took.
  static Outcome decide(const Limit& limit, const BucketState& state, Tokens cost, Instant now) {
    const int64_t spent = state.spent == 0 ? 0 : pace::still_spent(state, now);
    const int64_t since = spent == 0 ? now.ns : exact::max(now.ns, state.since_ns);
    Outcome outcome;
    outcome.state = state;
    const int64_t left = limit.capacity().micros() - spent;
    outcome.decision.remaining = Tokens::micros(exact::max(0, left - cost.micros()));
    if (cost.micros() <= left) {
      const int64_t all = spent + cost.micros();
      outcome.state = {all, since, spent == 0 ? limit.pace() : slowest(limit.pace(), state.pace, all)};
      outcome.changed = true;
      if (limit.algorithm() == Algorithm::kLeakyQueue && spent > 0) {
        outcome.decision.delay = wait_for(limit, state, spent, now);
      }
      return outcome;
    }
    const bool never = cost > limit.capacity();
    outcome.decision.remaining = Tokens::micros(exact::max(0, left));
    outcome.decision.verdict = never ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
    outcome.decision.retry_after = never ? kForever : wait_for(limit, state, cost.micros() - left, now);
    return outcome;
  }

 private:
  static bool is_window(uint16_t pace) { return (pace & pace::kWindowBit) != 0; }

  // Of two windows the longer; a rate beside a window is one in which all comes back at that rate.
  static uint16_t slowest(uint16_t a, uint16_t b, int64_t spent) {
    if (!is_window(a) && !is_window(b)) return a < b ? a : b;
    const auto window_of = [&](uint16_t pace) {
      return is_window(pace) ? Duration(pace::window_ns(pace)) : pace::time_to_refill(pace, spent);
    };
    const Duration longer = window_of(a) < window_of(b) ? window_of(b) : window_of(a);
    return pace::of_window(longer < kForever ? longer : kForever);
  }

  // REQUIRES: something is spent.
  static Duration wait_for(const Limit& limit, const BucketState& state, int64_t micros, Instant now) {
    if (is_window(state.pace)) {
      return exact::wait_until(Instant(state.since_ns) + Duration(pace::window_ns(state.pace)), now);
    }
    return pace::time_to_refill(is_window(limit.pace()) ? state.pace : slowest(limit.pace(), state.pace, 0), micros);
  }

  Slot* slots_;
};

}  // namespace sluice::memory
