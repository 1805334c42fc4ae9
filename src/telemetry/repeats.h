// Lets one through in an interval, and counts the others. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace sluice::telemetry {

class Repeats {
 public:
  explicit constexpr Repeats(std::chrono::milliseconds interval) : interval_ms_(interval.count()) {}

  // How many were swallowed since the last that was let through; nothing if this one is swallowed too.
  std::optional<uint64_t> let_through(int64_t now_ms) {
    int64_t last = last_ms_.load(std::memory_order_relaxed);
    // A clock that was set back must not silence anybody until it has caught up.
    const bool is_due = now_ms < last || now_ms - last >= interval_ms_;
    if (!is_due || !last_ms_.compare_exchange_strong(last, now_ms, std::memory_order_relaxed)) {
      swallowed_.fetch_add(1, std::memory_order_relaxed);
      return std::nullopt;
    }
    return swallowed_.exchange(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t kNever = INT64_MIN / 2;

  const int64_t interval_ms_;
  std::atomic<int64_t> last_ms_{kNever};
  std::atomic<uint64_t> swallowed_{0};
};

}  // namespace sluice::telemetry
