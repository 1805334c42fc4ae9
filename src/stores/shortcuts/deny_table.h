// Which takes are known to be rejected, and until when. Of fixed size: where there is no room, what ends first makes
// room, which costs a question and nothing else. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerprint/fingerprint.h"
#include "sluice/limit.h"
#include "sluice/units.h"
#include "stores/shortcuts/ways.h"

namespace sluice::shortcuts {

// All instants are readings of the local clock.
struct Denial {
  Limit limit;
  Tokens cost;
  Tokens remaining;
  Instant until;      // rejected for certain before this
  Instant passes_at;  // for certain no earlier than the wait that was told ends
  Instant full_at;    // likewise
};

class DenyTable {
 public:
  explicit DenyTable(size_t entries) : ways_(entries), sets_(ways_.sets()) {}

  // What is known of a take of this cost, or a smaller one from which its wait follows; nullptr if nothing is.
  // Forgets other limits, as below.
  const Denial* find(const Fingerprint& bucket, const Limit& limit, Tokens cost, Instant now);

  // A moment counts what was forgotten so far. An answer is as of the moment at which its question was sent.
  uint64_t moment() const { return moment_; }
  // False if the bucket, or another of its set, was forgotten since or is being changed: the answer may be older than
  // the news.
  bool remember(const Fingerprint& bucket, const Denial& denial, uint64_t moment);

  // Of a bucket that is taken from under this limit: what was spent may come back sooner from then on.
  void forget_other_limits(const Fingerprint& bucket, const Limit& limit);
  // How many denials went.
  size_t forget(const Fingerprint& bucket);
  // Between the two it may get tokens back at any moment: it is forgotten with both, and not remembered meanwhile.
  size_t begin_change(const Fingerprint& bucket);
  size_t end_change(const Fingerprint& bucket);
  void forget_all();

 private:
  struct Set {
    uint64_t forgotten_at = 0;
    uint32_t changes = 0;  // under way
  };

  bool is_of(size_t place, const Fingerprint& bucket, const Denial& denial) const;
  size_t place_for(const Fingerprint& bucket, const Denial& denial) const;

  Ways<Denial> ways_;
  std::vector<Set> sets_;
  uint64_t all_forgotten_at_ = 0;
  uint64_t moment_ = 0;
};

}  // namespace sluice::shortcuts
