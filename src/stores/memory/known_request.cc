#include "stores/memory/known_request.h"

#include "stores/memory/request.h"

namespace sluice::memory {

using stores::BucketResult;
using stores::names_before;

// Where the buckets are, in ascending order. False if one is not known or not small, or a key is named twice.
inline bool KnownRequest::find() {
  for (size_t i = 0; i < count_; ++i) {
    Visit& visit = visits_[i];
    visit.slot = table_.find_known(visit.fingerprint);
    if (visit.slot == nullptr || !is_small(takes_[i].limit->algorithm())) return false;
    size_t at = i;
    for (; at > 0 && by_address_[at - 1]->slot >= visit.slot; --at) {
      if (by_address_[at - 1]->slot == visit.slot) return false;
      by_address_[at] = by_address_[at - 1];
    }
    by_address_[at] = &visit;
  }
  return true;
}

// A rejected request takes from no bucket; one that found a changed limit carries its bucket over all the same.
inline void KnownRequest::unlock(bool take) {
  for (size_t i = 0; i < count_; ++i) {
    const Visit& visit = visits_[i];
    const bool is_written = visit.changed && (take || !visit.allowed);
    visit.slot->bucket.unlock(is_written ? visit.after : visit.before);
  }
}

inline bool KnownRequest::lock() {
  bool all_current = true;
  for (size_t i = 0; i < count_; ++i) {
    Visit& visit = *by_address_[i];
    visit.before = visit.slot->bucket.lock();
    visit.changed = false;
    all_current &= visit.slot->holds(visit.fingerprint) && !Annexes::is_annex(visit.before);
  }
  if (!all_current) unlock(false);
  return all_current;
}

bool KnownRequest::take(Instant now, Decision& decision, std::span<BucketResult> results) {
  if (!find() || !lock()) return false;
  Duration longest_delay;
  uint32_t named = 0;
  for (size_t i = 0; i < count_; ++i) {
    Visit& visit = visits_[i];
    const Outcome outcome = decide_small(*takes_[i].limit, visit.before.unpack(), takes_[i].cost, now);
    visit.after = PackedBucket::pack(outcome.state);
    visit.changed = outcome.changed;
    visit.allowed = outcome.decision.allowed();
    if (outcome.decision.delay > longest_delay) longest_delay = outcome.decision.delay;
    if (!results.empty()) results[i].decision.assign_parts(outcome.decision);
    if (i > 0 && !names_before(outcome.decision, decision)) continue;
    decision.assign_parts(outcome.decision);
    named = static_cast<uint32_t>(i);
  }
  unlock(decision.allowed());
  decision.delay = decision.allowed() ? longest_delay : Duration();
  decision.bucket = named;
  if (!results.empty()) tell(results, decision.allowed(), now);
  return true;
}

// No lock is needed: what is told is how the buckets stood when they were let go.
void KnownRequest::tell(std::span<BucketResult> results, bool is_taken, Instant now) {
  for (size_t i = 0; i < count_; ++i) {
    const Visit& visit = visits_[i];
    Decision& decision = results[i].decision;
    if (decision.allowed() && !is_taken) decision.remaining = decision.remaining + takes_[i].cost;
    const PackedBucket& left = visit.changed && (is_taken || !visit.allowed) ? visit.after : visit.before;
    results[i].reset_after = time_to_full(*takes_[i].limit, {left.unpack(), {}, {}}, now);
  }
}

}  // namespace sluice::memory
