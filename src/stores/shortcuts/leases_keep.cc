// What keeps credit in step with its buckets: giving back, dropping, and peeks that count it in.
#include <algorithm>

#include "stores/shortcuts/leases.h"

namespace sluice::shortcuts {

using stores::Action;
using stores::Ask;
using stores::Progress;

namespace {

// A bucket that nobody named for so many ttls is forgotten.
constexpr int64_t kTtlsToStay = 4;

}  // namespace

Progress Leases::watch(Ask& ask) {
  Watch& watch = *watches_.get_anyway();
  watch.owner = this;
  watch.ask = &ask;
  watch.listener = ask.listener;
  ask.listener = &watch;
  const Progress progress = next_.ask(ask);
  if (progress != Progress::kPending) settle(watch, progress);
  return progress;
}

void Leases::conclude(Watch& watch, Progress progress) {
  stores::Listener* const listener = settle(watch, progress);
  if (listener != nullptr) listener->on_answer(progress);
}

stores::Listener* Leases::settle(Watch& watch, Progress progress) {
  Ask& ask = *watch.ask;
  ask.listener = watch.listener;
  watches_.put(&watch);
  if (ask.action == Action::kReset) {
    // Again: what was granted since may be of the time before.
    drop(ask);
  } else if (progress == Progress::kAnswered) {
    add_credit(ask);
  }
  return ask.listener;
}

void Leases::add_credit(Ask& ask) {
  if (!has_outstanding()) return;
  const Instant now = clock_.now();
  for (size_t i = 0; i < ask.takes.size(); ++i) {
    const Take& take = ask.takes[i];
    const Lease* const lease = table_.find(fingerprint_(take.key, take.part));
    if (lease == nullptr || !(lease->limit == *take.limit)) continue;
    const Tokens here = lease->credit.available(now);
    Decision& decision = ask.results[i].decision;
    decision.remaining = std::min(decision.remaining + here, take.limit->capacity());
    if (decision.allowed() || here < take.cost) continue;
    decision.verdict = Verdict::kAllowed;
    decision.retry_after = Duration();
  }
}

void Leases::drop(const Ask& ask) {
  for (const Take& take : ask.takes) drop(take.key, take.part);
}

void Leases::drop(std::string_view key, uint32_t part) {
  Lease* const lease = table_.find(fingerprint_(key, part));
  if (lease != nullptr) drop(*lease);
}

void Leases::drop_all() {
  table_.visit_all([&](Lease& lease) { drop(lease); });
}

void Leases::drop(Lease& lease) {
  ++lease.drops;
  for (const Lot& lot : lease.credit.remove([](const Lot&) { return true; })) {
    counts_.lost.add(static_cast<uint64_t>(lot.tokens.micros()));
  }
}

void Leases::give_back(const Take& bucket, const Lot& lot) {
  if (!lot.is_empty()) returns_.give_back({bucket.key, bucket.limit, lot.tokens, bucket.part}, lot.decided);
}

template <class Goes>
void Leases::give_back_lots(Lease& lease, const Goes& goes) {
  for (const Lot& lot : lease.credit.remove(goes)) give_back(lease.take({}), lot);
}

void Leases::give_all_back(Lease& lease) {
  give_back_lots(lease, [](const Lot&) { return true; });
}

void Leases::sweep() {
  if (is_closing_) return give_all_back();
  const Instant now = clock_.now();
  renew(now);
  table_.turn(now, [&](Lease& lease) { return tend(lease, now); });
  returns_.send();
}

void Leases::give_all_back() {
  is_closing_ = true;
  if (!has_outstanding()) return;
  table_.visit_all([&](Lease& lease) {
    if (returns_.has_room()) give_all_back(lease);
  });
  returns_.send();
}

// Says when to look again. A lot that comes meanwhile is due no earlier: idle after half a ttl, expired after a whole.
std::optional<Instant> Leases::tend(Lease& lease, Instant now) {
  const Duration half(lease.ttl.ns / 2);
  const Instant idle_at = lease.used_at + half;
  if (returns_.has_room()) {
    give_back_lots(lease, [&](const Lot& lot) { return idle_at <= now || lot.until <= now; });
  }
  const bool is_forgotten = lease.used_at + Duration(lease.ttl.ns * kTtlsToStay) <= now;
  if (is_forgotten && lease.may_leave()) return std::nullopt;
  Instant due = now + half;
  if (!lease.credit.is_empty()) due = std::min({due, idle_at, lease.credit.lots()[0].until});
  return due;
}

}  // namespace sluice::shortcuts
