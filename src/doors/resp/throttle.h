// CL.THROTTLE and THROTTLE: from arguments to what is asked of a bucket, and from the bucket's answer to five integers.
// docs/resp.md has both dialects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "doors/resp/limit_cache.h"
#include "limiter/worker.h"

namespace sluice::doors::resp {

enum class Dialect : uint8_t {
  kCell,  // CL.THROTTLE, as redis-cell: a bucket holds one more than max_burst
  kCrab,  // THROTTLE, as throttlecrab: a bucket holds max_burst
};

struct Throttle {
  std::string_view key;
  LimitNumbers numbers;
  int64_t quantity = 1;  // 0 only looks

  // Above every capacity all quantities are alike, and this one does not overflow.
  Tokens cost() const { return Tokens::whole(quantity < kBeyondCapacity ? quantity : kBeyondCapacity); }

 private:
  static constexpr int64_t kBeyondCapacity = 1'000'000'000'000;
};

// False where an argument is out of range: throttle_fault() says which. REQUIRES: 5 or 6 arguments, the first of which
// is the command's name.
[[nodiscard]] bool read_throttle(std::span<const std::string_view> arguments, Dialect dialect, Throttle& throttle);
// What is wrong with these arguments, for the reply: `ERR ...`.
std::string throttle_fault(std::span<const std::string_view> arguments, Dialect dialect);
// The same for numbers each of which is right, but that make no limit.
std::string throttle_fault(const Error& error);

// Room that put_throttle() may need.
inline constexpr size_t kLongestThrottleReply = 128;

// How a bucket of this capacity stands, and whether it let the quantity pass. Returns the end of what was written.
char* put_throttle(char* at, Dialect dialect, int64_t capacity, const stores::BucketResult& result);

}  // namespace sluice::doors::resp
