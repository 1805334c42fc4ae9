// What time it is for the doors, on both clocks there are.
#pragma once

#include "rules/request.h"
#include "sluice/clock.h"

namespace sluice::doors {

class TimeSource {
 public:
  virtual ~TimeSource() = default;

  virtual Instant instant() = 0;
  // The calendar: since 1970. Precise to some milliseconds.
  virtual Duration since_epoch() = 0;

  rules::Now now() { return {instant(), since_epoch().ns / 1'000}; }
};

// A clock, and this machine's calendar. Thread-safe.
class SystemTime final : public TimeSource {
 public:
  // The clock must outlive it.
  explicit SystemTime(Clock& clock) : clock_(clock) {}

  Instant instant() override { return clock_.now(); }
  Duration since_epoch() override;

 private:
  Clock& clock_;
};

}  // namespace sluice::doors
