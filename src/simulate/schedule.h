// When requests arrive and what each costs: phases of traffic, one after another, starting at time 0.
// Arrival times are computed, not added up, so the millionth is as exact as the first.
#pragma once

#include <stdint.h>

#include <vector>

#include "sluice/units.h"

namespace sluice::simulate {

__extension__ using Wide = unsigned __int128;

// A length of time in nanoseconds, as a fraction: 60 per second are 1e9/60 apart.
struct Spacing {
  Wide numerator = 0;
  uint64_t denominator = 1;
};

// `per_tick` requests at each of `ticks` evenly spaced points in time. An idle phase has none.
struct Phase {
  Instant start;
  Duration length;
  Spacing spacing;
  int64_t ticks = 0;
  int64_t per_tick = 1;
  Tokens cost;

  Instant end() const { return start + length; }
  int64_t requests() const { return ticks * per_tick; }
  // The k-th tick, rounded down to a nanosecond.
  Instant tick(int64_t k) const {
    return start + Duration(static_cast<int64_t>(static_cast<Wide>(k) * spacing.numerator / spacing.denominator));
  }
};

struct Arrival {
  Instant at;
  Tokens cost;
};

struct Schedule {
  std::vector<Phase> phases;

  Instant end() const { return phases.empty() ? Instant() : phases.back().end(); }
  int64_t requests() const;
  // The smallest and largest cost of a request. Zero when there are no requests.
  Tokens smallest_cost() const;
  Tokens largest_cost() const;
  // REQUIRES: requests() > 0.
  Instant last_arrival() const;
};

// Calls visit(Arrival) for every request, in order of time, until it answers false.
template <class Visit>
void each_arrival(const Schedule& schedule, const Visit& visit) {
  for (const Phase& phase : schedule.phases) {
    for (int64_t k = 0; k < phase.ticks; ++k) {
      const Arrival arrival{phase.tick(k), phase.cost};
      for (int64_t i = 0; i < phase.per_tick; ++i) {
        if (!visit(arrival)) return;
      }
    }
  }
}

}  // namespace sluice::simulate
