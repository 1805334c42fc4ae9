#include "sluice/token_bucket.h"

#include <new>

#include "algorithms/bucket.h"
#include "stores/memory/slot.h"

namespace sluice {
namespace {

using memory::LockedBucket;
using memory::Origin;
using memory::PackedBucket;

static_assert(sizeof(LockedBucket) == 16);

LockedBucket& locked(std::byte* bytes) { return *std::launder(reinterpret_cast<LockedBucket*>(bytes)); }

}  // namespace

TokenBucket::TokenBucket(const Limit& limit, Clock& clock) : limit_(limit), clock_(clock), origin_(clock.now()) {
  new (bucket_) LockedBucket;
}

Decision TokenBucket::take_at(Instant now, Tokens cost) {
  const Origin origin(origin_);
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  const Outcome outcome = token_bucket::decide(limit_, packed.unpack(origin), cost, now);
  bucket.unlock(outcome.changed ? PackedBucket::pack(outcome.state, origin) : packed);
  return outcome.decision;
}

Decision TokenBucket::peek_at(Instant now, Tokens cost) {
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  const Outcome outcome = token_bucket::decide(limit_, packed.unpack(Origin(origin_)), cost, now);
  bucket.unlock(packed);
  Decision decision = outcome.decision;
  if (decision.allowed()) decision.remaining = decision.remaining + cost;
  return decision;
}

void TokenBucket::refund(Tokens cost) {
  const Origin origin(origin_);
  const Instant now = clock_.now();
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  bucket.unlock(PackedBucket::pack(token_bucket::refund(limit_, packed.unpack(origin), cost, now), origin));
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
  const Duration time = token_bucket::time_to_full(limit_, packed.unpack(Origin(origin_)), now);
  bucket.unlock(packed);
  return time;
}

void TokenBucket::change_limit(const Limit& limit) {
  const Origin origin(origin_);
  const Instant now = clock_.now();
  LockedBucket& bucket = locked(bucket_);
  const PackedBucket packed = bucket.lock();
  limit_ = limit;
  bucket.unlock(PackedBucket::pack(pace::carry_over(limit_, packed.unpack(origin), now), origin));
}

}  // namespace sluice
