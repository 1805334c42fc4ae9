#include "stores/shortcuts/deny_cache.h"

#include <algorithm>
#include <array>
#include <span>

namespace sluice::shortcuts {

using stores::Action;
using stores::Ask;
using stores::BucketResult;
using stores::LeaseTerms;
using stores::Progress;

namespace {

// Who deletes keys in Redis tells nobody (DEL, FLUSHALL, a restart): no longer than this is a bucket that is full again
// taken for an empty one. A question a second for each key costs next to nothing.
constexpr Duration kLongest = Duration::seconds(1);

// Two clocks drift apart by less than this in a wait.
Duration margin_of(Duration wait) { return Duration(std::max(Duration::millis(1).ns, wait.ns / 1000)); }

// Those whose rejection is the request's; where none are taken together, each is a request.
size_t deciding(const Ask& ask) { return ask.together > 0 ? ask.together : ask.takes.size(); }

uint32_t all_of(const Ask& ask) { return static_cast<uint32_t>((uint64_t{1} << ask.takes.size()) - 1); }

// How much longer a larger cost must wait for a bucket, rounded up.
Duration longer_for(const Limit& limit, Tokens more) {
  if (more == Tokens()) return {};
  const double ns = static_cast<double>(more.micros()) * 1000 / limit.rate().as_double();
  const double above = ns * (1 + 1e-15) + 1;
  return above < static_cast<double>(kForever.ns) ? Duration(static_cast<int64_t>(above)) : kForever;
}

// No wait of a take for a bucket that has spent no more than its burst is longer than that from empty. How long one may
// be for a window is not told here, and what exceeds the capacity must be said by the store.
Duration longest_wait(const Take& take) {
  const Limit& limit = *take.limit;
  return is_bucket(limit.algorithm()) && take.cost <= limit.capacity() ? longer_for(limit, take.cost) : kForever;
}

// What was spent in excess of the burst takes longer to come back than from empty.
bool is_within_burst(const Limit& limit, const BucketResult& result) {
  if (result.decision.allowed()) return true;
  return is_bucket(limit.algorithm()) && result.reset_after <= longer_for(limit, limit.capacity());
}

BucketResult told(const Denial& denial, Tokens cost, Instant now) {
  const Duration wait = denial.passes_at + longer_for(denial.limit, cost - denial.cost) - now;
  const Duration reset = denial.full_at - now;
  return {{Verdict::kLimited, denial.remaining, std::min(wait, kForever), {}, 0}, std::max(reset, Duration())};
}

}  // namespace

DenyCache::DenyCache(stores::Store& next, Clock& clock, const DenyCacheOptions& options)
    : next_(next),
      clock_(clock),
      options_(options),
      table_(options.entries),
      within_burst_(options.bursts),
      pending_(options.pending) {}

Progress DenyCache::ask(Ask& ask) {
  if (ask.action == Action::kPeek || (ask.action == Action::kTake && !is_enabled_)) return next_.ask(ask);
  if (ask.action == Action::kTake) return take(ask);
  for (const Take& take : ask.takes) counts_.forgotten.add(table_.begin_change(fingerprint_of(take)));
  return send(*pending_.get_anyway(), ask, {});
}

Progress DenyCache::take(Ask& ask) {
  const Instant now = clock_.now();
  const Known known = look_up(ask, now);
  if (known == Known::kRejected) {
    counts_.hits.add();
    return Progress::kAnswered;
  }
  Pending* const pending = known == Known::kNothing ? pending_.get() : nullptr;
  return pending == nullptr ? next_.ask(ask) : send(*pending, ask, now);
}

// Writes the answer if the request is known to be rejected, and by which bucket: those of which nothing is known must
// not be able to have a longer wait, since the longest names the rejection. A bucket that is named twice pays the sum
// of its costs, so nothing is known of one of them alone.
DenyCache::Known DenyCache::look_up(Ask& ask, Instant now) {
  const size_t count = deciding(ask);
  std::array<Fingerprint, kMaxTakes> buckets;
  std::array<const Denial*, kMaxTakes> denials;
  uint32_t known = 0;
  Duration certain, possible;  // the longest waits: of those that are known, and of those that are not
  for (size_t i = 0; i < count; ++i) {
    const Take& take = ask.takes[i];
    buckets[i] = fingerprint_of(take);
    for (size_t j = 0; ask.together > 0 && j < i; ++j) {
      if (buckets[j] == buckets[i]) return Known::kNamedTwice;
    }
    denials[i] = table_.find(buckets[i], *take.limit, take.cost, now);
    if (denials[i] == nullptr) {
      const bool is_bounded = within_burst_.holds(buckets[i], *take.limit, now);
      possible = std::max(possible, is_bounded ? longest_wait(take) : kForever);
      continue;
    }
    known |= uint32_t{1} << i;
    certain = std::max(certain, denials[i]->until - now);
  }
  if (certain <= possible || (ask.together == 0 && known != all_of(ask))) return Known::kNothing;
  for (size_t i = 0; i < count; ++i) {
    if (denials[i] != nullptr) ask.results[i] = told(*denials[i], ask.takes[i].cost, now);
  }
  ask.not_asked = all_of(ask) & ~known;
  return Known::kRejected;
}

Progress DenyCache::send(Pending& pending, Ask& ask, Instant now) {
  pending.owner = this;
  pending.ask = &ask;
  pending.listener = ask.listener;
  pending.sent = now;
  pending.moment = table_.moment();
  pending.is_late = false;
  ask.listener = &pending;
  const Progress progress = next_.ask(ask);
  if (progress != Progress::kPending) conclude(pending, progress);
  return progress;
}

void DenyCache::answer(Pending& pending, Progress progress) {
  pending.is_late = true;
  stores::Listener* const listener = conclude(pending, progress);
  if (listener != nullptr) listener->on_answer(progress);
}

// After this the question is as whoever asked it left it.
stores::Listener* DenyCache::conclude(Pending& pending, Progress progress) {
  Ask& ask = *pending.ask;
  ask.listener = pending.listener;
  if (ask.action != Action::kTake) {
    for (const Take& take : ask.takes) counts_.forgotten.add(table_.end_change(fingerprint_of(take)));
  } else if (progress == Progress::kAnswered && is_enabled_) {
    learn(pending);
  }
  pending_.put(&pending);
  return ask.listener;
}

void DenyCache::learn(const Pending& pending) {
  const Ask& ask = *pending.ask;
  for (size_t i = 0; i < deciding(ask); ++i) {
    if ((ask.not_asked >> i & 1) != 0) continue;
    const bool is_limited = ask.results[i].decision.verdict == Verdict::kLimited;
    const bool is_beside_others = ask.together > 1;
    // An answer at once leaves no time for others to be remembered meanwhile.
    if (!is_limited && !pending.is_late && !is_beside_others) continue;
    const Limit& limit = *ask.takes[i].limit;
    const Fingerprint bucket = fingerprint_of(ask.takes[i]);
    table_.forget_other_limits(bucket, limit);
    within_burst_.forget_other_limit(bucket, limit);
    if (is_beside_others && is_within_burst(limit, ask.results[i])) {
      within_burst_.note(bucket, limit, pending.sent + options_.within_burst_for);
    }
    if (is_limited) remember(bucket, pending, i);
  }
}

void DenyCache::remember(const Fingerprint& bucket, const Pending& pending, size_t i) {
  const Ask& ask = *pending.ask;
  const Decision& decision = ask.results[i].decision;
  const bool is_leased = i < ask.leases.size() && ask.leases[i].kind != LeaseTerms::Kind::kOff;
  const Duration wait = decision.retry_after;
  const Duration certain(wait.ns - margin_of(wait).ns);
  const Instant until = pending.sent + std::min(certain, is_leased ? options_.leased_for : kLongest);
  const Instant now = clock_.now();
  if (until <= now) return;
  const Instant full_at = now + ask.results[i].reset_after;
  const Denial denial{*ask.takes[i].limit, ask.takes[i].cost, decision.remaining, until, now + wait, full_at};
  if (table_.remember(bucket, denial, pending.moment)) counts_.remembered.add();
}

void DenyCache::forget(std::string_view key, uint32_t part) {
  counts_.forgotten.add(table_.forget(fingerprint_(key, part)));
}

void DenyCache::forget_all() { table_.forget_all(); }

void DenyCache::set_enabled(bool enabled) {
  is_enabled_ = enabled;
  forget_all();
}

}  // namespace sluice::shortcuts
