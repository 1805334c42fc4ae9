// Turns a raw counter into nanoseconds, and keeps it in step with a slower reference clock.
//
// Reads are lock-free. Every second or so (sooner at first) one reader compares both clocks and bends the rate for a
// while, so that the difference fades; the result is continuous and never goes back. Whoever reads seldom finds it as
// right as whoever reads often: behind the bend the line goes on at the rate itself.
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
  CounterClock() : first_(read_both()) {
    while (Source::reference_ns() - first_.ns < kFirstEstimateNs) continue;
    const Both both = read_both();
    const uint64_t ticks = both.counter - first_.counter;
    const uint64_t scale = scale_of(ticks, both.ns - first_.ns);
    set_line({both.counter, both.ns, scale, both.counter + ticks * (kFirstIntervalNs / kFirstEstimateNs), scale});
  }

  Instant now() override {
    const uint64_t counter = Source::counter();
    const Line line = this->line();
    if (counter >= line.check_at) [[unlikely]]
      return now_after_comparing(counter);
    return Instant(line.at_bent(counter));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static constexpr int64_t kFirstEstimateNs = 200'000;
  static constexpr int64_t kFirstIntervalNs = 1'000'000;
  static constexpr int64_t kLongestIntervalNs = 1'000'000'000;
  // Beyond this the counter has lost track (a suspended machine): follow the reference at once.
  static constexpr int64_t kLostNs = 10'000'000;
  // Beyond this, once the rate is known well, one of the clocks has jumped: what was before it tells nothing of the
  // rate.
  static constexpr int64_t kStrayedNs = 1'000'000;

  // Both clocks at one moment.
  struct Both {
    uint64_t counter;
    int64_t ns;
  };

  // now = base_ns + (counter - base_counter) * bent_scale / 2^32, and from check_at on at `scale`.
  struct Line {
    uint64_t base_counter;
    int64_t base_ns;
    uint64_t bent_scale;
    uint64_t check_at;  // the counter value from which the next comparison is due
    uint64_t scale;

    int64_t at_bent(uint64_t counter) const {
      // Another processor's counter may be a few ticks behind the one that drew the line.
      return base_ns + span(counter > base_counter ? counter - base_counter : 0, bent_scale);
    }
    int64_t at(uint64_t counter) const {
      return counter < check_at ? at_bent(counter) : at_bent(check_at) + span(counter - check_at, scale);
    }
    static int64_t span(uint64_t ticks, uint64_t scale) {
      return static_cast<int64_t>(static_cast<Wide>(ticks) * scale >> 32);
    }
  };

  // The thread may be interrupted between two readings: of some tries the quickest counts.
  static Both read_both() {
    constexpr int kTries = 5;
    Both best{};
    uint64_t quickest = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
      const uint64_t before = Source::counter();
      const int64_t ns = Source::reference_ns();
      const uint64_t took = Source::counter() - before;
      if (took >= quickest) continue;
      quickest = took;
      best = {before + took / 2, ns};
    }
    return best;
  }

  static uint64_t scale_of(uint64_t ticks, int64_t ns) {
    return static_cast<uint64_t>((static_cast<Wide>(ns) << 32) / std::max<uint64_t>(ticks, 1));
  }

  Line line() const {
    for (;;) {
      const uint32_t before = version_.load(std::memory_order_acquire);
      const Line line{base_counter_.load(std::memory_order_relaxed), base_ns_.load(std::memory_order_relaxed),
                      bent_scale_.load(std::memory_order_relaxed), check_at_.load(std::memory_order_relaxed),
                      scale_.load(std::memory_order_relaxed)};
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
    bent_scale_.store(line.bent_scale, std::memory_order_relaxed);
    scale_.store(line.scale, std::memory_order_relaxed);
    check_at_.store(line.check_at, std::memory_order_relaxed);
    version_.store(before + 2, std::memory_order_release);
  }

  [[gnu::noinline]] Instant now_after_comparing(uint64_t counter) {
    // Whoever comes meanwhile goes on along the old line.
    if (!is_comparing_.test_and_set(std::memory_order_acquire)) {
      if (counter >= line().check_at) set_line(next_line());
      is_comparing_.clear(std::memory_order_release);
    }
    return Instant(line().at(counter));
  }

  // The rate comes from the longest baseline there is; the difference is spread over the next interval, or longer where
  // the clock would have to run less than half as fast or more than half again as fast: never still, never back.
  Line next_line() {
    const Both both = read_both();
    const Line old = line();
    const int64_t shown = old.at(both.counter);
    const int64_t behind = both.ns - shown;
    uint64_t scale = scale_of(both.counter - first_.counter, both.ns - first_.ns);
    const bool is_settled = interval_ns_ == kLongestIntervalNs;
    if (is_settled && (behind > kStrayedNs || behind < -kStrayedNs)) {
      first_ = both;
      scale = old.scale;
    }
    interval_ns_ = std::min(interval_ns_ * 2, kLongestIntervalNs);
    const int64_t bend_ns = std::max(interval_ns_, behind < 0 ? -2 * behind : 2 * behind);
    if (behind > kLostNs) return {both.counter, both.ns, scale, both.counter + ticks_in(interval_ns_, scale), scale};
    const uint64_t ticks = ticks_in(bend_ns, scale);
    return {both.counter, shown, scale_of(ticks, bend_ns + behind), both.counter + ticks, scale};
  }

  static uint64_t ticks_in(int64_t ns, uint64_t scale) {
    return static_cast<uint64_t>((static_cast<Wide>(ns) << 32) / std::max<uint64_t>(scale, 1));
  }

  Both first_;  // where the baseline of the rate begins; of whoever compares

  alignas(64) std::atomic<uint32_t> version_{0};  // odd while the line is being written
  std::atomic<uint64_t> base_counter_{0};
  std::atomic<int64_t> base_ns_{0};
  std::atomic<uint64_t> bent_scale_{0};
  std::atomic<uint64_t> check_at_{0};
  std::atomic<uint64_t> scale_{0};

  alignas(64) std::atomic_flag is_comparing_ = ATOMIC_FLAG_INIT;
  int64_t interval_ns_ = kFirstIntervalNs;
};

}  // namespace sluice
