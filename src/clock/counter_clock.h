// Turns a raw counter into nanoseconds, and keeps it in step with a slower reference clock.
//
// Reads are lock-free. Every second or so (sooner at first) one reader compares both clocks and bends the rate so that
// the difference fades; the result is continuous and never goes back.
#pragma once

#include <atomic>
#include <cstdint>

#include "sluice/clock.h"

namespace sluice {

class CounterClock final : public Clock {
 public:
  using ReadCounter = uint64_t (*)();
  using ReadReference = int64_t (*)();  // nanoseconds

  // Takes a fifth of a millisecond for a first estimate of the counter's rate.
  CounterClock(ReadCounter read_counter, ReadReference read_reference);

  Instant now() override;

 private:
  // now = base_ns + (counter - base_counter) * scale / 2^32
  struct Line {
    uint64_t base_counter;
    int64_t base_ns;
    uint64_t scale;
    uint64_t check_at;  // the counter value from which the next comparison is due

    int64_t at(uint64_t counter) const;
  };

  Line line() const;
  void set_line(const Line& line);
  void compare(uint64_t counter);

  const ReadCounter read_counter_;
  const ReadReference read_reference_;
  const uint64_t first_counter_;
  const int64_t first_ns_;

  alignas(64) std::atomic<uint32_t> version_{0};  // odd while the line is being written
  std::atomic<uint64_t> base_counter_{0};
  std::atomic<int64_t> base_ns_{0};
  std::atomic<uint64_t> scale_{0};
  std::atomic<uint64_t> check_at_{0};

  alignas(64) std::atomic_flag is_comparing_ = ATOMIC_FLAG_INIT;
  int64_t interval_ns_;
};

}  // namespace sluice
