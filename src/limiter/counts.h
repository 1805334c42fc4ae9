// How often each rule allowed and rejected. Each thread counts for itself; whoever asks adds up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace sluice::limiter {

struct Counts {
  uint64_t allowed = 0;
  uint64_t rejected = 0;  // of a shadow rule: would have been

  Counts& operator+=(const Counts& more) {
    allowed += more.allowed;
    rejected += more.rejected;
    return *this;
  }
};

// Written by one thread, read by any.
class OwnCounts {
 public:
  explicit OwnCounts(uint32_t rules) : rules_(new Cell[rules]), size_(rules) {}

  void add(uint32_t rule, bool allowed, uint64_t times = 1) {
    std::atomic<uint64_t>& count = allowed ? rules_[rule].allowed : rules_[rule].rejected;
    count.store(count.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
  }
  uint32_t size() const { return size_; }
  Counts of(uint32_t rule) const {
    return {rules_[rule].allowed.load(std::memory_order_relaxed),
            rules_[rule].rejected.load(std::memory_order_relaxed)};
  }

 private:
  struct Cell {
    std::atomic<uint64_t> allowed{0};
    std::atomic<uint64_t> rejected{0};
  };
  std::unique_ptr<Cell[]> rules_;
  uint32_t size_;
};

}  // namespace sluice::limiter
