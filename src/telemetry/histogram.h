// How long things took: counts by fixed bounds from 1 us to 10 s in steps of 1, 2.5 and 5.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "telemetry/counter.h"

namespace sluice::telemetry {

// In nanoseconds. A duration belongs to the first bound that it does not exceed.
inline constexpr std::array<uint64_t, 22> kBounds = {
    1'000,       2'500,       5'000,         10'000,        25'000,        50'000,         100'000,    250'000,
    500'000,     1'000'000,   2'500'000,     5'000'000,     10'000'000,    25'000'000,     50'000'000, 100'000'000,
    250'000'000, 500'000'000, 1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000,
};

// What a histogram held at one time. Sums of several are made by add().
struct HistogramValues {
  std::array<uint64_t, kBounds.size() + 1> counts{};  // not cumulative; the last is for what exceeds all bounds
  uint64_t sum_ns = 0;

  uint64_t count() const {
    uint64_t sum = 0;
    for (const uint64_t part : counts) sum += part;
    return sum;
  }
  void add(const HistogramValues& other) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum_ns += other.sum_ns;
  }
};

// record() is for one thread alone, and allocates nothing; values() is for any thread.
class Histogram {
 public:
  // `times` events that took `ns` each: a pipeline is measured once.
  void record(uint64_t ns, uint64_t times = 1) {
    counts_[bucket_of(ns)].add(times);
    sum_ns_.add(ns * times);
  }

  HistogramValues values() const {
    HistogramValues values;
    for (size_t i = 0; i < counts_.size(); ++i) values.counts[i] = counts_[i].value();
    values.sum_ns = sum_ns_.value();
    return values;
  }

  // The index of the first bound that `ns` does not exceed; kBounds.size() if there is none.
  static size_t bucket_of(uint64_t ns) {
    // Bounds are at least twice the one before, so that two numbers of as many bits have at most one between them.
    const size_t first = kFirst[static_cast<size_t>(std::bit_width(ns))];
    return first + (ns > kPaddedBounds[first] ? 1 : 0);
  }

 private:
  static constexpr std::array<uint64_t, kBounds.size() + 1> kPaddedBounds = [] {
    std::array<uint64_t, kBounds.size() + 1> padded{};
    for (size_t i = 0; i < kBounds.size(); ++i) padded[i] = kBounds[i];
    padded.back() = UINT64_MAX;
    return padded;
  }();
  // By the number of bits: the first bound that a number of so many bits may be within.
  static constexpr std::array<uint8_t, 65> kFirst = [] {
    std::array<uint8_t, 65> first{};
    for (size_t width = 0; width < first.size(); ++width) {
      const uint64_t least = width == 0 ? 0 : uint64_t{1} << (width - 1);
      uint8_t index = 0;
      while (index < kBounds.size() && least > kBounds[index]) ++index;
      first[width] = index;
    }
    return first;
  }();

  std::array<Counter, kBounds.size() + 1> counts_;
  Counter sum_ns_;
};

}  // namespace sluice::telemetry
