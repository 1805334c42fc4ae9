#include "stores/shortcuts/deny_table.h"

namespace sluice::shortcuts {

const Denial* DenyTable::find(const Fingerprint& bucket, const Limit& limit, Tokens cost, Instant now) {
  const size_t first = ways_.first_of(bucket);
  const Denial* found = nullptr;
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (!ways_.holds(place, bucket)) continue;
    const Denial& denial = ways_[place];
    if (!(denial.limit == limit)) {
      ways_.clear(place);
      continue;
    }
    if (denial.until <= now || denial.cost > cost) continue;
    // How a wait grows with the cost is known of buckets alone; and beyond the capacity there is none.
    const bool follows = is_bucket(limit.algorithm()) && cost <= limit.capacity();
    if (denial.cost != cost && !follows) continue;
    if (found == nullptr || denial.cost > found->cost) found = &denial;
  }
  return found;
}

bool DenyTable::remember(const Fingerprint& bucket, const Denial& denial, uint64_t moment) {
  const Set& set = sets_[ways_.set_of(bucket)];
  if (all_forgotten_at_ > moment || set.forgotten_at > moment || set.changes > 0) return false;
  const size_t place = place_for(bucket, denial);
  // Both are true; answers need not come in the order of their questions.
  if (is_of(place, bucket, denial) && ways_[place].until >= denial.until) return true;
  ways_.use(place, bucket);
  ways_[place] = denial;
  return true;
}

bool DenyTable::is_of(size_t place, const Fingerprint& bucket, const Denial& denial) const {
  return ways_.holds(place, bucket) && ways_[place].cost == denial.cost && ways_[place].limit == denial.limit;
}

// Where it is already, else a free place, else that of the denial that ends first.
size_t DenyTable::place_for(const Fingerprint& bucket, const Denial& denial) const {
  const size_t first = ways_.first_of(bucket);
  size_t best = first;
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (is_of(place, bucket, denial)) return place;
    if (!ways_.is_used(best)) continue;
    if (!ways_.is_used(place) || ways_[place].until < ways_[best].until) best = place;
  }
  return best;
}

void DenyTable::forget_other_limits(const Fingerprint& bucket, const Limit& limit) {
  const size_t first = ways_.first_of(bucket);
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (ways_.holds(place, bucket) && !(ways_[place].limit == limit)) ways_.clear(place);
  }
}

size_t DenyTable::forget(const Fingerprint& bucket) {
  size_t forgotten = 0;
  const size_t first = ways_.first_of(bucket);
  for (size_t place = first; place < first + ways_.kPerSet; ++place) {
    if (!ways_.holds(place, bucket)) continue;
    ways_.clear(place);
    ++forgotten;
  }
  sets_[ways_.set_of(bucket)].forgotten_at = ++moment_;
  return forgotten;
}

size_t DenyTable::begin_change(const Fingerprint& bucket) {
  ++sets_[ways_.set_of(bucket)].changes;
  return forget(bucket);
}

size_t DenyTable::end_change(const Fingerprint& bucket) {
  --sets_[ways_.set_of(bucket)].changes;
  return forget(bucket);
}

void DenyTable::forget_all() {
  for (size_t place = 0; place < ways_.size(); ++place) ways_.clear(place);
  all_forgotten_at_ = ++moment_;
}

}  // namespace sluice::shortcuts
