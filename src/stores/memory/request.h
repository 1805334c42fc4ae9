// One request over one or several buckets: finds them, locks them all, decides, and writes all takes or none.
// Lives on the stack of the thread that makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/bucket.h"
#include "fingerprint/fingerprint.h"
#include "sluice/decision.h"
#include "sluice/take.h"
#include "stores/memory/annex.h"
#include "stores/memory/shared_buckets.h"
#include "stores/memory/table.h"
#include "stores/store.h"

namespace sluice::memory {

class Request {
 public:
  static constexpr size_t kMaxTakes = stores::Store::kMaxTakes;
  // Of a sweep, some microseconds each: what a request does to find room for windows, however many it needs.
  static constexpr int kMostPieces = 16;

  Request(Table& table, Annexes& annexes) : table_(table), annexes_(annexes) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // A key that is there already pays twice. REQUIRES: fewer than kMaxTakes so far.
  void add(const Take& take, const Fingerprint& fingerprint);

  // Decides once. With `keep` false nothing changes; else a rejection takes nothing, but keeps a bucket as a limit that
  // was changed sees it. Where there are results, one for each take, they tell how each bucket stands.
  Decision decide(Instant now, bool keep, std::span<stores::BucketResult> results = {});

  // How many buckets were taken from for want of room for a bucket of their own.
  uint64_t taken_from_shared() const { return taken_from_shared_; }

 private:
  // What became of a request's buckets.
  struct Kept {
    bool is_taken;
    bool is_peek;
  };
  // A known key locks its slot, a new one the slot it would be put in and its shared bucket, whichever it takes from.
  struct Visit {
    Take take;
    Fingerprint fingerprint;
    uint32_t index;  // among the takes as they were added
    Table::Place place{};
    Slot* shared = nullptr;
    bool is_shared = false;
    PackedBucket packed{};
    Annex* annex = nullptr;
    bool annex_is_new = false;
    Decision decision{};
    BucketState next{};
    bool changed = false;
    bool has_memory = true;
    bool has_room = true;
    bool starts_spent = false;

    bool is_found() const { return place.found || is_shared; }
    Slot& slot() const { return is_shared ? *shared : *place.slot; }
  };

  std::span<Visit> visits() { return {reinterpret_cast<Visit*>(memory_), count_}; }
  void make_room(Instant now);
  void locate();
  static bool needs_annex(const Visit& visit);
  bool make_annex_room(Instant now, int& pieces);
  bool lock();
  void unlock();
  bool is_current(const Visit& visit) const;
  void decide_visit(Visit& visit, Instant now);
  Decision combine();
  static bool carries_over(const Visit& visit);
  void tell(std::span<stores::BucketResult> results, Kept kept, Instant now);
  Duration time_to_full_of(const Visit& visit, Kept kept, Instant now) const;
  BucketState shared_state(const Visit& visit);
  bool prepare_annex(Visit& visit, Instant now);
  void write(Visit& visit, Instant now);

  Table& table_;
  Annexes& annexes_;
  size_t count_ = 0;
  uint32_t added_ = 0;
  size_t lock_count_ = 0;
  uint64_t taken_from_shared_ = 0;
  // Each slot once, in ascending order: the order that keeps requests and sweeps from waiting for one another.
  uint8_t visit_of_[kMaxTakes];  // of each take
  Slot* locks_[2 * kMaxTakes];
  // Room for the visits; most requests have one to three, and the rest is never touched.
  alignas(Visit) std::byte memory_[kMaxTakes * sizeof(Visit)];
};

}  // namespace sluice::memory
