// One bucket of one limit, asked by a schedule of requests in simulated time. No clock, no terminal: the same schedule
// gives the same decisions every time, so callers that need them twice may simply run it twice.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/bucket.h"
#include "simulate/schedule.h"

namespace sluice::simulate {

class SimulatedBucket {
 public:
  // Holds every admission that the schedule can have in sight at once, so the log is exact.
  SimulatedBucket(const Limit& limit, const Schedule& schedule);
  SimulatedBucket(const SimulatedBucket&) = delete;
  SimulatedBucket& operator=(const SimulatedBucket&) = delete;

  Decision take(const Arrival& arrival);
  // The tokens there are at `now`, if nobody asks. REQUIRES: not before the last take.
  Tokens remaining_at(Instant now) const;

 private:
  Limit limit_;
  std::vector<Admission> admissions_;
  Bucket bucket_;
};

struct Summary {
  int64_t requests = 0;
  int64_t allowed = 0;
  int64_t rejected = 0;
  // Of the rejected: those that cost more than the bucket holds, and so are told no wait.
  int64_t impossible = 0;
  std::optional<Instant> first_rejection;
  Duration longest_wait;   // told to a rejected request
  Duration longest_delay;  // told to an admitted one, by a leaky queue

  void add(const Arrival& arrival, const Decision& decision);
};

Summary summarize(const Limit& limit, const Schedule& schedule);

// Calls visit(arrival, decision) for every request until it answers false.
template <class Visit>
void simulate(const Limit& limit, const Schedule& schedule, const Visit& visit) {
  SimulatedBucket bucket(limit, schedule);
  each_arrival(schedule, [&](const Arrival& arrival) { return visit(arrival, bucket.take(arrival)); });
}

}  // namespace sluice::simulate
