// Buckets too large for a slot: the sliding windows. The slot then holds a pointer, and the time when it is full.
// Whoever holds the slot's lock owns its annex. Memory is bounded and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "algorithms/bucket.h"
#include "stores/memory/slot.h"

namespace sluice::memory {

struct Annex {
  Limit limit;
  Bucket bucket;
};

class Annexes {
 public:
  // A log longer than this merges its newest admissions: stricter than the truth, never laxer.
  static constexpr uint32_t kMaxLogSlots = 1 << 16;
  // No rate or window yields this pace.
  static constexpr uint16_t kPace = 0x1fff;

  explicit Annexes(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // nullptr when the bound is reached.
  Annex* make(const Limit& limit) {
    if (!account(sizeof(Annex))) return nullptr;
    auto* annex = new (std::nothrow) Annex{limit, {}};
    if (annex == nullptr) bytes_.fetch_sub(sizeof(Annex), std::memory_order_relaxed);
    return annex;
  }

  void release(Annex* annex) {
    bytes_.fetch_sub(sizeof(Annex) + annex->bucket.log.slots * sizeof(Admission), std::memory_order_relaxed);
    std::free(annex->bucket.log.entries);
    delete annex;
  }

  // Lets a new annex begin with what its key had spent under another algorithm. False when out of memory.
  bool start_from(Annex& annex, Tokens spent, Instant now) {
    if (spent == Tokens()) return true;
    if (annex.limit.algorithm() == Algorithm::kSlidingWindowCounter) {
      annex.bucket.counts = sliding_window_counter::at(annex.limit, {}, now);
      annex.bucket.counts.current = spent.micros();
      return true;
    }
    if (!make_room(annex)) return false;
    sliding_window_log::record(annex.limit, annex.bucket.log, spent, now);
    return true;
  }

  // Makes room for one more admission, if the algorithm keeps a log. False when there is none at all.
  bool make_room(Annex& annex) {
    if (annex.limit.algorithm() != Algorithm::kSlidingWindowLog) return true;
    AdmissionLog& log = annex.bucket.log;
    if (log.count < log.slots || log.slots == kMaxLogSlots) return true;
    const uint32_t slots = log.slots == 0 ? 8 : log.slots * 2;
    const uint64_t more = (slots - log.slots) * sizeof(Admission);
    if (!account(more)) return log.slots > 0;
    auto* entries = static_cast<Admission*>(std::malloc(slots * sizeof(Admission)));
    if (entries == nullptr) {
      bytes_.fetch_sub(more, std::memory_order_relaxed);
      return log.slots > 0;
    }
    for (uint32_t i = 0; i < log.count; ++i) entries[i] = log[i];
    std::free(log.entries);
    log.entries = entries;
    log.slots = slots;
    log.first = 0;
    return true;
  }

  static bool is_annex(const PackedBucket& bucket) { return bucket.pace() == kPace; }
  static Annex* of(const PackedBucket& bucket) { return reinterpret_cast<Annex*>(bucket.spent()); }  // NOLINT
  PackedBucket pack(const Annex* annex, Instant full_at) {
    expect_full_at(full_at);
    return PackedBucket::pack({static_cast<int64_t>(reinterpret_cast<uint64_t>(annex)), full_at.ns, kPace});
  }

  // Whether a sweep may find a full one.
  bool may_reclaim(Instant now) const { return now.ns >= first_full_ns_.load(std::memory_order_relaxed); }
  // A sweep finds out anew when the first annex will be full: it is told of all that it leaves, and of all that are
  // written.
  void begin_sweep() { next_first_full_ns_ = INT64_MAX; }
  void end_sweep() {
    first_full_ns_ = INT64_MAX;
    lower(first_full_ns_, next_first_full_ns_);
  }
  void expect_full_at(Instant full_at) {
    lower(next_first_full_ns_, full_at.ns);
    lower(first_full_ns_, full_at.ns);
  }

  bool has_room() const { return bytes() + sizeof(Annex) + 8 * sizeof(Admission) <= max_bytes_; }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static void lower(std::atomic<int64_t>& least, int64_t ns) {
    int64_t before = least.load();
    while (ns < before && !least.compare_exchange_weak(before, ns)) {
    }
  }
  bool account(uint64_t more) {
    if (bytes_.fetch_add(more, std::memory_order_relaxed) + more <= max_bytes_) return true;
    bytes_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }

  const uint64_t max_bytes_;
  std::atomic<uint64_t> bytes_{0};
  // No annex that the last sweep left, or that was written since it began, is full before; and what the next one will
  // say.
  std::atomic<int64_t> first_full_ns_{INT64_MAX};
  std::atomic<int64_t> next_first_full_ns_{INT64_MAX};
};

}  // namespace sluice::memory
