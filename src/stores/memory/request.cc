#include "stores/memory/request.h"

#include <algorithm>
#include <new>

namespace sluice::memory {

using stores::BucketResult;
using stores::names_before;

namespace {

// Until nothing is spent, as far as the pace can tell: never less than it truly takes.
Duration time_to_full_by_pace(const BucketState& state, Instant now) {
  const int64_t spent = pace::still_spent(state, now);
  if (spent == 0) return {};
  if ((state.pace & pace::kWindowBit) == 0) return pace::time_to_refill(state.pace, spent);
  return exact::wait_until(Instant(state.since_ns) + Duration(pace::window_ns(state.pace)), now);
}

constexpr Tokens kBeyondAnyCapacity = Tokens::whole(2'000'000'000'000);

// A bucket that another algorithm left behind: what it still counts as spent, for the new one to start from. That may
// be more than it may hold by now.
BucketState as_small(const PackedBucket& packed, Instant now) {
  if (!Annexes::is_annex(packed)) return packed.unpack();
  const Annex& annex = *Annexes::of(packed);
  return {taken(annex.limit.algorithm(), annex.bucket, now), now.ns, annex.limit.pace()};
}

}  // namespace

void Request::add(const Take& take, const Fingerprint& fingerprint) {
  const uint32_t index = added_++;
  for (Visit& visit : visits()) {
    if (visit.fingerprint != fingerprint) continue;
    // Beyond any capacity all costs are alike; the sum must not wrap.
    visit.take.cost = std::min(visit.take.cost + take.cost, kBeyondAnyCapacity);
    visit_of_[index] = static_cast<uint8_t>(&visit - visits().data());
    return;
  }
  visit_of_[index] = static_cast<uint8_t>(count_);
  new (memory_ + count_ * sizeof(Visit)) Visit{take, fingerprint, index};
  ++count_;
  table_.prefetch(fingerprint);
}

Decision Request::decide(Instant now, bool keep, std::span<BucketResult> results) {
  make_room(now);
  do {
    locate();
  } while (!lock());
  for (Visit& visit : visits()) decide_visit(visit, now);
  Decision decision = combine();
  size_t claims = 0;
  for (Visit& visit : visits()) {
    if (keep && (decision.allowed() || carries_over(visit))) {
      if (!visit.is_found()) ++claims;
      write(visit, now);
    }
    if (visit.annex_is_new) annexes_.release(visit.annex);
    if (!keep && decision.allowed() && visit.index == decision.bucket) {
      decision.remaining = decision.remaining + visit.take.cost;
    }
  }
  if (!results.empty()) tell(results, {keep && decision.allowed(), !keep}, now);
  unlock();
  // A share for each: else a table that grows by many keys at a time were crowded before it is swept.
  for (; claims > 0; --claims) table_.maintain(now);
  return decision;
}

// A rejection takes nothing, but a bucket whose limit was changed is kept as the new one sees it. Who only looks
// changes nothing.
bool Request::carries_over(const Visit& visit) { return visit.changed && !visit.decision.allowed(); }

void Request::tell(std::span<BucketResult> results, Kept kept, Instant now) {
  for (uint32_t i = 0; i < added_; ++i) {
    const Visit& visit = visits()[visit_of_[i]];
    Decision& decision = results[i].decision;
    decision.assign_parts(visit.decision);
    if (decision.allowed() && !kept.is_taken) decision.remaining = decision.remaining + visit.take.cost;
    results[i].reset_after = time_to_full_of(visit, kept, now);
  }
}

Duration Request::time_to_full_of(const Visit& visit, Kept kept, Instant now) const {
  const Limit& limit = *visit.take.limit;
  const bool is_written = kept.is_taken || (!kept.is_peek && carries_over(visit));
  if (!visit.is_shared && visit.annex != nullptr && !visit.annex_is_new) {
    return time_to_full(limit, visit.annex->bucket, now);
  }
  // What a written bucket was packed in may be gone.
  const BucketState state = is_written ? visit.next : as_small(visit.packed, now);
  if (!visit.is_shared && is_small(limit.algorithm())) return time_to_full(limit, {state, {}, {}}, now);
  return state.spent == 0 ? Duration() : time_to_full_by_pace(state, now);
}

// Before anything is located: a sweep moves what it passes.
void Request::make_room(Instant now) {
  int pieces = kMostPieces;
  for (Visit& visit : visits()) {
    visit.place = table_.find(visit.fingerprint);
    visit.has_memory = !needs_annex(visit) || make_annex_room(now, pieces);
    visit.has_room = visit.place.found || table_.make_room(now);
  }
}

void Request::locate() {
  Slot* taken[kMaxTakes];
  size_t taken_count = 0;
  for (Visit& visit : visits()) {
    visit.is_shared = false;
    visit.shared = nullptr;
    visit.place = table_.find(visit.fingerprint, {taken, taken_count});
    if (visit.place.found) continue;
    visit.shared = SharedBuckets(table_.lead()).of(visit.fingerprint);
    visit.is_shared = visit.place.slot == nullptr || !visit.has_memory || !visit.has_room;
    if (!visit.is_shared) taken[taken_count++] = visit.place.slot;
  }
}

// As far as can be said without the lock.
bool Request::needs_annex(const Visit& visit) {
  if (is_small(visit.take.limit->algorithm())) return false;
  return !visit.place.found || !Annexes::is_annex(visit.place.slot->bucket.glance());
}

// Does at most so many `pieces`. REQUIRES: this thread holds no lock.
bool Request::make_annex_room(Instant now, int& pieces) {
  for (; pieces > 0 && !annexes_.has_room() && annexes_.may_reclaim(now); --pieces) table_.reclaim(now);
  return annexes_.has_room();
}

bool Request::lock() {
  lock_count_ = 0;
  const auto add = [this](Slot* slot) {
    size_t at = lock_count_;
    while (at > 0 && locks_[at - 1] > slot) --at;
    if (at > 0 && locks_[at - 1] == slot) return;
    std::copy_backward(locks_ + at, locks_ + lock_count_, locks_ + lock_count_ + 1);
    locks_[at] = slot;
    ++lock_count_;
  };
  for (const Visit& visit : visits()) {
    if (visit.shared != nullptr) add(visit.shared);
    if (visit.place.slot != nullptr) add(visit.place.slot);
  }
  for (size_t i = 0; i < lock_count_; ++i) locks_[i]->bucket.lock();
  for (const Visit& visit : visits()) {
    if (is_current(visit)) continue;
    unlock();
    return false;
  }
  return true;
}

void Request::unlock() {
  for (size_t i = 0; i < lock_count_; ++i) locks_[i]->bucket.unlock();
}

// One that goes to the shared bucket must have none of its own: a key that is being moved by a sweep is looked for
// again.
bool Request::is_current(const Visit& visit) const {
  if (visit.place.slot == nullptr) return !table_.find(visit.fingerprint).found;
  return table_.is_current(visit.place, visit.fingerprint);
}

void Request::decide_visit(Visit& visit, Instant now) {
  visit.packed = (visit.place.found ? *visit.place.slot : *visit.shared).bucket.read_locked();
  const Limit& limit = *visit.take.limit;
  if (visit.is_shared || is_small(limit.algorithm())) {
    const Outcome outcome = visit.is_shared ? SharedBuckets::decide(limit, shared_state(visit), visit.take.cost, now)
                                            : decide_small(limit, as_small(visit.packed, now), visit.take.cost, now);
    visit.decision.assign_parts(outcome.decision);
    visit.next = outcome.state;
    visit.changed = outcome.changed;
  } else if (prepare_annex(visit, now)) {
    const BucketOutcome outcome = sluice::decide(limit, visit.annex->bucket, visit.take.cost, now);
    visit.decision = outcome.decision;
    visit.changed = outcome.changed || visit.starts_spent;
  } else {
    if (visit.annex_is_new) annexes_.release(visit.annex);
    visit.annex_is_new = false;
    visit.annex = nullptr;
    // Counted in the slot itself: stricter than the window, never laxer.
    const Outcome outcome = SharedBuckets::decide(limit, as_small(visit.packed, now), visit.take.cost, now);
    visit.decision.assign_parts(outcome.decision);
    visit.next = outcome.state;
    visit.changed = outcome.changed;
  }
}

Decision Request::combine() {
  const Visit* named = nullptr;
  Duration longest_delay;
  for (const Visit& visit : visits()) {
    if (named == nullptr || names_before(visit.decision, named->decision)) named = &visit;
    if (visit.decision.delay > longest_delay) longest_delay = visit.decision.delay;
  }
  if (named == nullptr) return {};
  // A request that passes several queues is held until the slowest lets it go.
  const Decision& decision = named->decision;
  return {decision.verdict, decision.remaining, decision.retry_after, decision.allowed() ? longest_delay : Duration(),
          named->index};
}

// Two keys of one request may share a bucket: the second finds it as the first leaves it.
BucketState Request::shared_state(const Visit& visit) {
  BucketState state = visit.packed.unpack();
  for (const Visit& earlier : visits().first(static_cast<size_t>(&visit - visits().data()))) {
    if (earlier.is_shared && earlier.shared == visit.shared) state = earlier.next;
  }
  return state;
}

// Sees to it that visit.annex holds the bucket, with room for one more admission.
bool Request::prepare_annex(Visit& visit, Instant now) {
  const Limit& limit = *visit.take.limit;
  const bool has_annex = Annexes::is_annex(visit.packed);
  if (has_annex && Annexes::of(visit.packed)->limit.algorithm() == limit.algorithm()) {
    visit.annex = Annexes::of(visit.packed);
  } else {
    visit.annex = annexes_.make(limit);
    if (visit.annex == nullptr) return false;
    visit.annex_is_new = true;
    const BucketState before = as_small(visit.packed, now);
    const Tokens spent = Tokens::micros(before.spent == 0 ? 0 : pace::still_spent(before, now));
    if (!annexes_.start_from(*visit.annex, spent, now)) return false;
    visit.starts_spent = spent.micros() > 0;
  }
  return annexes_.make_room(*visit.annex);
}

// Makes the outcome of a visit the bucket's state; its slot stays locked.
void Request::write(Visit& visit, Instant now) {
  const Limit& limit = *visit.take.limit;
  PackedBucket next;
  if (visit.is_shared || visit.annex == nullptr) {
    next = PackedBucket::pack(visit.next);
  } else {
    Bucket& bucket = visit.annex->bucket;
    keep(limit, bucket, sluice::decide(limit, bucket, visit.take.cost, now), visit.take.cost, now);
    visit.annex->limit = limit;
    visit.annex_is_new = false;
    next = annexes_.pack(visit.annex, now + time_to_full(limit, bucket, now));
  }
  if (!visit.is_shared && Annexes::is_annex(visit.packed) && Annexes::of(visit.packed) != visit.annex) {
    annexes_.release(Annexes::of(visit.packed));
  }
  if (visit.is_shared) ++taken_from_shared_;
  if (!visit.is_found()) table_.claim(visit.place, visit.fingerprint);
  visit.slot().bucket.write_locked(next);
}

}  // namespace sluice::memory
