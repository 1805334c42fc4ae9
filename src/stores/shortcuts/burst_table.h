// Of which buckets it is known that they have lately spent no more than the burst of their limit. More may be spent
// where another limit of a larger burst took: then no wait for it has a bound. Of fixed size: what ends first makes
// room, which costs a question and nothing else. For one thread.
#pragma once

#include <cstddef>

#include "fingerprint/fingerprint.h"
#include "sluice/limit.h"
#include "sluice/units.h"
#include "stores/shortcuts/ways.h"

namespace sluice::shortcuts {

class BurstTable {
 public:
  explicit BurstTable(size_t entries) : ways_(entries) {}

  // Known before `until`. REQUIRES: it was so under this limit when the bucket was asked last.
  void note(const Fingerprint& bucket, const Limit& limit, Instant until);
  bool holds(const Fingerprint& bucket, const Limit& limit, Instant now) const;
  // It was taken from under this limit: nothing is known for another one any more.
  void forget_other_limit(const Fingerprint& bucket, const Limit& limit);

 private:
  struct Within {
    Limit limit;
    Instant until;
  };

  size_t place_of(const Fingerprint& bucket) const;  // size() if it has none

  Ways<Within> ways_;
};

}  // namespace sluice::shortcuts
