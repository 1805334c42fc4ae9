// A number that one thread counts up and any thread may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice::telemetry {

// add() is for one thread alone: a plain load and store, no locked instruction. value() is for any thread.
class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace sluice::telemetry
