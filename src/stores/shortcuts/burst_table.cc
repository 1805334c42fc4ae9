#include "stores/shortcuts/burst_table.h"

namespace sluice::shortcuts {

size_t BurstTable::place_of(const Fingerprint& bucket) const {
  const size_t first = ways_.first_of(bucket);
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (ways_.holds(place, bucket)) return place;
  }
  return ways_.size();
}

void BurstTable::note(const Fingerprint& bucket, const Limit& limit, Instant until) {
  size_t best = place_of(bucket);
  if (best == ways_.size()) {
    best = ways_.first_of(bucket);
    for (size_t place = best; place < ways_.first_of(bucket) + ways_.kPerSet; ++place) {
      if (!ways_.is_used(best)) break;
      if (!ways_.is_used(place) || ways_[place].until < ways_[best].until) best = place;
    }
    ways_.use(best, bucket);
  }
  ways_[best] = {limit, until};
}

bool BurstTable::holds(const Fingerprint& bucket, const Limit& limit, Instant now) const {
  const size_t place = place_of(bucket);
  return place < ways_.size() && ways_[place].until > now && ways_[place].limit == limit;
}

void BurstTable::forget_other_limit(const Fingerprint& bucket, const Limit& limit) {
  const size_t place = place_of(bucket);
  if (place < ways_.size() && !(ways_[place].limit == limit)) ways_.clear(place);
}

}  // namespace sluice::shortcuts
