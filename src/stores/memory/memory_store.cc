#include "stores/memory/memory_store.h"

#include <algorithm>
#include <array>
#include <new>

namespace sluice::memory {
namespace {

constexpr uint64_t kLeastBytes = uint64_t{1} << 20;
// What the table leaves to the sliding windows' annexes.
constexpr uint64_t kAnnexShare = 8;
constexpr Duration kWhenOutOfMemory = Duration::seconds(1);

uint64_t slots_within(uint64_t bytes) { return bytes / sizeof(Slot) - SharedBuckets::kCount - 2048; }

// A bucket that another algorithm left behind: what it still holds as spent, for the new one to start from.
BucketState as_small(const PackedBucket& packed, Instant now) {
  if (!Annexes::is_annex(packed)) return packed.unpack();
  const Annex& annex = *Annexes::of(packed);
  const Decision decision = decide(annex.limit, annex.bucket, Tokens::micros(1), now).decision;
  const int64_t left = decision.remaining.micros() + (decision.allowed() ? 1 : 0);
  return {annex.limit.capacity().micros() - left, now.ns, annex.limit.pace()};
}

}  // namespace

// One bucket of a request. A known key locks its slot, a new one the slot it would be put in and its shared bucket.
struct MemoryStore::Visit {
  Take take;
  Fingerprint fingerprint;
  Table::Place place;
  Slot* shared = nullptr;
  size_t index = 0;  // among the takes of the request
  bool is_shared = false;
  PackedBucket packed;
  Annex* annex = nullptr;
  bool annex_is_new = false;
  BucketOutcome outcome;

  bool is_found() const { return place.found || is_shared; }
  Slot& slot() const { return is_shared ? *shared : *place.slot; }
};

namespace {

// The locks of a request: each slot once, in ascending order.
class LockSet {
 public:
  void add(Slot* slot) { slots_[count_++] = slot; }
  void lock() {
    std::sort(slots_.begin(), slots_.begin() + count_);
    count_ = std::unique(slots_.begin(), slots_.begin() + count_) - slots_.begin();
    for (ptrdiff_t i = 0; i < count_; ++i) slots_[i]->bucket.lock();
  }
  void unlock() {
    for (ptrdiff_t i = 0; i < count_; ++i) slots_[i]->bucket.unlock();
    count_ = 0;
  }

