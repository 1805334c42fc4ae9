// What runs low is filled up ahead of requests, many buckets in one question.
#include <algorithm>
#include <utility>

#include "stores/shortcuts/leases.h"

namespace sluice::shortcuts {

using stores::Progress;

namespace {

// A lot that is renewed earlier lies here longer, where others miss it.
constexpr int64_t kShareLeft = 3;

}  // namespace

// Less than a third is left: more is fetched with the next sweep, before it is missed.
void Leases::note_spent(Lease& lease, Tokens cost, Instant now) {
  lease.demand.add(cost, now, lease.ttl);
  const Tokens left = lease.credit.available(now);
  if (lease.is_low || lease.is_asking || left.micros() * kShareLeft >= lease.filled_to.micros()) return;
  lease.is_low = true;
  ++lease.pins;
  low_.push_back(&lease);
}

void Leases::renew(Instant now) {
  LeaseRenewal* open = nullptr;
  for (Lease* const lease : low_) {
    lease->is_low = false;
    const Tokens more = wanted_on_top(*lease, now);
    if (more > Tokens() && open == nullptr && (open = renewals_.get()) != nullptr) open->start(*this, now);
    if (more == Tokens() || open == nullptr) {
      --lease->pins;
      continue;
    }
    lease->start_asking(more, now);
    open->add(*lease, more);
    if (open->is_full()) send(*std::exchange(open, nullptr));
  }
  low_.clear();
  if (open != nullptr) send(*open);
}

void Leases::send(LeaseRenewal& renewal) {
  const Progress progress = next_.ask(renewal.question());
  if (progress != Progress::kPending) answer(renewal, progress);
}

void Leases::answer(LeaseRenewal& renewal, Progress progress) {
  const Instant now = clock_.now();
  for (size_t i = 0; i < renewal.count(); ++i) {
    const LeaseRenewal::Item& item = renewal.item(i);
    Lease& lease = *item.lease;
    --lease.pins;
    lease.is_asking = false;
    const stores::BucketResult* const result = renewal.result(i);
    if (progress != Progress::kAnswered || result == nullptr) continue;
    lease.learn(item.limit, *result, now);
    if (!result->decision.allowed()) {
      lease.exact_until = now + lease.ttl;
      continue;
    }
    const Take& take = renewal.take(i);
    counts_.granted.add(static_cast<uint64_t>(take.cost.micros()));
    put_in(lease, item.drops, take, {take.cost, renewal.decided(i), renewal.sent, renewal.sent + lease.ttl});
  }
  renewals_.put(&renewal);
  returns_.send();
}

}  // namespace sluice::shortcuts
