#include "telemetry/top_keys.h"

#include <algorithm>

namespace sluice::telemetry {

size_t TopKeys::collect(KeyFeed& feed) {
  return feed.drain(kMostAtOnce, [&](const FedKey& key) {
    hottest_.add(key.name, key.weight);
    if (key.is_rejected) most_rejected_.add(key.name, key.weight);
  });
}

void TopKeys::fade(int64_t now_ms) {
  if (!has_begun_) {
    has_begun_ = true;
    faded_ms_ = now_ms;
    return;
  }
  if (now_ms < faded_ms_) return;
  const int64_t halvings = (now_ms - faded_ms_) / kHalfLifeMs;
  faded_ms_ += halvings * kHalfLifeMs;
  // After 64 nothing is left of anything.
  for (int64_t i = 0; i < std::min<int64_t>(halvings, 64); ++i) {
    hottest_.decay();
    most_rejected_.decay();
  }
}

}  // namespace sluice::telemetry
