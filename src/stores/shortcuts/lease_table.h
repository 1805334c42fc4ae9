// What is known here of each bucket that may be leased: its credit, its demand, what the store last said of it.
// Of fixed size: a bucket that finds no room is not leased. For one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fingerprint/fingerprint.h"
#include "sluice/limit.h"
#include "sluice/take.h"
#include "sluice/units.h"
#include "stores/shortcuts/credit.h"
#include "stores/shortcuts/lease_size.h"
#include "stores/shortcuts/ways.h"
#include "stores/shortcuts/wheel.h"
#include "stores/store.h"

namespace sluice::shortcuts {

struct Lease {
  Limit limit;
  Credit credit;
  Demand demand;
  stores::LeaseTerms terms;  // of the request that last named it
  Duration ttl;              // what these come to
  Tokens cost;               // of that request
  Tokens filled_to;          // what it held, or was to hold, when it was last filled up
  Tokens remaining;          // in the store, as it last said
  Instant full_at;           // likewise; by the local clock
  Instant used_at;           // when a request last named it
  Instant exact_until;       // the store had too little for a lease: do without for a while
  uint32_t pins = 0;         // questions under way that point here
  uint32_t drops = 0;        // how often its credit was dropped; grants from before that are not its own
  bool is_asking = false;    // for tokens in advance
  bool is_low = false;       // so that more is fetched with the next sweep
  uint32_t part = 0;
  std::string key;  // set with the first credit

  Take take(Tokens tokens) const { return {key, &limit, tokens, part}; }
  // Of a take that its credit covers, or would: what is in the store and here, as far as is known.
  stores::BucketResult told(Instant now) const {
    const Tokens there = std::min(remaining + credit.available(now), limit.capacity());
    return {{Verdict::kAllowed, there, {}, {}, 0}, std::max(full_at - now, Duration())};
  }
  // What the store says of the bucket under a limit, if that is still its limit.
  void learn(const Limit& under, const stores::BucketResult& result, Instant now) {
    if (!(limit == under)) return;
    remaining = result.decision.remaining;
    full_at = now + result.reset_after;
  }
  void start_asking(Tokens on_top, Instant now) {
    is_asking = true;
    filled_to = credit.available(now) + on_top;
  }
  bool may_leave() const { return credit.is_empty() && pins == 0; }
};

class LeaseTable {
 public:
  explicit LeaseTable(size_t buckets) : ways_(buckets), wheel_(ways_.size()) {}

  // nullptr if it is not there. A pointer is good until the next claim(), and while the lease has pins.
  Lease* find(const Fingerprint& bucket);
  // A new one. The place of the one not used for longest, if that has neither credit nor pins; else nullptr.
  Lease* claim(const Fingerprint& bucket, const Take& take, Instant now);

  // Calls look(lease) for those that are due: it says when to look again, or never, and then the lease is gone.
  template <class Look>
  void turn(Instant now, const Look& look) {
    wheel_.turn(now, [&](size_t place) {
      const std::optional<Instant> again = look(ways_[place]);
      if (!again) ways_.clear(place);
      return again;
    });
  }
  template <class Visit>
  void visit_all(const Visit& visit) {
    for (size_t place = 0; place < ways_.size(); ++place) {
      if (ways_.is_used(place)) visit(ways_[place]);
    }
  }

 private:
  Ways<Lease> ways_;
  Wheel wheel_;
};

}  // namespace sluice::shortcuts
