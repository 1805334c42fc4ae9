#include "stores/shortcuts/leases.h"

#include <algorithm>

namespace sluice::shortcuts {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using stores::LeaseTerms;
using stores::Progress;

namespace {

// Longer keys are not kept, and so not leased.
constexpr size_t kLongestKey = 1024;
// Questions under way; what runs low beyond is asked for by the requests that need it.
constexpr size_t kRenewals = 64;

bool may_lease(const Take& take, const LeaseTerms& terms) {
  const Algorithm algorithm = take.limit->algorithm();
  return terms.kind != LeaseTerms::Kind::kOff && take.key.size() <= kLongestKey &&
         (algorithm == Algorithm::kTokenBucket || algorithm == Algorithm::kLeakyBucket);
}

}  // namespace

Leases::Leases(stores::Store& next, Clock& clock, const LeaseOptions& options)
    : next_(next),
      clock_(clock),
      options_(options),
      table_(options.buckets),
      returns_(next, clock, counts_),
      requests_(options.pending),
      renewals_(kRenewals),
      watches_(options.pending) {}

Progress Leases::ask(Ask& ask) {
  switch (ask.action) {
    case Action::kTake: return ask.leases.empty() ? next_.ask(ask) : take(ask);
    case Action::kRefund: return next_.ask(ask);
    case Action::kReset: drop(ask); return watch(ask);
    case Action::kPeek: return watch(ask);
  }
  return next_.ask(ask);
}

Progress Leases::take(Ask& ask) {
  const Instant now = clock_.now();
  Plan plan;
  if (!this->plan(ask, now, plan)) return next_.ask(ask);
  const bool is_covered = plan.covered == (uint64_t{1} << ask.together) - 1;
  if (is_covered && ask.takes.size() == ask.together) {
    answer_here(ask, plan, now);
    return Progress::kAnswered;
  }
  LeaseRequest* const request = requests_.get();
  if (request == nullptr) return next_.ask(ask);
  request->start(*this, ask, now);
  for (size_t i = 0; i < ask.together; ++i) {
    Lease* const lease = plan.leases[i];
    if ((plan.covered >> i & 1) != 0) {
      request->cover(i, *lease);
      continue;
    }
    const Tokens on_top = lease != nullptr ? wanted_on_top(*lease, now) : Tokens();
    if (on_top > Tokens()) lease->start_asking(on_top, now);
    request->ask_for(i, lease, on_top);
  }
  request->ask_for_those_behind();
  return send(*request);
}

// False if there is nothing to be leased, or a bucket is named twice: it would pay the sum of its costs.
bool Leases::plan(const Ask& ask, Instant now, Plan& plan) {
  for (size_t i = 0; i < ask.together; ++i) {
    const Take& take = ask.takes[i];
    Lease* const lease = may_lease(take, ask.leases[i]) ? lease_of(take, ask.leases[i], now) : nullptr;
    plan.leases[i] = lease;
    if (lease == nullptr) continue;
    for (size_t j = 0; j < i; ++j) {
      if (plan.leases[j] == lease) return false;
    }
    plan.has_lease = true;
    plan.covered |= uint32_t{lease->credit.available(now) >= take.cost} << i;
  }
  return plan.has_lease;
}

Lease* Leases::lease_of(const Take& take, const LeaseTerms& terms, Instant now) {
  const Fingerprint bucket = fingerprint_(take.key, take.part);
  Lease* lease = table_.find(bucket);
  if (lease == nullptr) lease = table_.claim(bucket, take, now);
  if (lease == nullptr) return nullptr;
  const bool has_ttl = terms.kind == LeaseTerms::Kind::kFixed && terms.ttl > Duration();
  lease->ttl = has_ttl ? terms.ttl : options_.ttl;
  lease->terms = terms;
  lease->cost = take.cost;
  lease->used_at = now;
  if (lease->limit == *take.limit) return lease;
  give_all_back(*lease);
  returns_.send();
  lease->limit = *take.limit;
  lease->remaining = Tokens();
  return lease;
}

void Leases::answer_here(Ask& ask, const Plan& plan, Instant now) {
  int64_t spent = 0;
  for (size_t i = 0; i < ask.together; ++i) {
    Lease& lease = *plan.leases[i];
    const Tokens cost = ask.takes[i].cost;
    lease.credit.spend(cost, now);
    note_spent(lease, cost, now);
    ask.results[i] = lease.told(now);
    spent += cost.micros();
  }
  counts_.spent.add(static_cast<uint64_t>(spent));
}

// What fills it up.
Tokens Leases::wanted_on_top(Lease& lease, Instant now) const {
  if (lease.is_asking || is_closing_ || now < lease.exact_until) return {};
  const Tokens demand = lease.demand.in_a_window(now, lease.ttl);
  const Tokens size = lease_size(lease.terms, {lease.cost, lease.limit.capacity(), lease.remaining, demand});
  return std::max(size - lease.credit.available(now), Tokens());
}

Progress Leases::send(LeaseRequest& request) {
  const Progress progress = next_.ask(request.question());
  return progress == Progress::kPending ? progress : advance(request, progress);
}

}  // namespace sluice::shortcuts
