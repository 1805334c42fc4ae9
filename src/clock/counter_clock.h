// Turns a raw counter into nanoseconds, and keeps it in step with a slower reference clock.
//
// Reads are lock-free. Every second or so (sooner at first) one reader compares both clocks and bends the rate so that
// the difference fades; the result is continuous and never goes back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "sluice/clock.h"

namespace sluice {

// Source::counter() is the raw counter, Source::reference_ns() the clock to follow.
template <class Source>
class CounterClock final : public Clock {
 public:
  // Takes a fifth of a millisecond for a first estimate of the counter's rate.
  CounterClock() : first_counter_(Source::counter()), first_ns_(Source::reference_ns()) {
    int64_t ns = Source::reference_ns();
    while (ns - first_ns_ < kFirstEstimateNs) ns = Source::reference_ns();
    const uint64_t counter = Source::counter();
    const uint64_t ticks = counter - first_counter_;
    set_line({counter, ns, scale_of(ticks, ns - first_ns_), counter + ticks * (kFirstIntervalNs / kFirstEstimateNs)});
  }

  Instant now() override {
    const uint64_t counter = Source::counter();
    const Line line = this->line();
    if (counter >= line.check_at) compare(counter);
    return Instant(line.at(counter));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static constexpr int64_t kFirstEstimateNs = 200'000;
  static constexpr int64_t kFirstIntervalNs = 1'000'000;
  static constexpr int64_t kLongestIntervalNs = 1'000'000'000;
  // Beyond this the counter has lost track (a suspended machine): follow the reference at once.
  static constexpr int64_t kLostNs = 10'000'000;

  // now = base_ns + (counter - base_counter) * scale / 2^32
  struct Line {
    uint64_t base_counter;
    int64_t base_ns;
    uint64_t scale;
    uint64_t check_at;  // the counter value from which the next comparison is due

    int64_t at(uint64_t counter) const {
      // Another processor's counter may be a few ticks behind the one that drew the line.
      const uint64_t ticks = counter > base_counter ? counter - base_counter : 0;
      return base_ns + static_cast<int64_t>(static_cast<Wide>(ticks) * scale >> 32);
    }
  };

  static uint64_t scale_of(uint64_t ticks, int64_t ns) {
    return static_cast<uint64_t>((static_cast<Wide>(ns) << 32) / std::max<uint64_t>(ticks, 1));
  }

  Line line() const {
    for (;;) {
      const uint32_t before = version_.load(std::memory_order_acquire);
      const Line line{base_counter_.load(std::memory_order_relaxed), base_ns_.load(std::memory_order_relaxed),
                      scale_.load(std::memory_order_relaxed), check_at_.load(std::memory_order_relaxed)};
      std::atomic_thread_fence(std::memory_order_acquire);
      if ((before & 1) == 0 && version_.load(std::memory_order_relaxed) == before) return line;
    }
  }

  void set_line(const Line& line) {
    const uint32_t before = version_.load(std::memory_order_relaxed);
    version_.store(before + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    base_counter_.store(line.base_counter, std::memory_order_relaxed);
    base_ns_.store(line.base_ns, std::memory_order_relaxed);
    scale_.store(line.scale, std::memory_order_relaxed);
    check_at_.store(line.check_at, std::memory_order_relaxed);
    version_.store(before + 2, std::memory_order_release);
  }

  // The rate comes from the longest baseline there is; the difference is spread over the next interval.
  [[gnu::noinline]] void compare(uint64_t counter) {
    if (is_comparing_.test_and_set(std::memory_order_acquire)) return;
    if (counter >= line().check_at) set_line(next_line());
    is_comparing_.clear(std::memory_order_release);
  }

  Line next_line() {
    const int64_t reference = Source::reference_ns();
    const uint64_t counter = Source::counter();
    const int64_t shown = line().at(counter);
    const int64_t behind = reference - shown;
    const uint64_t scale = scale_of(counter - first_counter_, reference - first_ns_);
    interval_ns_ = std::min(interval_ns_ * 2, kLongestIntervalNs);
    const auto ticks = static_cast<uint64_t>((static_cast<Wide>(interval_ns_) << 32) / std::max<uint64_t>(scale, 1));
    if (behind > kLostNs) return {counter, reference, scale, counter + ticks};
    // At most half as fast or half again as fast: never still, never back.
    const int64_t bend = std::clamp(behind, -interval_ns_ / 2, interval_ns_ / 2);
    return {counter, shown, scale_of(ticks, interval_ns_ + bend), counter + ticks};
  }

  const uint64_t first_counter_;
  const int64_t first_ns_;

  alignas(64) std::atomic<uint32_t> version_{0};  // odd while the line is being written
  std::atomic<uint64_t> base_counter_{0};
  std::atomic<int64_t> base_ns_{0};
  std::atomic<uint64_t> scale_{0};
  std::atomic<uint64_t> check_at_{0};

  alignas(64) std::atomic_flag is_comparing_ = ATOMIC_FLAG_INIT;
  int64_t interval_ns_ = kFirstIntervalNs;
};

}  // namespace sluice
