// What one event loop measures: written by its thread, read by whoever tells of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sluice/units.h"
#include "telemetry/histogram.h"
#include "telemetry/key_feed.h"

namespace sluice::doors {

struct LoopFigures {
  // How long requests took, from when the clock was read for them until their answers were written.
  telemetry::Histogram http;
  telemetry::Histogram resp;
  // Every key that was decided, or a fair part of them.
  telemetry::KeyFeed keys;
};

// A clock that went back makes it nothing, not centuries.
inline void record(telemetry::Histogram& histogram, Duration took, size_t times = 1) {
  histogram.record(static_cast<uint64_t>(std::max<int64_t>(took.ns, 0)), times);
}

}  // namespace sluice::doors
