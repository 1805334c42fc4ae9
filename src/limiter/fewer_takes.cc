// The part of a worker that goes on with fewer takes than were gathered: the store is away, or did not have to ask.
#include "limiter/worker.h"

namespace sluice::limiter {

using rules::Application;
using rules::Mode;
using rules::OnStoreFailure;
using stores::Action;

// Forgets all takes but those that `keeps` wants, by number.
template <class Keeps>
void Worker::keep_takes(Check& check, const Keeps& keeps) {
  size_t kept = 0;
  size_t together = 0;
  for (size_t i = 0; i < check.count_; ++i) {
    if (!keeps(i)) continue;
    check.takes_[kept] = check.takes_[i];
    check.results_[kept] = check.results_[i];
    check.application_of_[kept++] = check.application_of_[i];
    if (i < check.ask_.together) together = kept;
  }
  check.count_ = kept;
  check.ask_.together = together;
  check.ask_.takes = {check.takes_.data(), kept};
  check.ask_.results = {check.results_.data(), kept};
}

void Worker::drop_not_asked(Check& check) {
  keep_takes(check, [&](size_t i) { return (check.ask_.not_asked >> i & 1) == 0; });
}

// Each rule has said beforehand what to do then: deny, pass, or be limited by what this process alone knows; but what
// can never pass does not. Tokens that are to be given back are left where they are.
void Worker::do_without_store(Check& check) {
  check.answer_.degraded = true;
  const Action action = check.ask_.action;
  const bool wants_answer = action == Action::kTake || action == Action::kPeek;
  if (wants_answer && check.refuse_impossible()) return;
  const auto applied = check.applied();
  for (const Application& application : applied) {
    const rules::Rule& rule = *application.rule;
    if (rule.mode == Mode::kShadow || rule.on_store_failure != OnStoreFailure::kDeny) continue;
    check.refuse(Reason::kStoreUnavailable, application);
    return;
  }
  if (!wants_answer || !keep_local_takes(check)) return;
  limiter_.ports_.local.ask(check.ask_);
  // More than this server's part is not more than the limit: it passes again, though nobody knows when.
  for (stores::BucketResult& result : check.ask_.results) {
    if (result.decision.verdict == Verdict::kCostExceedsCapacity) result.decision.verdict = Verdict::kLimited;
  }
  conclude(check);
}

// False if there are none: a bucket beside the rules is none, and shadow rules have no say.
bool Worker::keep_local_takes(Check& check) {
  if (check.is_named_) return false;
  const auto applied = check.applied();
  keep_takes(check, [&](size_t i) {
    const rules::Rule& rule = *applied[check.application_of_[i]].rule;
    return i < check.ask_.together && rule.on_store_failure == OnStoreFailure::kLocal;
  });
  shares_.begin(limiter_.ports_.peers ? limiter_.ports_.peers() : 1);
  for (size_t i = 0; i < check.count_; ++i) check.takes_[i].limit = &shares_.of(*check.takes_[i].limit);
  return check.count_ > 0;
}

}  // namespace sluice::limiter
