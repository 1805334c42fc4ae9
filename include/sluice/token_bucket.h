// One bucket, for one thing to protect. Thread-safe, 16 bytes of state, no allocation.
#pragma once

#include <cstddef>

#include "sluice/clock.h"
#include "sluice/decision.h"
#include "sluice/export.h"
#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice {

class SLUICE_EXPORT TokenBucket {
 public:
  // Starts full. The clock must outlive the bucket. REQUIRES: a limit of a bucket algorithm, not of a window.
  explicit TokenBucket(const Limit& limit, Clock& clock = system_clock());
  TokenBucket(const TokenBucket&) = delete;
  TokenBucket& operator=(const TokenBucket&) = delete;

  // Takes `cost` tokens if they are there; else takes none and says when they will be.
  Decision take(Tokens cost = kOneToken) { return take_at(clock_.now(), cost); }
  // The same, at a time that the caller has read from the bucket's clock already.
  Decision take_at(Instant now, Tokens cost = kOneToken);

  // What take() would decide now, with nothing taken: `remaining` is what is there.
  Decision peek(Tokens cost = kOneToken) { return peek_at(clock_.now(), cost); }
  // Gives back what was taken but not used; the bucket never holds more than its capacity.
  void refund(Tokens cost);

  // The instant, on the bucket's clock, from which `cost` tokens can be taken if nobody else comes first. Never sleeps.
  // In the past or present if they are there; the end of time if they never will be.
  Instant wait_until(Tokens cost = kOneToken);
  Duration time_to_full();

  // Keeps what was spent, also where that is more than the new capacity. REQUIRES: a limit of a bucket algorithm.
  void change_limit(const Limit& limit);
  Clock& clock() const { return clock_; }

 private:
  Decision peek_at(Instant now, Tokens cost);

  Limit limit_;
  Clock& clock_;
  alignas(8) std::byte bucket_[16];
};

}  // namespace sluice
