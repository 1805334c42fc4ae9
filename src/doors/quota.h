// A bucket in the whole tokens and whole seconds that header fields speak in. Waits round up, what is left rounds down.
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "limiter/answer.h"

namespace sluice::doors {

// Whole tokens of capacity. At least 1: a quota of 0 would tell callers that they are shut out, and they are not.
int64_t quota_of(const Limit& limit);

// The time an empty bucket takes to fill, or the window. At least 1.
int64_t window_seconds(const Limit& limit);

// Whole tokens that are left.
int64_t whole_remaining(const limiter::BucketAnswer& bucket);

// Until the bucket is full.
int64_t reset_seconds(const limiter::BucketAnswer& bucket);

// Until there is more: while whole tokens are left, the next one; with none left, until the same request passes, which
// is 0 when it does at once. Nothing where no more comes, as in a full bucket. Of a window that admits, the time until
// it is full: more may be there before, never later. Of a rejection never above its retry_after.
std::optional<int64_t> seconds_to_more(const limiter::BucketAnswer& bucket);

}  // namespace sluice::doors
