#include "sluice/token_bucket.h"

#include <new>

#include "algorithms/bucket.h"
#include "stores/memory/slot.h"

namespace sluice {
namespace {

using memory::LockedBucket;
using memory::PackedBucket;

static_assert(sizeof(LockedBucket) == 16);

LockedBucket& locked(std::byte* bytes) { return *std::launder(reinterpret_cast<LockedBucket*>(bytes)); }

}  // namespace

TokenBucket::TokenBucket(const Limit& limit, Clock& clock) : limit_(limit), clock_(clock) {
  new (bucket_) LockedBucket;
}

// The state always belongs to the limit: change_limit() carries over one that does not.
Decision TokenBucket::take_at(Instant now, Tokens cost) {
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  const Outcome outcome = token_bucket::decide_own(limit_, packed.unpack(), cost, now);
  bucket.unlock(outcome.changed ? PackedBucket::pack(outcome.state) : packed);
  return outcome.decision.by_parts();
}

Decision TokenBucket::peek_at(Instant now, Tokens cost) {
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  const Outcome outcome = token_bucket::decide_own(limit_, packed.unpack(), cost, now);
  bucket.unlock(packed);
  Decision decision = outcome.decision;
  if (decision.allowed()) decision.remaining = decision.remaining + cost;
  return decision;
}

void TokenBucket::refund(Tokens cost) {
  const Instant now = clock_.now();
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  bucket.unlock(PackedBucket::pack(token_bucket::refund(limit_, packed.unpack(), cost, now)));
}

Instant TokenBucket::wait_until(Tokens cost) {
  const Instant now = clock_.now();
  const Decision decision = peek_at(now, cost);
  return decision.verdict == Verdict::kCostExceedsCapacity ? Instant(INT64_MAX) : now + decision.retry_after;
}

Duration TokenBucket::time_to_full() {
  const Instant now = clock_.now();
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  const Duration time = token_bucket::time_to_full(limit_, packed.unpack(), now);
  bucket.unlock(packed);
  return time;
}

void TokenBucket::change_limit(const Limit& limit) {
  const Instant now = clock_.now();
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  limit_ = limit;
  const BucketState state = packed.unpack();
  // Whoever sets a limit again and again would else lose what came back since the state was written, each time a
  // little.
  const bool belongs = state.spent == 0 || token_bucket::belongs_to(limit_, state);
  bucket.unlock(belongs ? packed : PackedBucket::pack(pace::carry_over(limit_, state, now)));
}

}  // namespace sluice
