// A number that one thread counts up and any thread may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice::shortcuts {

class Count {
 public:
  void add(uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace sluice::shortcuts
