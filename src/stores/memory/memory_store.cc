#include "stores/memory/memory_store.h"

#include <algorithm>
#include <array>
#include <new>

#include "stores/memory/known_request.h"

namespace sluice::memory {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using stores::Progress;

namespace {

constexpr uint64_t kLeastBytes = uint64_t{1} << 20;
// The table leaves one part in so many to the sliding windows' annexes, and never takes it back, nor they more.
constexpr uint64_t kAnnexShare = 8;

}  // namespace

Result<std::unique_ptr<MemoryStore>> MemoryStore::create(const Options& options) {
  if (options.max_bytes < kLeastBytes) return Error{ErrorCode::kTooSmall, "max_bytes"};
  auto store = std::unique_ptr<MemoryStore>(new (std::nothrow) MemoryStore(options));
  if (store == nullptr) return Error{ErrorCode::kOutOfMemory, "max_bytes"};
  Table::Options table_options;
  table_options.lead_slots = SharedBuckets::kCount;
  table_options.huge_pages = options.huge_pages;
  table_options.max_slots =
      Table::max_slots_within(options.max_bytes - options.max_bytes / kAnnexShare, table_options.lead_slots);
  auto table = Table::create(table_options, store->annexes_);
  if (!table) return table.error();
  store->table_ = std::move(*table);
  return store;
}

MemoryStore::MemoryStore(const Options& options) : annexes_(options.max_bytes / kAnnexShare) {}

Decision MemoryStore::take(const Take& take, Instant now) {
  Decision decision;
  take_one(fingerprint_of(take), take, now, decision);
  return decision;
}

Decision MemoryStore::take(const Take& take, Clock& clock) {
  const Fingerprint fingerprint = fingerprint_of(take);
  table_->prefetch(fingerprint);
  Decision decision;
  take_one(fingerprint, take, clock.now(), decision);
  return decision;
}

[[gnu::always_inline]] inline void MemoryStore::take_one(Fingerprint fingerprint, const Take& take, Instant now,
                                                         Decision& decision) {
  if (!take_known(fingerprint, take, now, decision)) decision = decide_all({&take, 1}, now, true);
}

// The same, telling when the bucket will be full. That is computed when its lock is gone.
[[gnu::always_inline]] inline void MemoryStore::take_one(Fingerprint fingerprint, const Take& take, Instant now,
                                                         BucketResult& result) {
  BucketState left;
  if (take_known(fingerprint, take, now, result.decision, &left)) {
    const Limit& limit = *take.limit;
    result.reset_after = limit.algorithm() == Algorithm::kFixedWindow ? fixed_window::time_to_full(limit, left, now)
                                                                      : token_bucket::time_to_full(limit, left, now);
  } else {
    decide_all({&take, 1}, now, true, {&result, 1});
  }
}

// The way nearly every request goes: one bucket, known, small. False when it is none of these.
[[gnu::always_inline]] inline bool MemoryStore::take_known(Fingerprint fingerprint, const Take& take, Instant now,
                                                           Decision& decision, BucketState* left) {
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
  decision.assign_parts(outcome.decision);
  if (left != nullptr) *left = outcome.state;
  return true;
}

void MemoryStore::take_each(std::span<const Take> takes, std::span<Decision> decisions, Instant now) {
  take_ahead([&](size_t i) -> const Take& { return takes[i]; }, decisions.first(takes.size()), now);
}

void MemoryStore::take_each(std::span<const std::string_view> keys, const Take& each, std::span<Decision> decisions,
                            Instant now) {
  take_ahead(
      [&](size_t i) {
        return Take{keys[i], each.limit, each.cost, each.part};
      },
      decisions.first(keys.size()), now);
}

// Finds out where the buckets of a few requests are and has them fetched, before it decides the first of them.
template <class TakeAt, class Answer>
void MemoryStore::take_ahead(const TakeAt& take_at, std::span<Answer> answers, Instant now) {
  constexpr size_t kAhead = 16;
  Fingerprint fingerprints[kAhead];
  for (size_t start = 0; start < answers.size(); start += kAhead) {
    const size_t end = std::min(start + kAhead, answers.size());
    for (size_t i = start; i < end; ++i) {
      fingerprints[i - start] = fingerprint_of(take_at(i));
      table_->prefetch(fingerprints[i - start]);
    }
    for (size_t i = start; i < end; ++i) {
      const Take& take = take_at(i);
      take_one(fingerprints[i - start], take, now, answers[i]);
    }
  }
}

Decision MemoryStore::take_all(std::span<const Take> takes, Instant now) { return take_all_telling(takes, now, {}); }

Decision MemoryStore::take_all_telling(std::span<const Take> takes, Instant now, std::span<BucketResult> results) {
  Decision decision;
  if (!takes.empty() && takes.size() <= KnownRequest::kMaxTakes) {
    KnownRequest request(*table_, takes);
    for (const Take& take : takes) request.add(fingerprint_of(take));
    if (request.take(now, decision, results)) return decision;
  }
  decision = decide_all(takes, now, true, results);
  return decision;
}

Progress MemoryStore::ask(Ask& ask) {
  if (ask.action == Action::kRefund || ask.action == Action::kReset) {
    for (const Take& take : ask.takes) ask.action == Action::kRefund ? refund(take, ask.now) : reset(take);
    return Progress::kAnswered;
  }
  const bool keep = ask.action == Action::kTake;
  if (keep && ask.together == 0) {
    take_ahead([&](size_t i) -> const Take& { return ask.takes[i]; }, ask.results.first(ask.takes.size()), ask.now);
    return Progress::kAnswered;
  }
  const auto decide = [&](size_t first, size_t count, bool take) {
    const auto takes = ask.takes.subspan(first, count);
    const auto results = ask.results.subspan(first, count);
    return take ? take_all_telling(takes, ask.now, results) : decide_all(takes, ask.now, false, results);
  };
  const bool passes = ask.together == 0 || decide(0, ask.together, keep).allowed();
  for (size_t i = ask.together; i < ask.takes.size(); ++i) decide(i, 1, keep && passes);
  return Progress::kAnswered;
}

Decision MemoryStore::peek(std::span<const Take> takes, Instant now) { return decide_all(takes, now, false); }

Decision MemoryStore::decide_all(std::span<const Take> takes, Instant now, bool keep, std::span<BucketResult> results) {
  Request request(*table_, annexes_);
  for (const Take& take : takes.first(std::min(takes.size(), kMaxTakes))) request.add(take, fingerprint_of(take));
  const Decision decision = request.decide(now, keep, results);
  if (request.taken_from_shared() > 0) {
    shared_decisions_.fetch_add(request.taken_from_shared(), std::memory_order_relaxed);
  }
  return decision;
}

void MemoryStore::refund(const Take& take, Instant now) {
  visit_known(take, [&](PackedBucket& packed) {
    if (Annexes::is_annex(packed)) {
      Annex& annex = *Annexes::of(packed);
      sluice::refund(annex.limit, annex.bucket, take.cost, now);
      packed = annexes_.pack(&annex, now + sluice::time_to_full(annex.limit, annex.bucket, now));
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
  BucketResult result;
  decide_all({&take, 1}, now, false, {&result, 1});
  return result.reset_after;
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
