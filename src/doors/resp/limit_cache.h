// Limits by the three numbers that CL.THROTTLE brings along. To make one takes longer than to decide by it, and nearly
// all calls bring the same few. One for each event loop. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::doors::resp {

// `count` tokens every `period` seconds, `capacity` at once.
struct LimitNumbers {
  int64_t capacity = 0;
  int64_t count = 0;
  int64_t period = 0;

  friend bool operator==(const LimitNumbers&, const LimitNumbers&) = default;
};

// REQUIRES: all above 0. Which of the fields is out of range: "capacity", "rate" or "period".
Result<Limit> limit_of(const LimitNumbers& numbers);

class LimitCache {
 public:
  // nullptr if it is not there. Valid until the next add().
  const Limit* find(const LimitNumbers& numbers) const {
    const Entry& entry = entries_[place_of(numbers)];
    return entry.numbers == numbers ? &entry.limit : nullptr;
  }
  const Limit* add(const LimitNumbers& numbers, const Limit& limit) {
    Entry& entry = entries_[place_of(numbers)];
    entry = {numbers, limit};
    return &entry.limit;
  }

 private:
  static constexpr int kBits = 7;

  struct Entry {
    LimitNumbers numbers;
    Limit limit;
  };

  // Spread by odd constants with bits all over: neighbours of one number get different places.
  static size_t place_of(const LimitNumbers& numbers) {
    const uint64_t mixed = static_cast<uint64_t>(numbers.capacity) * 0x9e3779b97f4a7c15U ^
                           static_cast<uint64_t>(numbers.count) * 0xc2b2ae3d27d4eb4fU ^
                           static_cast<uint64_t>(numbers.period) * 0xd6e8feb86659fd93U;
    return static_cast<size_t>(mixed >> (64 - kBits));
  }

  std::array<Entry, size_t{1} << kBits> entries_;
};

}  // namespace sluice::doors::resp