 private:
  std::array<Slot*, 2 * MemoryStore::kMaxTakes> slots_;
  ptrdiff_t count_ = 0;
};

}  // namespace

Result<std::unique_ptr<MemoryStore>> MemoryStore::create(const Options& options) {
  if (options.max_bytes < kLeastBytes) return Error{ErrorCode::kTooSmall, "max_bytes"};
  auto store = std::unique_ptr<MemoryStore>(new (std::nothrow) MemoryStore(options));
  if (store == nullptr) return Error{ErrorCode::kOutOfMemory, "max_bytes"};
  Table::Options table_options;
  table_options.lead_slots = SharedBuckets::kCount;
  table_options.max_slots = slots_within(options.max_bytes - options.max_bytes / kAnnexShare);
  auto table = Table::create(table_options, store->annexes_);
  if (!table) return table.error();
  store->table_ = std::move(*table);
  return store;
}

MemoryStore::MemoryStore(const Options& options)
    : annexes_(options.max_bytes / kAnnexShare) {}

Decision MemoryStore::take(const Take& take, Instant now) {
  Decision decision;
  if (!take_known(fingerprint_of(take), take, now, decision)) decision = decide_all({&take, 1}, now, true);
  return decision;
}

// The way nearly every request goes: one bucket, known, small. False when it is none of these.
[[gnu::always_inline]] inline bool MemoryStore::take_known(Fingerprint fingerprint, const Take& take, Instant now,
                                                           Decision& decision) {
  const Limit& limit = *take.limit;
  Slot* const slot = table_->find_known(fingerprint);
  if (slot == nullptr || !is_small(limit.algorithm())) return false;
  const PackedBucket packed = slot->bucket.lock();
  if (!slot->holds(fingerprint) || Annexes::is_annex(packed)) {
    slot->bucket.unlock(packed);
    return false;
  }
  const Outcome outcome = decide_small(limit, packed.unpack(), take.cost, now);
  slot->bucket.unlock(outcome.changed ? PackedBucket::pack(outcome.state) : packed);
  decision = outcome.decision.by_parts();
  return true;
}

void MemoryStore::take_each(std::span<const Take> takes, std::span<Decision> decisions, Instant now) {
  constexpr size_t kAhead = 16;
  std::array<Fingerprint, kAhead> fingerprints;
  for (size_t start = 0; start < takes.size(); start += kAhead) {
    const size_t count = std::min(kAhead, takes.size() - start);
    for (size_t i = 0; i < count; ++i) {
      fingerprints[i] = fingerprint_of(takes[start + i]);
      table_->prefetch(fingerprints[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      const Take& take = takes[start + i];
      Decision& decision = decisions[start + i];
      if (!take_known(fingerprints[i], take, now, decision)) decision = decide_all({&take, 1}, now, true);
    }
  }
}

Decision MemoryStore::take_all(std::span<const Take> takes, Instant now) { return decide_all(takes, now, true); }

Decision MemoryStore::peek(std::span<const Take> takes, Instant now) { return decide_all(takes, now, false); }

Decision MemoryStore::decide_all(std::span<const Take> takes, Instant now, bool keep_takes) {
  std::array<Visit, kMaxTakes> all;
  size_t count = 0;
  for (size_t i = 0; i < std::min(takes.size(), kMaxTakes); ++i) {
    const Fingerprint fingerprint = fingerprint_of(takes[i]);
    Visit* const end = all.data() + count;
    Visit* const same = std::find_if(all.data(), end, [&](const Visit& v) { return v.fingerprint == fingerprint; });
    if (same != end) {
      same->take.cost = same->take.cost + takes[i].cost;
      continue;
    }
    table_->prefetch(fingerprint);
    end->take = takes[i];
    end->fingerprint = fingerprint;
    end->index = i;
    ++count;
  }
  const std::span<Visit> visits(all.data(), count);
  LockSet locks;
  for (;;) {
    locate(visits, now);
    for (const Visit& visit : visits) {
      if (visit.shared != nullptr) locks.add(visit.shared);
      if (!visit.is_shared) locks.add(visit.place.slot);
    }
    locks.lock();
    if (std::all_of(visits.begin(), visits.end(), [this](const Visit& visit) { return is_current(visit); })) break;
    locks.unlock();
  }

  Decision decision = decide_visits(visits, now);
  bool has_claimed = false;
  for (Visit& visit : visits) {
    const bool carries_over = visit.is_found() && visit.outcome.changed && !visit.outcome.decision.allowed();
    if ((keep_takes && decision.allowed()) || carries_over) {
      has_claimed |= !visit.is_found();
      keep(visit, now);
    }
    if (visit.annex_is_new) annexes_.release(visit.annex);
  }
  locks.unlock();
  if (has_claimed) table_->maintain(now);
  if (!keep_takes && decision.allowed()) decision.remaining = decision.remaining + takes[decision.bucket].cost;
  return decision;
}

void MemoryStore::locate(std::span<Visit> visits, Instant now) {
  std::array<Slot*, kMaxTakes> taken;
  size_t taken_count = 0;
  for (Visit& visit : visits) {
    visit.is_shared = false;
    visit.shared = nullptr;
    visit.place = table_->find(visit.fingerprint, {taken.data(), taken_count});
    if (visit.place.found) continue;
    visit.shared = shared_buckets().of(visit.fingerprint);
    const bool has_memory = is_small(visit.take.limit->algorithm()) || annexes_.has_room();
    visit.is_shared = visit.place.slot == nullptr || !has_memory || !table_->make_room(now);
    if (!visit.is_shared) taken[taken_count++] = visit.place.slot;
  }
}

// REQUIRES: the visit's slots are locked. A key may be put in only under the lock of its shared bucket, so one that
// goes to the shared bucket is known to have none of its own.
bool MemoryStore::is_current(const Visit& visit) const {
  if (visit.is_shared) return !table_->find(visit.fingerprint).found;
  return table_->is_current(visit.place, visit.fingerprint);
}

// An impossible cost names the decision before any wait, the longest wait before shorter ones, and if all pass, the
// bucket with the fewest tokens left.
Decision MemoryStore::decide_visits(std::span<Visit> visits, Instant now) {
  const Visit* named = nullptr;
  const auto is_worse = [](const Decision& a, const Decision& b) {
    if (a.verdict != b.verdict) return a.verdict > b.verdict;
    return a.allowed() ? a.remaining < b.remaining : a.retry_after > b.retry_after;
  };
  for (Visit& visit : visits) {
    visit.packed = (visit.place.found ? *visit.place.slot : *visit.shared).bucket.read_locked();
    const Limit& limit = *visit.take.limit;
    if (visit.is_shared) {
      const Outcome outcome = SharedBuckets::decide(limit, shared_state(visits, visit), visit.take.cost, now);
      visit.outcome = {outcome.decision, {outcome.state, {}, {}}, outcome.changed};
    } else if (is_small(limit.algorithm())) {
      visit.outcome = decide(limit, {as_small(visit.packed, now), {}, {}}, visit.take.cost, now);
    } else if (prepare_annex(visit, now)) {
      visit.outcome = decide(limit, visit.annex->bucket, visit.take.cost, now);
    } else {
      visit.outcome = {{Verdict::kLimited, {}, kWhenOutOfMemory, {}, 0}, {}, false};
    }
    if (named == nullptr || is_worse(visit.outcome.decision, named->outcome.decision)) named = &visit;
  }
  if (named == nullptr) return {};
  Decision decision = named->outcome.decision;
  decision.bucket = static_cast<uint32_t>(named->index);
  // A request that passes several queues is held until the slowest lets it go.
  decision.delay = {};
  for (const Visit& visit : visits) {
    if (decision.allowed() && visit.outcome.decision.delay > decision.delay) decision.delay = visit.outcome.decision.delay;
  }
  return decision;
}

// Two keys of one request may share a bucket: the second finds it as the first leaves it.
BucketState MemoryStore::shared_state(std::span<const Visit> visits, const Visit& visit) const {
  BucketState state = visit.packed.unpack();
  for (const Visit& earlier : visits.first(static_cast<size_t>(&visit - visits.data()))) {
    if (earlier.is_shared && earlier.shared == visit.shared) state = earlier.outcome.next.state;
  }
  return state;
}

// Sees to it that visit.annex holds the bucket, with room for one more admission.
bool MemoryStore::prepare_annex(Visit& visit, Instant now) {
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
  }
  return annexes_.make_room(*visit.annex);
}

// Writes the outcome of a visit; its slot stays locked.
void MemoryStore::keep(Visit& visit, Instant now) {
  const Limit& limit = *visit.take.limit;
  PackedBucket next;
  if (visit.is_shared || is_small(limit.algorithm())) {
    next = PackedBucket::pack(visit.outcome.next.state);
  } else {
    sluice::keep(limit, visit.annex->bucket, visit.outcome, visit.take.cost, now);
    visit.annex->limit = limit;
    visit.annex_is_new = false;
    next = Annexes::pack(visit.annex, now + sluice::time_to_full(limit, visit.annex->bucket, now));
  }
  if (!visit.is_shared && Annexes::is_annex(visit.packed) && Annexes::of(visit.packed) != visit.annex) {
    annexes_.release(Annexes::of(visit.packed));
  }
  if (visit.is_shared) shared_decisions_.fetch_add(1, std::memory_order_relaxed);
  if (!visit.is_found()) table_->claim(visit.place, visit.fingerprint);
  visit.slot().bucket.write_locked(next);
}

void MemoryStore::refund(const Take& take, Instant now) {
  visit_known(take, [&](PackedBucket& packed) {
    if (Annexes::is_annex(packed)) {
      Annex& annex = *Annexes::of(packed);
      sluice::refund(annex.limit, annex.bucket, take.cost, now);
      packed = Annexes::pack(&annex, now + sluice::time_to_full(annex.limit, annex.bucket, now));
    } else {
      Bucket bucket{packed.unpack(), {}, {}};
      if (is_small(take.limit->algorithm())) sluice::refund(*take.limit, bucket, take.cost, now);
      packed = PackedBucket::pack(bucket.state);
    }
  });
}

void MemoryStore::reset(const Take& take) {
  visit_known(take, [&](PackedBucket& packed) {
    if (Annexes::is_annex(packed)) annexes_.release(Annexes::of(packed));
    packed = {};
  });
}

Duration MemoryStore::time_to_full(const Take& take, Instant now) {
  Duration time;
  visit_known(take, [&](PackedBucket& packed) {
    if (Annexes::is_annex(packed)) {
      const Annex& annex = *Annexes::of(packed);
      time = sluice::time_to_full(annex.limit, annex.bucket, now);
    } else if (is_small(take.limit->algorithm())) {
      time = sluice::time_to_full(*take.limit, {packed.unpack(), {}, {}}, now);
    }
  });
  return time;
}

// Runs `change` on the bucket under its lock, if the key is known.
template <class Change>
void MemoryStore::visit_known(const Take& take, const Change& change) {
  const Fingerprint fingerprint = fingerprint_of(take);
  for (;;) {
    const Table::Place place = table_->find(fingerprint);
    if (place.slot == nullptr) return;
    PackedBucket packed = place.slot->bucket.lock();
    const bool is_current = table_->is_current(place, fingerprint);
    if (is_current && place.found) change(packed);
    place.slot->bucket.unlock(packed);
    if (is_current) return;
  }
}

Stats MemoryStore::stats() const {
  return {table_->used(), table_->bytes() + annexes_.bytes(), table_->reclaimed(),
          shared_decisions_.load(std::memory_order_relaxed)};
}

}  // namespace sluice::memory
