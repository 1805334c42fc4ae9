#include "limiter/worker.h"

#include <algorithm>

namespace sluice::limiter {
namespace {

using rules::Application;
using rules::Mode;
using rules::OnStoreFailure;
using stores::Action;
using stores::BucketResult;
using stores::Progress;

BucketAnswer bucket_answer(const Take& take, const BucketResult& result) {
  const Decision& decision = result.decision;
  return {{},
          {},
          take.key,
          take.limit,
          take.cost,
          decision.allowed(),
          decision.remaining,
          decision.retry_after,
          result.reset_after};
}

// What is known without asking of a bucket that never has so much.
BucketResult never() {
  BucketResult result;
  result.decision.verdict = Verdict::kCostExceedsCapacity;
  result.decision.retry_after = kForever;
  return result;
}

stores::LeaseTerms::Kind kind_of(rules::Lease::Kind kind) {
  switch (kind) {
    case rules::Lease::Kind::kAuto: return stores::LeaseTerms::Kind::kAuto;
    case rules::Lease::Kind::kFixed: return stores::LeaseTerms::Kind::kFixed;
    case rules::Lease::Kind::kOff: break;
  }
  return stores::LeaseTerms::Kind::kOff;
}

}  // namespace

void Check::refuse(Reason reason, const Application& by) {
  answer_.allowed = false;
  answer_.reason = reason;
  answer_.retry_after = kForever;
  if (by.policy != nullptr) answer_.policy = by.policy->id;
  if (by.rule == nullptr) return;
  answer_.rule = by.rule->name;
  answer_.row_id = by.rule->row_id;
}

bool Check::refuse_impossible() {
  for (size_t i = 0; i < ask_.together; ++i) {
    if (!can_never_pass(takes_[i])) continue;
    refuse(Reason::kCostExceedsCapacity, is_named_ ? Application() : applied()[application_of_[i]]);
    return true;
  }
  return false;
}

void Check::refuse_killed(const rules::KillSwitch& by) {
  refuse(Reason::kKillSwitch, {});
  answer_.detail = by.reason;
  answer_.killed_value = evaluation_.killed_value();
  answer_.killed_address = evaluation_.origin().address;
  if (!by.expires_at_us) return;
  const int64_t wait_us = *by.expires_at_us - now_.unix_us;
  answer_.retry_after = Duration::micros(std::min(wait_us, kForever.ns / 1'000));
}

void Check::on_answer(Progress progress) {
  worker_->finish(*this, progress);
  on_answer();
}

Worker::Worker(Limiter& limiter, stores::Store& store)
    : limiter_(limiter), store_(store), others_ask_meanwhile_(store.waits()) {
  limiter_.join(*this);
  generation_ = limiter_.renew(*this);
}

Worker::~Worker() { limiter_.leave(*this); }

bool Worker::decide(Check& check, const rules::Request& request, const rules::Now& now, Action action) {
  keep_up();
  check.answer_ = {};
  check.rules_.reset();
  check.now_ = now;
  check.ask_.action = action;
  check.is_named_ = false;
  switch (rules_->matcher().match(request, now, claims_.get(), check.evaluation_)) {
    case rules::Ruling::kKilled:
      check.refuse_killed(*check.evaluation_.kill_switch());
      count_request(check);
      return true;
    case rules::Ruling::kMissingKey:
      check.refuse(Reason::kMissingKey, check.evaluation_.denied_by());
      count_request(check);
      return true;
    case rules::Ruling::kAsk: break;
  }
  if (!gather(check)) {
    check.refuse(Reason::kTooManyBuckets, check.evaluation_.applied().back());
    count_request(check);
    return true;
  }
  note_denied_in_shadow(check);
  if (check.count_ > 0) return ask(check);
  count_request(check);
  return true;
}

bool Worker::decide(Check& check, const NamedBucket& bucket, const rules::Now& now, Action action) {
  // The rules have no say in it, but in which headers tell of it.
  keep_up();
  check.answer_ = {};
  check.rules_.reset();
  check.now_ = now;
  check.ask_.action = action;
  check.ask_.together = check.count_ = 1;
  check.ask_.leases = {};
  check.is_named_ = true;
  check.takes_[0] = bucket.take();
  return ask(check);
}

stores::Progress Worker::take_each(std::span<const Take> takes, Instant now, std::span<BucketResult> results) {
  stores::Ask ask{Action::kTake, takes, 0, now, results, nullptr};
  const Progress progress = store_.ask(ask);
  if (progress == Progress::kUnavailable) {
    // No rule says what to do with them: they pass, as by default, but for those that never can.
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = can_never_pass(takes[i]) ? never() : BucketResult();
      degraded_.add(0, results[i].decision.allowed());
    }
  }
  uint64_t allowed = 0;
  for (const BucketResult& result : results) allowed += result.decision.allowed();
  for (OwnCounts* const counts : {&requests_, &named_counts_}) {
    if (allowed > 0) counts->add(0, true, allowed);
    if (allowed < results.size()) counts->add(0, false, results.size() - allowed);
  }
  return progress;
}

stores::Progress Worker::look_after(std::span<const Take> takes, Action action, Instant now,
                                    std::span<BucketResult> results) {
  stores::Ask ask{action, takes, 0, now, results, nullptr};
  return store_.ask(ask);
}

// Enforced takes first, for they are taken together; then those of shadow rules for which there is room. False if
// there are too many.
bool Worker::gather(Check& check) const {
  const auto applied = check.evaluation_.applied();
  check.count_ = 0;
  check.ask_.together = 0;
  for (const Mode mode : {Mode::kEnforce, Mode::kShadow}) {
    for (uint32_t i = 0; i < applied.size(); ++i) {
      const rules::Rule& rule = *applied[i].rule;
      if (rule.mode != mode) continue;
      if (check.count_ + rule.limits.size() > Check::kMaxTakes) {
        if (mode == Mode::kEnforce) return false;
        continue;
      }
      for (uint32_t part = 0; part < rule.limits.size(); ++part) {
        check.application_of_[check.count_] = i;
        check.takes_[check.count_++] = {applied[i].key, &rule.limits[part], applied[i].cost, part};
      }
    }
    if (mode == Mode::kEnforce) check.ask_.together = check.count_;
  }
  check.ask_.leases = {};
  if (rules_->has_leases()) gather_leases(check);
  return true;
}

void Worker::gather_leases(Check& check) const {
  const auto applied = check.evaluation_.applied();
  for (size_t i = 0; i < check.count_; ++i) {
    const rules::Lease& lease = applied[check.application_of_[i]].rule->lease;
    check.leases_[i] = {kind_of(lease.kind), lease.tokens, lease.ttl};
  }
  check.ask_.leases = {check.leases_.data(), check.count_};
}

bool Worker::ask(Check& check) {
  check.ask_.takes = {check.takes_.data(), check.count_};
  check.ask_.results = {check.results_.data(), check.count_};
  check.ask_.now = check.now_.instant;
  check.ask_.listener = &check;
  check.worker_ = this;
  if (others_ask_meanwhile_) check.rules_ = rules_;
  check.ask_.not_asked = 0;
  const Progress progress = store_.ask(check.ask_);
  if (progress == Progress::kPending) {
    check.rules_ = rules_;
    return false;
  }
  finish(check, progress);
  return true;
}

void Worker::finish(Check& check, Progress progress) {
  if (progress == Progress::kUnavailable) {
    do_without_store(check);
    degraded_.add(0, check.answer_.allowed);
    count_request(check);
  } else if (check.ask_.action == Action::kTake || check.ask_.action == Action::kPeek) {
    if (check.ask_.not_asked != 0) drop_not_asked(check);
    conclude(check);
    if (check.ask_.action == Action::kTake) count(check);
  }
}

// From what the store said of each bucket to what the caller is told.
void Worker::conclude(Check& check) const {
  const auto applied = check.applied();
  Answer& answer = check.answer_;
  size_t named = 0;
  for (size_t i = 0; i < check.count_; ++i) {
    const Decision& decision = check.results_[i].decision;
    check.buckets_[i] = bucket_answer(check.takes_[i], check.results_[i]);
    if (!check.is_named_) {
      const Application& by = applied[check.application_of_[i]];
      check.buckets_[i].policy = by.policy->id;
      check.buckets_[i].rule = by.rule->name;
      check.buckets_[i].row_id = by.rule->row_id;
    }
    if (i >= check.ask_.together) continue;
    if (stores::names_before(decision, check.results_[named].decision)) named = i;
    if (decision.delay > answer.delay) answer.delay = decision.delay;
  }
  answer.buckets = {check.buckets_.data(), check.ask_.together};
  answer.shadow = {check.buckets_.data() + check.ask_.together, check.count_ - check.ask_.together};
  if (answer.buckets.empty()) return;
  answer.tightest = &check.buckets_[named];
  const Verdict verdict = check.results_[named].decision.verdict;
  if (verdict == Verdict::kAllowed) return;
  answer.allowed = false;
  answer.delay = Duration();
  answer.reason = verdict == Verdict::kLimited ? Reason::kExceeded : Reason::kCostExceedsCapacity;
  answer.policy = answer.tightest->policy;
  answer.rule = answer.tightest->rule;
  answer.row_id = answer.tightest->row_id;
  answer.retry_after = answer.tightest->retry_after;
}

// A rule rejects if one of its own buckets does. One that would have allowed what others rejected is not counted.
void Worker::count(const Check& check) {
  count_request(check);
  if (check.is_named_) return named_counts_.add(0, check.answer_.allowed);
  const bool is_late = check.rules_ != nullptr && check.rules_ != rules_;
  const auto applied = check.applied();
  for (size_t i = 0; i < check.count_;) {
    const uint32_t application = check.application_of_[i];
    bool allowed = true;
    for (; i < check.count_ && check.application_of_[i] == application; ++i) allowed &= check.buckets_[i].allowed;
    if (!check.answer_.allowed && allowed) continue;
    if (is_late) {
      limiter_.count_late(applied[application], allowed);
    } else {
      counts_->add(rules_->number_of(applied[application]), allowed);
    }
  }
}

// Now, since no store has a say in it.
void Worker::note_denied_in_shadow(Check& check) {
  check.answer_.denied_in_shadow = check.evaluation_.denied_in_shadow();
  if (check.ask_.action != Action::kTake) return;
  for (const Application& by : check.answer_.denied_in_shadow) counts_->add(rules_->number_of(by), false);
}

// What takes counts; why a bucket beside the rules rejected is not told apart.
void Worker::count_request(const Check& check) {
  if (check.ask_.action != Action::kTake) return;
  requests_.add(0, check.answer_.allowed);
  if (check.answer_.allowed || check.is_named_) return;
  rejections_.add(static_cast<uint32_t>(check.answer_.reason), false);
}

void Worker::add_rejections_to(std::array<uint64_t, kReasons>& all) const {
  for (uint32_t i = 0; i < kReasons; ++i) all[i] += rejections_.of(i).rejected;
}

void Worker::take_over(std::shared_ptr<const ActiveRules> rules) {
  const bool keeps_claims = rules_ != nullptr && rules_->rules().jwt == rules->rules().jwt;
  rules_ = std::move(rules);
  counts_ = std::make_unique<OwnCounts>(rules_->count());
  if (!keeps_claims) claims_ = limiter_.ports_.make_claims ? limiter_.ports_.make_claims(rules_->rules().jwt) : nullptr;
}

void Worker::add_counts_to(CountsByRule& all) const {
  if (rules_ == nullptr) return;
  uint32_t number = 0;
  for (const rules::Policy& policy : rules_->rules().policies) {
    for (const rules::Rule& rule : policy.rules) {
      const Counts counts = counts_->of(number++);
      all[{policy.id, rule.name, rule.mode}] += counts;
    }
  }
}

}  // namespace sluice::limiter
