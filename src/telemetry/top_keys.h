// Who asks most, and who is refused most, about now: two sketches, fed by all loops, that fade.
#pragma once

#include <cstddef>
#include <cstdint>

#include "telemetry/heavy_hitters.h"
#include "telemetry/key_feed.h"

namespace sluice::telemetry {

// Counts halve every minute: a key that keeps a steady pace of n a minute shows between n and 2 n. Not thread-safe.
class TopKeys {
 public:
  static constexpr int64_t kHalfLifeMs = 60'000;

  // `size` keys each.
  explicit TopKeys(size_t size) : hottest_(size), most_rejected_(size) {}

  // Takes what waits in the feed of a loop, `kMostAtOnce` at most; returns how many there were.
  static constexpr size_t kMostAtOnce = 16'384;
  size_t collect(KeyFeed& feed);
  // To be called now and then, with a time that does not go back: halves as often as minutes have passed.
  void fade(int64_t now_ms);

  const HeavyHitters& hottest() const { return hottest_; }
  const HeavyHitters& most_rejected() const { return most_rejected_; }

 private:
  HeavyHitters hottest_;
  HeavyHitters most_rejected_;
  bool has_begun_ = false;
  int64_t faded_ms_ = 0;
};

}  // namespace sluice::telemetry
