// The request that comes most often: a few buckets, all known, all small. As Request, with everything else left out.
// Lives on the stack of the thread that makes it.
#pragma once

#include <cstddef>
#include <span>

#include "algorithms/bucket.h"
#include "fingerprint/fingerprint.h"
#include "sluice/decision.h"
#include "sluice/take.h"
#include "stores/memory/annex.h"
#include "stores/memory/table.h"
#include "stores/store.h"

namespace sluice::memory {

class KnownRequest {
 public:
  static constexpr size_t kMaxTakes = 4;

  KnownRequest(Table& table, std::span<const Take> takes) : table_(table), takes_(takes) {}

  // REQUIRES: once for each take, in order.
  void add(const Fingerprint& fingerprint) {
    table_.prefetch(fingerprint);
    visits_[count_++].fingerprint = fingerprint;
  }

  // False when it is another kind of request after all; then nothing was changed. Where there are results, one for each
  // take, they tell how each bucket stands.
  bool take(Instant now, Decision& decision, std::span<stores::BucketResult> results = {});

 private:
  struct Visit {
    Fingerprint fingerprint;
    Slot* slot;
    PackedBucket before;
    PackedBucket after;
    bool allowed;
  };

  bool find();
  bool lock(Visit& visit);
  bool give_up(size_t locked);
  void unlock(bool is_taken);
  void tell(std::span<stores::BucketResult> results, bool is_taken, Instant now);

  Table& table_;
  const std::span<const Take> takes_;
  size_t count_ = 0;
  Visit visits_[kMaxTakes];
};

}  // namespace sluice::memory
