// The embedded store: every bucket of a process, in one bounded table shared by all threads. Thread-safe.
//
// A request takes from all its buckets or from none: their slots are locked together. There is no other lock. Nothing
// is evicted: a bucket leaves when it is full, which changes no answer; when no room is left, new keys share buckets
// (see shared_buckets.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "algorithms/bucket.h"
#include "fingerprint/fingerprint.h"
#include "sluice/clock.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/take.h"
#include "stores/memory/annex.h"
#include "stores/memory/request.h"
#include "stores/memory/table.h"
#include "stores/store.h"

namespace sluice::memory {

struct Stats {
  uint64_t keys = 0;       // in the table, full ones not yet reclaimed among them
  uint64_t bytes = 0;      // taken by the table and its annexes
  uint64_t reclaimed = 0;  // buckets that were full and made room
  uint64_t shared = 0;     // decisions made on shared buckets, because there was no room
};

class MemoryStore final : public stores::Store {
 public:
  struct Options {
    uint64_t max_bytes = uint64_t{256} << 20;
    bool huge_pages = true;
  };
  // kTooSmall or kTooLarge for a bound that no table fits; kOutOfMemory.
  static Result<std::unique_ptr<MemoryStore>> create(const Options& options);

  // One bucket.
  Decision take(const Take& take, Instant now);
  // The same, with the clock read while the bucket is being fetched from memory.
  Decision take(const Take& take, Clock& clock);
  // Several buckets, all or nothing. A bucket named twice pays twice. REQUIRES: at most kMaxTakes.
  Decision take_all(std::span<const Take> takes, Instant now);
  // Independent requests of one bucket each, in order; much faster than one by one, since their memory is fetched
  // ahead. REQUIRES: decisions.size() >= takes.size().
  void take_each(std::span<const Take> takes, std::span<Decision> decisions, Instant now);
  // The same for many keys under one limit; each.key does not matter. REQUIRES: decisions.size() >= keys.size().
  void take_each(std::span<const std::string_view> keys, const Take& each, std::span<Decision> decisions, Instant now);

  // All of the above for those who do not care which store it is. Answers at once, always.
  stores::Progress ask(stores::Ask& ask) override;

  // As take_all(), but takes nothing: `remaining` is what is there now.
  Decision peek(std::span<const Take> takes, Instant now);
  // Gives back what was taken; never more than is missing.
  void refund(const Take& take, Instant now);
  // Makes the bucket full. The take's limit and cost do not matter.
  void reset(const Take& take);
  Duration time_to_full(const Take& take, Instant now);

  Stats stats() const;

 private:
  explicit MemoryStore(const Options& options);

  // The key is taken apart since takes are often just made: see Decision::by_parts().
  Fingerprint fingerprint_of(const Take& take) const {
    return fingerprint_(std::string_view(take.key.data(), take.key.size()), take.part);
  }
  void take_one(Fingerprint fingerprint, const Take& take, Instant now, Decision& decision);
  void take_one(Fingerprint fingerprint, const Take& take, Instant now, stores::BucketResult& result);
  // What became of the bucket goes to `left`, for those who want to know.
  bool take_known(Fingerprint fingerprint, const Take& take, Instant now, Decision& decision,
                  BucketState* left = nullptr);
  Decision decide_all(std::span<const Take> takes, Instant now, bool keep,
                      std::span<stores::BucketResult> results = {});
  Decision take_all_telling(std::span<const Take> takes, Instant now, std::span<stores::BucketResult> results);
  template <class TakeAt, class Answer>
  void take_ahead(const TakeAt& take_at, std::span<Answer> answers, Instant now);
  template <class Change>
  void visit_known(const Take& take, const Change& change);

  Fingerprinter fingerprint_;
  Annexes annexes_;
  std::unique_ptr<Table> table_;
  alignas(64) std::atomic<uint64_t> shared_decisions_{0};
};

}  // namespace sluice::memory
