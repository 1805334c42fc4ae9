// How long to wait before trying again: ever longer, and never quite as long as others do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "redis/alarms.h"

namespace sluice::redis {

class Backoff {
 public:
  // Between half of a step and all of it; steps double.
  int64_t next_ns() {
    const int64_t step = step_ns_;
    step_ns_ = std::min(step * 2, kLongestNs);
    return std::uniform_int_distribution<int64_t>(step / 2, step)(random_);
  }
  void reset() { step_ns_ = kShortestNs; }

 private:
  static constexpr int64_t kShortestNs = 50 * kNsPerMs;
  static constexpr int64_t kLongestNs = 1000 * kNsPerMs;

  std::minstd_rand random_{std::random_device{}()};
  int64_t step_ns_ = kShortestNs;
};

}  // namespace sluice::redis
