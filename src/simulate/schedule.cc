#include "simulate/schedule.h"

#include <algorithm>

namespace sluice::simulate {

int64_t Schedule::requests() const {
  int64_t sum = 0;
  for (const Phase& phase : phases) sum += phase.requests();
  return sum;
}

Tokens Schedule::smallest_cost() const {
  Tokens smallest;
  for (const Phase& phase : phases) {
    if (phase.ticks > 0 && (smallest == Tokens() || phase.cost < smallest)) smallest = phase.cost;
  }
  return smallest;
}

Tokens Schedule::largest_cost() const {
  Tokens largest;
  for (const Phase& phase : phases) {
    if (phase.ticks > 0) largest = std::max(largest, phase.cost);
  }
  return largest;
}

Instant Schedule::last_arrival() const {
  const auto busy = std::find_if(phases.rbegin(), phases.rend(), [](const Phase& phase) { return phase.ticks > 0; });
  return busy->tick(busy->ticks - 1);
}

}  // namespace sluice::simulate
