// A bucket in the whole tokens and whole seconds that header fields speak in. Waits round up, what is left rounds down.
// Pure; thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "limiter/answer.h"

namespace sluice::doors {

// Whole tokens of capacity. At least 1: a quota of 0 would tell callers that they are shut out, and they are not.
inline int64_t quota_of(const Limit& limit) { return std::max<int64_t>(limit.capacity().floor(), 1); }

// The time an empty bucket takes to fill, or the window. At least 1.
inline int64_t window_seconds(const Limit& limit) { return std::max<int64_t>(limit.window().ceil_seconds(), 1); }

// Whole tokens that are left.
inline int64_t whole_remaining(const limiter::BucketAnswer& bucket) {
  return std::max<int64_t>(bucket.remaining.floor(), 0);
}

// Until the bucket is full.
inline int64_t reset_seconds(const limiter::BucketAnswer& bucket) {
  return std::max<int64_t>(bucket.reset_after.ceil_seconds(), 0);
}

// Until there is more: while whole tokens are left, the next one; with none left, until the same request passes, which
// is 0 when it does at once. Nothing where no more comes, as in a full bucket. Of a window that admits, the time until
// it is full: more may be there before, never later. Of a rejection never above its retry_after.
std::optional<int64_t> seconds_to_more(const limiter::BucketAnswer& bucket);

}  // namespace sluice::doors
