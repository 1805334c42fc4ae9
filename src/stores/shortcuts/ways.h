// A table of fixed size, found in by fingerprint: sets of eight places, of which any may hold a bucket of the set.
// The tags of a set are one cache line, so that a bucket that is not there costs one look.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerprint/fingerprint.h"

namespace sluice::shortcuts {

template <class Entry>
class Ways {
 public:
  static constexpr size_t kPerSet = 8;

  // Room for at least that many.
  explicit Ways(size_t entries)
      : sets_(std::bit_ceil((entries + kPerSet - 1) / kPerSet)), tags_(sets_), rest_(sets_ * kPerSet) {}

  size_t sets() const { return sets_; }
  size_t size() const { return rest_.size(); }
  size_t set_of(const Fingerprint& bucket) const { return bucket.high & (sets_ - 1); }
  // The places of a set are those from first_of() on.
  size_t first_of(const Fingerprint& bucket) const { return set_of(bucket) * kPerSet; }

  bool is_used(size_t place) const { return tag(place) != 0; }
  bool holds(size_t place, const Fingerprint& bucket) const {
    return tag(place) == bucket.low && rest_[place].high == bucket.high;
  }
  void use(size_t place, const Fingerprint& bucket) {
    tag(place) = bucket.low;
    rest_[place].high = bucket.high;
  }
  void clear(size_t place) { tag(place) = 0; }

  Entry& operator[](size_t place) { return rest_[place].entry; }
  const Entry& operator[](size_t place) const { return rest_[place].entry; }

 private:
  // The low words of fingerprints, which are never 0: that is a place that is free.
  struct alignas(64) Tags {
    std::array<uint64_t, kPerSet> low{};
  };
  struct Rest {
    uint64_t high = 0;
    Entry entry;
  };

  uint64_t& tag(size_t place) { return tags_[place / kPerSet].low[place % kPerSet]; }
  uint64_t tag(size_t place) const { return tags_[place / kPerSet].low[place % kPerSet]; }

  size_t sets_;
  std::vector<Tags> tags_;
  std::vector<Rest> rest_;
};

}  // namespace sluice::shortcuts
