#include "doors/quota.h"

namespace sluice::doors {
namespace {

using limiter::BucketAnswer;
__extension__ using Wide = unsigned __int128;

struct Refill {
  int64_t ns;  // rounded down
  bool is_exact;
};

// How long a bucket takes for so much. A rate of n/d tokens per second brings n millionths every d microseconds.
Refill time_to_refill(Rate rate, Tokens amount) {
  const auto micros = static_cast<uint64_t>(std::max<int64_t>(amount.micros(), 0));
  const auto period_ns = static_cast<uint64_t>(rate.denominator()) * 1000;
  const auto numerator = static_cast<uint64_t>(rate.numerator());
  uint64_t product = 0;
  // Nearly always this fits into 64 bits, where dividing takes a fraction of the time.
  if (!__builtin_mul_overflow(micros, period_ns, &product)) {
    return {static_cast<int64_t>(std::min<uint64_t>(product / numerator, kForever.ns)), product % numerator == 0};
  }
  const Wide wide = Wide{micros} * period_ns;
  return {static_cast<int64_t>(std::min<Wide>(wide / numerator, kForever.ns)), wide % numerator == 0};
}

// REQUIRES: less than `target` is there, and `target` is at most the capacity.
Duration time_until(const BucketAnswer& bucket, Tokens target) {
  const Limit& limit = *bucket.limit;
  if (!is_bucket(limit.algorithm())) return bucket.reset_after;
  // Two bounds, for `remaining` was rounded to a millionth, which at a low rate takes long, and the time until the
  // bucket is full to a nanosecond, which is enough to miss a whole second. A time that was cut bounds nothing.
  const Refill to_target = time_to_refill(limit.rate(), target - bucket.remaining);
  const Duration by_remaining(to_target.ns + (to_target.is_exact ? 0 : 1));
  if (bucket.reset_after >= kForever) return by_remaining;
  const Refill beyond = time_to_refill(limit.rate(), limit.capacity() - target);
  return std::min(by_remaining, Duration(bucket.reset_after.ns - beyond.ns));
}

}  // namespace

std::optional<int64_t> seconds_to_more(const BucketAnswer& bucket) {
  const Tokens capacity = bucket.limit->capacity();
  const int64_t whole = whole_remaining(bucket);
  const bool is_possible = bucket.cost <= capacity && bucket.retry_after < kForever;
  const bool by_cost = whole == 0 && is_possible;
  if (by_cost && bucket.allowed && bucket.cost <= bucket.remaining) return 0;
  if (!by_cost && whole >= capacity.floor()) return std::nullopt;
  if (by_cost && !bucket.allowed) return std::max<int64_t>(bucket.retry_after.ceil_seconds(), 1);
  Duration wait = time_until(bucket, by_cost ? bucket.cost : Tokens::whole(whole + 1));
  if (!bucket.allowed) wait = std::min(wait, bucket.retry_after);
  return std::max<int64_t>(wait.ceil_seconds(), 1);
}

}  // namespace sluice::doors
