// What Retry-After says: whole seconds, never less than the exact wait, and not the same to everybody.
// Pure; thread-safe.
//
// The base is the exact wait rounded up, at least 1. Added is a jitter of 0 to half the base, rounded up, in whole
// seconds: seed % (ceil(base / 2) + 1). A base of 1 is so told as 1 or 2, one of 10 as 10 to 15, each equally often.
// The seed is a fixed function of the keys, so every process and every home tells a caller the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "limiter/answer.h"

namespace sluice::doors {

// FNV-1a in 32 bits (offset basis 2166136261, prime 16777619), then h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13,
// h *= 0xc2b2ae35, h ^= h >> 16. Thirty-two bits, so that scripts that count in doubles can do the same.
uint32_t jitter_seed(std::string_view key);

// Of the keys of all enforced buckets, with a zero byte between one and the next: where a bucket that all callers share
// rejects, the others still tell them apart. By a kill switch: of the value that it holds for and the client's address.
// 0, which adds no jitter, where there is none of these.
uint32_t jitter_seed(const limiter::Answer& answer);

// REQUIRES: `wait` is not kForever.
int64_t jittered_seconds(Duration wait, uint32_t seed);

// Nothing when allowed, and where no wait helps or none is known.
std::optional<int64_t> retry_after_seconds(const limiter::Answer& answer);

}  // namespace sluice::doors
