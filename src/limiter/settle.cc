// The part of a worker that takes estimates back and forth.
#include <algorithm>

#include "limiter/worker.h"

namespace sluice::limiter {

using stores::Action;
using stores::BucketResult;

std::string Worker::reserve(const Check& check, Instant expires) {
  Reservation reservation;
  const auto applied = check.applied();
  for (size_t i = 0; i < check.count_; ++i) {
    // A shadow bucket that had too little took nothing.
    if (!check.buckets_[i].allowed) continue;
    const Take& take = check.takes_[i];
    HeldBucket held{{}, {}, std::string(take.key), take.part, *take.limit, take.cost};
    if (!check.is_named_) {
      held.policy = applied[check.application_of_[i]].policy->id;
      held.rule = applied[check.application_of_[i]].rule->name;
    }
    reservation.push_back(std::move(held));
  }
  return limiter_.reservations_.keep(std::move(reservation), expires);
}

std::optional<Tokens> Worker::settle(std::string_view handle, Tokens cost, Instant now) {
  keep_up();
  const auto reservation = limiter_.reservations_.take(handle, now);
  if (!reservation) return std::nullopt;
  Tokens lacked;
  for (const HeldBucket& held : *reservation) {
    // A copy: while the store is asked, the rules may go.
    const std::optional<Limit> limit = current_limit(held);
    if (!limit || cost == held.cost) continue;
    if (cost < held.cost) {
      const Take back{held.key, &*limit, held.cost - cost, held.part};
      stores::Ask ask{Action::kRefund, {&back, 1}, 0, now, {}, nullptr};
      store_.ask(ask);
    } else {
      lacked = std::max(lacked, take_more({held.key, &*limit, cost - held.cost, held.part}, now));
    }
  }
  return lacked;
}

// Nothing when the rule, or that part of it, is gone.
std::optional<Limit> Worker::current_limit(const HeldBucket& held) const {
  if (held.part == NamedBucket::kPart) return held.limit;
  for (const rules::Policy& policy : rules_->rules().policies) {
    if (policy.id != held.policy) continue;
    for (const rules::Rule& rule : policy.rules) {
      if (rule.name == held.rule && held.part < rule.limits.size()) return rule.limits[held.part];
    }
  }
  return std::nullopt;
}

// Takes what is there, if it is less than was wanted. Returns what is lacking. Others may take meanwhile, so it is
// tried a few times.
Tokens Worker::take_more(const Take& wanted, Instant now) {
  constexpr int kTries = 4;
  Take take = wanted;
  for (int i = 0; i < kTries && take.cost > Tokens(); ++i) {
    BucketResult result;
    stores::Ask ask{Action::kTake, {&take, 1}, 1, now, {&result, 1}, nullptr};
    if (store_.ask(ask) != stores::Progress::kAnswered) return wanted.cost;
    if (result.decision.allowed()) return wanted.cost - take.cost;
    take.cost = std::min(take.cost, result.decision.remaining);
  }
  return wanted.cost;
}

}  // namespace sluice::limiter
