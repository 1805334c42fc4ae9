// Which places of a table are due for a look, in the order of time; of each at most one entry. For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sluice/units.h"

namespace sluice::shortcuts {

class Wheel {
 public:
  // A tick is 2^22 ns: some 4 ms. What is due after more than a turn, about a second, is looked at early.
  static constexpr int kTickBits = 22;

  explicit Wheel(size_t places) : next_(places, kNotIn) { heads_.fill(kEnd); }

  // Does nothing for a place that is in already.
  void put(size_t place, Instant due) {
    if (next_[place] != kNotIn) return;
    const int64_t tick = (due.ns >> kTickBits) + 1;
    const int64_t soonest = done_ + 1;
    const int64_t latest = done_ + kTicks - 1;
    uint32_t& head = heads_[index_of(tick < soonest ? soonest : tick > latest ? latest : tick)];
    next_[place] = std::exchange(head, static_cast<uint32_t>(place));
  }

  // Calls look(place) for each that is due; it says when to look again, or never.
  template <class Look>
  void turn(Instant now, const Look& look) {
    const int64_t tick = now.ns >> kTickBits;
    if (tick <= done_) return;
    const int64_t first = tick - done_ > kTicks ? tick - kTicks + 1 : done_ + 1;
    done_ = tick;
    uint32_t due = kEnd;
    for (int64_t t = first; t <= tick; ++t) due = join(std::exchange(heads_[index_of(t)], kEnd), due);
    while (due != kEnd) {
      const uint32_t place = due;
      due = std::exchange(next_[place], kNotIn);
      if (const std::optional<Instant> again = look(size_t{place})) put(place, *again);
    }
  }

 private:
  static constexpr int64_t kTicks = 256;
  static constexpr uint32_t kEnd = UINT32_MAX;
  static constexpr uint32_t kNotIn = UINT32_MAX - 1;

  static size_t index_of(int64_t tick) { return static_cast<size_t>(tick) % kTicks; }

  uint32_t join(uint32_t list, uint32_t before) {
    if (list == kEnd) return before;
    uint32_t last = list;
    while (next_[last] != kEnd) last = next_[last];
    next_[last] = before;
    return list;
  }

  int64_t done_ = INT64_MIN >> kTickBits;
  std::array<uint32_t, kTicks> heads_;
  std::vector<uint32_t> next_;  // of each place: the next of its tick
};

}  // namespace sluice::shortcuts
