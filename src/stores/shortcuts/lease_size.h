// How much to take in advance. Pure arithmetic, for one thread.
#pragma once

#include "sluice/units.h"
#include "stores/store.h"

namespace sluice::shortcuts {

// What was lately admitted of one bucket here: whole windows, each weighing half of the one behind it.
class Demand {
 public:
  void add(Tokens cost, Instant now, Duration window) {
    roll(now, window);
    current_ = current_ + cost;
  }
  // In a window as they lately were, or more if this one has seen more already.
  Tokens in_a_window(Instant now, Duration window) {
    roll(now, window);
    return current_ > smoothed_ ? current_ : smoothed_;
  }

 private:
  void roll(Instant now, Duration window);

  Tokens current_;
  Tokens smoothed_;
  Instant start_;
};

struct LeaseNeed {
  Tokens cost;       // of the request that asks anyway
  Tokens capacity;   // of the bucket
  Tokens remaining;  // as the store last said
  Tokens demand;     // in one ttl
};

// Nothing when it is better to be exact. Never more than fits in the bucket beside the cost.
// kAuto: half of what a ttl sees, so that it is spent in time; at most an eighth of what remains, so that others find
// something there; and nothing when that is less than two costs, which is exact near the limit.
Tokens lease_size(const stores::LeaseTerms& terms, const LeaseNeed& need);

}  // namespace sluice::shortcuts
