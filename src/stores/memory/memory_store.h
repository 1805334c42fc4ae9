// The embedded store: every bucket of a process, in one bounded table shared by all threads. Thread-safe.
//
// A request takes from all its buckets or from none: their slots are locked together, in ascending order. There is no
// other lock. Nothing is evicted: a bucket leaves when it is full, which changes no answer; when no room is left, new
// keys share buckets (see shared_buckets.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "algorithms/bucket.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/take.h"
#include "stores/memory/annex.h"
#include "stores/memory/fingerprint.h"
#include "stores/memory/shared_buckets.h"
#include "stores/memory/table.h"

namespace sluice::memory {

struct Stats {
  uint64_t keys = 0;       // in the table, full ones not yet reclaimed among them
  uint64_t bytes = 0;      // taken by the table and its annexes
  uint64_t reclaimed = 0;  // buckets that were full and made room
  uint64_t shared = 0;     // decisions made on shared buckets, because there was no room
};

class MemoryStore {
 public:
  struct Options {
    uint64_t max_bytes = uint64_t{256} << 20;
    };
  // How many buckets one request may have.
  static constexpr size_t kMaxTakes = 32;

  // kTooSmall or kTooLarge for a bound that no table fits; kOutOfMemory.
  static Result<std::unique_ptr<MemoryStore>> create(const Options& options);

  // One bucket.
  Decision take(const Take& take, Instant now);
  // Several buckets, all or nothing. A bucket named twice pays twice. REQUIRES: at most kMaxTakes.
  Decision take_all(std::span<const Take> takes, Instant now);
  // Independent requests of one bucket each, in order; much faster than one by one, since their memory is fetched ahead.
  // REQUIRES: decisions.size() >= takes.size().
  void take_each(std::span<const Take> takes, std::span<Decision> decisions, Instant now);

  // As take_all(), but takes nothing: `remaining` is what is there now.
  Decision peek(std::span<const Take> takes, Instant now);
  // Gives back what was taken; never more than is missing.
  void refund(const Take& take, Instant now);
  // Makes the bucket full. The take's limit and cost do not matter.
  void reset(const Take& take);
  Duration time_to_full(const Take& take, Instant now);

  Stats stats() const;

 private:
  struct Visit;

  explicit MemoryStore(const Options& options);

  Fingerprint fingerprint_of(const Take& take) const { return fingerprint_(take.key, take.part); }
  bool take_known(Fingerprint fingerprint, const Take& take, Instant now, Decision& decision);
  Decision decide_all(std::span<const Take> takes, Instant now, bool keep);
  void locate(std::span<Visit> visits, Instant now);
  bool is_current(const Visit& visit) const;
  Decision decide_visits(std::span<Visit> visits, Instant now);
  BucketState shared_state(std::span<const Visit> visits, const Visit& visit) const;
  void keep(Visit& visit, Instant now);
  bool prepare_annex(Visit& visit, Instant now);
  template <class Change>
  void visit_known(const Take& take, const Change& change);

  SharedBuckets shared_buckets() const { return SharedBuckets(table_->lead()); }

  Fingerprinter fingerprint_;
  Annexes annexes_;
  std::unique_ptr<Table> table_;
  alignas(64) std::atomic<uint64_t> shared_decisions_{0};
};

}  // namespace sluice::memory
