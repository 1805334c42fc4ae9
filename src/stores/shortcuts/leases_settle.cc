// What becomes of a request once the store has answered.
#include <algorithm>

#include "stores/shortcuts/leases.h"

namespace sluice::shortcuts {

using stores::Ask;
using stores::BucketResult;
using stores::Progress;

void Leases::answer(LeaseRequest& request, Progress progress) {
  stores::Listener* const listener = request.origin->listener;
  const Progress outcome = advance(request, progress);
  if (outcome != Progress::kPending && listener != nullptr) listener->on_answer(outcome);
}

Progress Leases::advance(LeaseRequest& request, Progress progress) {
  if (progress == Progress::kAnswered && must_ask_again(request)) {
    request.make_plain();
    return send(request);
  }
  const Progress outcome = conclude(request, progress);
  release(request);
  returns_.send();
  return outcome;
}

// Whether it was rejected for what was asked on top. Then its buckets are near their limits, and exact for a while.
bool Leases::must_ask_again(LeaseRequest& request) {
  if (request.is_plain || !request.is_rejected()) return false;
  const Instant now = clock_.now();
  bool is_due_to_top = false;
  for (size_t i = 0; i < request.origin->together; ++i) {
    const LeaseRequest::Item& item = request.items[i];
    if (item.on_top == Tokens()) continue;
    const bool is_allowed = request.was_asked(item.asked_as) && request.results[item.asked_as].decision.allowed();
    if (!is_allowed) item.lease->exact_until = now + item.lease->ttl;
    is_due_to_top |= !is_allowed;
  }
  return is_due_to_top;
}

Progress Leases::conclude(LeaseRequest& request, Progress progress) {
  Ask& ask = *request.origin;
  const Instant now = clock_.now();
  const bool is_answered = progress == Progress::kAnswered;
  // With all of them covered the request passes, whatever becomes of those behind.
  const bool is_admitted = request.together == 0 || (is_answered && !request.is_rejected());
  for (size_t i = 0; i < ask.together; ++i) {
    if (request.items[i].is_covered) {
      settle_covered(request, i, is_admitted, now);
    } else if (is_answered) {
      settle_asked(request, i, is_admitted, now);
    }
  }
  tell_those_behind(request, progress);
  return request.together == 0 ? Progress::kAnswered : progress;
}

void Leases::settle_covered(LeaseRequest& request, size_t i, bool is_admitted, Instant now) {
  const LeaseRequest::Item& item = request.items[i];
  const Take& take = request.origin->takes[i];
  Lease& lease = *item.lease;
  if (is_admitted) {
    note_spent(lease, take.cost, now);
    counts_.spent.add(static_cast<uint64_t>(take.cost.micros()));
  } else {
    for (const Lot& lot : item.spent) put_in(lease, item.drops, take, lot);
  }
  request.origin->results[i] = lease.told(now);
}

void Leases::settle_asked(LeaseRequest& request, size_t i, bool is_admitted, Instant now) {
  const LeaseRequest::Item& item = request.items[i];
  Ask& ask = *request.origin;
  BucketResult& result = ask.results[i];
  result = request.results[item.asked_as];
  if (!request.was_asked(item.asked_as)) {
    ask.not_asked |= uint32_t{1} << i;
    return;
  }
  if (item.lease == nullptr) return;
  Lease& lease = *item.lease;
  const Take& take = ask.takes[i];
  lease.learn(*take.limit, result, now);
  if (is_admitted) {
    lease.demand.add(take.cost, now, lease.ttl);
    counts_.granted.add(static_cast<uint64_t>(item.on_top.micros()));
    put_in(lease, item.drops, take,
           {item.on_top, request.decided[item.asked_as], request.sent, request.sent + lease.ttl});
  }
  if (lease.limit == *take.limit) {
    const Tokens here = lease.credit.available(now);
    result.decision.remaining = std::min(result.decision.remaining + here, take.limit->capacity());
  }
}

// Into the lease that the question was for, if it is still the same.
void Leases::put_in(Lease& lease, uint32_t drops, const Take& take, const Lot& lot) {
  if (drops != lease.drops) return counts_.lost.add(static_cast<uint64_t>(lot.tokens.micros()));
  if (!(lease.limit == *take.limit)) return give_back(take, lot);
  if (lease.credit.is_empty()) lease.key.assign(take.key);
  give_back(take, lease.credit.add(lot));
}

void Leases::tell_those_behind(LeaseRequest& request, Progress progress) {
  Ask& ask = *request.origin;
  if (progress == Progress::kUnavailable && request.together > 0) return;
  for (size_t i = ask.together; i < ask.takes.size(); ++i) {
    const size_t asked_as = request.together + i - ask.together;
    const bool is_known = progress == Progress::kAnswered && request.was_asked(asked_as);
    ask.results[i] = is_known ? request.results[asked_as] : BucketResult();
    if (!is_known) ask.not_asked |= uint32_t{1} << i;
  }
}

void Leases::release(LeaseRequest& request) {
  for (size_t i = 0; i < request.origin->together; ++i) {
    const LeaseRequest::Item& item = request.items[i];
    if (item.lease == nullptr) continue;
    --item.lease->pins;
    if (item.on_top > Tokens()) item.lease->is_asking = false;
  }
  requests_.put(&request);
}

}  // namespace sluice::shortcuts
