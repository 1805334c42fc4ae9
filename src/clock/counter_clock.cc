#include "clock/counter_clock.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr int64_t kFirstEstimateNs = 200'000;
constexpr int64_t kFirstIntervalNs = 1'000'000;
constexpr int64_t kLongestIntervalNs = 1'000'000'000;
// Beyond this the counter has lost track (a suspended machine): follow the reference at once.
constexpr int64_t kLostNs = 10'000'000;

__extension__ using Wide = unsigned __int128;

uint64_t scale_of(uint64_t ticks, int64_t ns) {
  return static_cast<uint64_t>((static_cast<Wide>(ns) << 32) / std::max<uint64_t>(ticks, 1));
}

}  // namespace

int64_t CounterClock::Line::at(uint64_t counter) const {
  // Another processor's counter may be a few ticks behind the one that drew the line.
  const uint64_t ticks = counter > base_counter ? counter - base_counter : 0;
  return base_ns + static_cast<int64_t>(static_cast<Wide>(ticks) * scale >> 32);
}

CounterClock::CounterClock(ReadCounter read_counter, ReadReference read_reference)
    : read_counter_(read_counter),
      read_reference_(read_reference),
      first_counter_(read_counter()),
      first_ns_(read_reference()),
      interval_ns_(kFirstIntervalNs) {
  int64_t ns = read_reference_();
  while (ns - first_ns_ < kFirstEstimateNs) ns = read_reference_();
  const uint64_t counter = read_counter_();
  const uint64_t ticks = counter - first_counter_;
  const auto interval = static_cast<uint64_t>(kFirstIntervalNs / kFirstEstimateNs);
  set_line({counter, ns, scale_of(ticks, ns - first_ns_), counter + ticks * interval});
}

Instant CounterClock::now() {
  const uint64_t counter = read_counter_();
  const Line line = this->line();
  if (counter >= line.check_at) compare(counter);
  return Instant(line.at(counter));
}

CounterClock::Line CounterClock::line() const {
  for (;;) {
    const uint32_t before = version_.load(std::memory_order_acquire);
    const Line line{base_counter_.load(std::memory_order_relaxed), base_ns_.load(std::memory_order_relaxed),
                    scale_.load(std::memory_order_relaxed), check_at_.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) == 0 && version_.load(std::memory_order_relaxed) == before) return line;
  }
}

void CounterClock::set_line(const Line& line) {
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
void CounterClock::compare(uint64_t counter) {
  if (is_comparing_.test_and_set(std::memory_order_acquire)) return;
  const Line old = line();
  if (counter >= old.check_at) {
    const int64_t reference = read_reference_();
    const uint64_t counter_now = read_counter_();
    const int64_t shown = old.at(counter_now);
    const int64_t behind = reference - shown;
    const uint64_t scale = scale_of(counter_now - first_counter_, reference - first_ns_);
    interval_ns_ = std::min(interval_ns_ * 2, kLongestIntervalNs);
    const auto interval_ticks = static_cast<uint64_t>((static_cast<Wide>(interval_ns_) << 32) / std::max<uint64_t>(scale, 1));
    Line next{counter_now, shown, scale, counter_now + interval_ticks};
    if (behind > kLostNs) {
      next.base_ns = reference;
    } else {
      // At most half as fast or half again as fast: never still, never back.
      const int64_t bend = std::clamp(behind, -interval_ns_ / 2, interval_ns_ / 2);
      next.scale = scale_of(interval_ticks, interval_ns_ + bend);
    }
    set_line(next);
  }
  is_comparing_.clear(std::memory_order_release);
}

}  // namespace sluice
