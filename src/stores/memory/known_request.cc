#include "stores/memory/known_request.h"

#include "stores/memory/request.h"

namespace sluice::memory {

using stores::BucketResult;
using stores::names_before;

// Where the buckets are. False if one is not known or not small, or a key is named twice.
inline bool KnownRequest::find() {
  for (size_t i = 0; i < count_; ++i) {
    Visit& visit = visits_[i];
    visit.slot = table_.find_known(visit.fingerprint);
    if (visit.slot == nullptr || !is_small(takes_[i].limit->algorithm())) return false;
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (visits_[earlier].slot == visit.slot) return false;
    }
  }
  return true;
}

// In the order of the takes: sorting them would cost as much as one of them. Where another thread is in the way for
// long, everything is given back, and a Request waits, in ascending order.
inline bool KnownRequest::lock(Visit& visit) {
  if (!visit.slot->bucket.lock_soon(visit.before)) return false;
  if (visit.slot->holds(visit.fingerprint) && !Annexes::is_annex(visit.before)) return true;
  visit.slot->bucket.unlock(visit.before);
  return false;
}

bool KnownRequest::give_up(size_t locked) {
  for (size_t i = 0; i < locked; ++i) visits_[i].slot->bucket.unlock(visits_[i].before);
  return false;
}

// A rejected request takes from no bucket; one that found a changed limit carries its bucket over all the same.
inline void KnownRequest::unlock(bool is_taken) {
  for (size_t i = 0; i < count_; ++i) {
    const Visit& visit = visits_[i];
    visit.slot->bucket.unlock(is_taken || !visit.allowed ? visit.after : visit.before);
  }
}

bool KnownRequest::take(Instant now, Decision& decision, std::span<BucketResult> results) {
  if (!find()) return false;
  Decision named;  // Here, and not where it is wanted: so it stays in registers.
  Duration longest_delay;
  for (size_t i = 0; i < count_; ++i) {
    Visit& visit = visits_[i];
    if (!lock(visit)) return give_up(i);
    const Outcome outcome = decide_small(*takes_[i].limit, visit.before.unpack(), takes_[i].cost, now);
    visit.after = outcome.changed ? PackedBucket::pack(outcome.state) : visit.before;
    visit.allowed = outcome.decision.allowed();
    if (outcome.decision.delay > longest_delay) longest_delay = outcome.decision.delay;
    if (!results.empty()) results[i].decision.assign_parts(outcome.decision);
    if (i > 0 && !names_before(outcome.decision, named)) continue;
    named.assign_parts(outcome.decision);
    named.bucket = static_cast<uint32_t>(i);
  }
  unlock(named.allowed());
  named.delay = named.allowed() ? longest_delay : Duration();
  decision.assign_parts(named);
  if (!results.empty()) tell(results, decision.allowed(), now);
  return true;
}

// No lock is needed: what is told is how the buckets stood when they were let go.
void KnownRequest::tell(std::span<BucketResult> results, bool is_taken, Instant now) {
  for (size_t i = 0; i < count_; ++i) {
    const Visit& visit = visits_[i];
    Decision& decision = results[i].decision;
    if (decision.allowed() && !is_taken) decision.remaining = decision.remaining + takes_[i].cost;
    const PackedBucket& left = is_taken || !visit.allowed ? visit.after : visit.before;
    results[i].reset_after = time_to_full(*takes_[i].limit, {left.unpack(), {}, {}}, now);
  }
}

}  // namespace sluice::memory
