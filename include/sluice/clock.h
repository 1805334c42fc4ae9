// Where instants come from. Decisions never read a clock by themselves; whoever calls them does.
#pragma once

#include <atomic>

#include "sluice/export.h"
#include "sluice/units.h"

namespace sluice {

// Monotonic: never goes back, and has no relation to the calendar. Thread-safe.
class SLUICE_EXPORT Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual Instant now() = 0;
};

// The clock of this machine: the processor's time stamp counter where it is steady, disciplined by the kernel's
// monotonic clock; else that clock itself. Lives as long as the process.
SLUICE_EXPORT Clock& system_clock();

// Stands still until it is moved. For tests and simulations; may also be moved back.
class SLUICE_EXPORT ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = Instant()) : ns_(start.ns) {}

  Instant now() override { return Instant(ns_.load(std::memory_order_relaxed)); }
  void set(Instant now) { ns_.store(now.ns, std::memory_order_relaxed); }
  void advance(Duration by) { ns_.fetch_add(by.ns, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> ns_;
};

}  // namespace sluice
