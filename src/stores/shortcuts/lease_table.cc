#include "stores/shortcuts/lease_table.h"

namespace sluice::shortcuts {

Lease* LeaseTable::find(const Fingerprint& bucket) {
  const size_t first = ways_.first_of(bucket);
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (ways_.holds(place, bucket)) return &ways_[place];
  }
  return nullptr;
}

Lease* LeaseTable::claim(const Fingerprint& bucket, const Take& take, Instant now) {
  const size_t first = ways_.first_of(bucket);
  size_t best = ways_.size();
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (!ways_.is_used(place)) {
      best = place;
      break;
    }
    if (!ways_[place].may_leave()) continue;
    if (best == ways_.size() || ways_[place].used_at < ways_[best].used_at) best = place;
  }
  if (best == ways_.size()) return nullptr;
  ways_.use(best, bucket);
  Lease& lease = ways_[best];
  std::string memory = std::move(lease.key);
  memory.clear();
  lease = {};
  lease.key = std::move(memory);
  lease.limit = *take.limit;
  lease.part = take.part;
  lease.used_at = now;
  wheel_.put(best, now);
  return &lease;
}

}  // namespace sluice::shortcuts
