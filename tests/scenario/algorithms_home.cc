#include "scenario/algorithms_home.h"

#include <algorithm>

#include "algorithms/pace.h"

namespace sluice::scenario {
namespace {

// Whether `a` names a rejection rather than `b`: the impossible before any wait, then the longer wait.
bool rejects_harder(const Decision& a, const Decision& b) {
  if (a.verdict != b.verdict) return a.verdict > b.verdict;
  return a.retry_after > b.retry_after;
}

// Whether the decision on several buckets speaks of `a` rather than `b`. Where neither is tighter the first one stays.
bool is_tighter(const Decision& a, const Decision& b) {
  if (a.allowed() && b.allowed()) return a.remaining < b.remaining;
  return rejects_harder(a, b);
}

bool is_full(const Limit& limit, const Bucket& bucket, Instant now) {
  switch (limit.algorithm()) {
    case Algorithm::kSlidingWindowLog: return sliding_window_log::is_full(bucket.log, now);
    case Algorithm::kSlidingWindowCounter: return sliding_window_counter::is_full(bucket.counts, now);
    default: return pace::is_full(bucket.state, now);
  }
}

// A log that never merges admissions, since it always has a slot to spare.
void make_room(AdmissionLog& log, std::vector<Admission>& memory) {
  if (log.count < log.slots) return;
  std::vector<Admission> larger(std::max<size_t>(8, 2 * memory.size()));
  for (uint32_t i = 0; i < log.count; ++i) larger[i] = log[i];
  memory = std::move(larger);
  log.entries = memory.data();
  log.slots = static_cast<uint32_t>(memory.size());
  log.first = 0;
}

}  // namespace

AlgorithmsHome::Held& AlgorithmsHome::held(const Take& take, Instant now) {
  const auto [at, is_new] = buckets_.try_emplace({take.limit_name, take.key});
  if (full_buckets_ == FullBuckets::kForgotten && !is_new && is_full(take.limit, at->second.bucket, now)) {
    at->second = Held();
  }
  return at->second;
}

std::vector<BucketOutcome> AlgorithmsHome::decide_all(std::span<const Take> takes, Instant now) {
  std::vector<BucketOutcome> outcomes;
  for (const Take& take : takes) outcomes.push_back(decide(take.limit, held(take, now).bucket, take.cost, now));
  return outcomes;
}

Answer AlgorithmsHome::answer(std::span<const Take> takes, const std::vector<BucketOutcome>& outcomes, Instant now) {
  uint32_t tightest = 0;
  Duration delay;
  for (uint32_t i = 0; i < outcomes.size(); ++i) {
    if (is_tighter(outcomes[i].decision, outcomes[tightest].decision)) tightest = i;
    delay = std::max(delay, outcomes[i].decision.delay);
  }
  Answer answer{outcomes[tightest].decision, {}};
  answer.decision.bucket = tightest;
  // A request that passes several queues is held until the slowest lets it go.
  answer.decision.delay = answer.decision.allowed() ? delay : Duration();
  answer.reset_after = time_to_full(takes[tightest].limit, held(takes[tightest], now).bucket, now);
  return answer;
}

Answer AlgorithmsHome::take(std::span<const Take> takes, Instant now) {
  const std::vector<BucketOutcome> outcomes = decide_all(takes, now);
  const bool all_allowed =
      std::all_of(outcomes.begin(), outcomes.end(), [](const BucketOutcome& o) { return o.decision.allowed(); });
  for (size_t i = 0; i < takes.size(); ++i) {
    // A bucket that would have let a rejected request pass keeps its tokens (law 6).
    if (outcomes[i].decision.allowed() && !all_allowed) continue;
    Held& kept = held(takes[i], now);
    if (takes[i].limit.algorithm() == Algorithm::kSlidingWindowLog) make_room(kept.bucket.log, kept.admissions);
    keep(takes[i].limit, kept.bucket, outcomes[i], takes[i].cost, now);
  }
  return answer(takes, outcomes, now);
}

Answer AlgorithmsHome::peek(std::span<const Take> takes, Instant now) {
  std::vector<BucketOutcome> outcomes = decide_all(takes, now);
  for (size_t i = 0; i < takes.size(); ++i) {
    Decision& decision = outcomes[i].decision;
    if (decision.allowed()) decision.remaining = decision.remaining + takes[i].cost;
  }
  return answer(takes, outcomes, now);
}

void AlgorithmsHome::refund(std::span<const Take> takes, Instant now) {
  for (const Take& take : takes) sluice::refund(take.limit, held(take, now).bucket, take.cost, now);
}

}  // namespace sluice::scenario
