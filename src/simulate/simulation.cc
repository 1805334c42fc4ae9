#include "simulate/simulation.h"

#include <algorithm>

namespace sluice::simulate {
namespace {

// No more admissions fit into a window than the capacity pays for.
size_t admissions_in_sight(const Limit& limit, const Schedule& schedule) {
  if (limit.algorithm() != Algorithm::kSlidingWindowLog || schedule.requests() == 0) return 0;
  const int64_t affordable = limit.capacity().micros() / schedule.smallest_cost().micros() + 1;
  return static_cast<size_t>(std::min(affordable, schedule.requests()));
}

}  // namespace

SimulatedBucket::SimulatedBucket(const Limit& limit, const Schedule& schedule)
    : limit_(limit), admissions_(admissions_in_sight(limit, schedule)) {
  bucket_.log.entries = admissions_.data();
  bucket_.log.slots = static_cast<uint32_t>(admissions_.size());
}

Decision SimulatedBucket::take(const Arrival& arrival) {
  const BucketOutcome outcome = decide(limit_, bucket_, arrival.cost, arrival.at);
  keep(limit_, bucket_, outcome, arrival.cost, arrival.at);
  return outcome.decision;
}

Tokens SimulatedBucket::remaining_at(Instant now) const {
  return decide(limit_, bucket_, Tokens(), now).decision.remaining;
}

void Summary::add(const Arrival& arrival, const Decision& decision) {
  ++requests;
  if (decision.allowed()) {
    ++allowed;
    longest_delay = std::max(longest_delay, decision.delay);
    return;
  }
  ++rejected;
  if (!first_rejection) first_rejection = arrival.at;
  if (decision.verdict == Verdict::kCostExceedsCapacity) {
    ++impossible;
  } else {
    longest_wait = std::max(longest_wait, decision.retry_after);
  }
}

Summary summarize(const Limit& limit, const Schedule& schedule) {
  Summary summary;
  simulate(limit, schedule, [&](const Arrival& arrival, const Decision& decision) {
    summary.add(arrival, decision);
    return true;
  });
  return summary;
}

}  // namespace sluice::simulate
