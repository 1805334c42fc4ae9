// For tests of the C interface: owners of what it hands out, and a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice.h"

namespace sluice {

struct Destroy {
  void operator()(sluice_limit* limit) const { sluice_limit_destroy(limit); }
  void operator()(sluice_limiter* limiter) const { sluice_limiter_destroy(limiter); }
  void operator()(sluice_bucket* bucket) const { sluice_bucket_destroy(bucket); }
};
using OwnedLimit = std::unique_ptr<sluice_limit, Destroy>;
using OwnedLimiter = std::unique_ptr<sluice_limiter, Destroy>;
using OwnedBucket = std::unique_ptr<sluice_bucket, Destroy>;

inline constexpr int64_t kMilli = 1'000'000;
inline constexpr int64_t kSecond = 1'000 * kMilli;

// Owns what `create(..., &made)` made.
template <class Owned, class Create, class... Arguments>
Owned made_by(Create create, Arguments... arguments) {
  typename Owned::pointer made = nullptr;
  EXPECT_EQ(create(arguments..., &made), SLUICE_OK) << sluice_last_error();
  EXPECT_NE(made, nullptr);
  return Owned(made);
}

// A clock in C's clothes that tests turn by hand.
class HandClock {
 public:
  const sluice_clock* get() const { return &clock_; }
  void set(int64_t ns) { now_ns_ = ns; }
  void advance(int64_t ns) { now_ns_ += ns; }

 private:
  static int64_t read(void* context) { return static_cast<HandClock*>(context)->now_ns_; }

  std::atomic<int64_t> now_ns_{0};
  sluice_clock clock_{read, this};
};

inline OwnedLimiter limiter_of(const std::vector<const sluice_limit*>& limits, const HandClock& clock) {
  const sluice_options options{0, clock.get()};
  return made_by<OwnedLimiter>(sluice_limiter_create_with, limits.data(), limits.size(), &options);
}

}  // namespace sluice
