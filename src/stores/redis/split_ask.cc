#include "stores/redis/split_ask.h"

#include <algorithm>

#include "redis/alarms.h"

namespace sluice::redis_store {

using stores::Action;
using stores::BucketResult;
using stores::Progress;

void SplitAsk::start(stores::Ask& ask, std::span<const uint16_t> slots, int64_t since_ns) {
  ask_ = &ask;
  since_ns_ = since_ns;
  std::copy(slots.begin(), slots.end(), kept_slots_.begin());
  slots_ = {kept_slots_.data(), slots.size()};
  const bool has_first = decides() && ask.together > 0;
  phase_ = has_first ? Phase::kTogether : Phase::kBehind;
  gather(0, has_first ? ask.together : ask.takes.size());
  send(ask.action, has_first);
}

// Takes from `first` to `end` by slot, in the order in which slots are met.
void SplitAsk::gather(size_t first, size_t end) {
  part_count_ = 0;
  size_t at = 0;
  for (size_t i = first; i < end; ++i) {
    const uint16_t slot = slots_[i];
    const auto known = parts();
    if (std::any_of(known.begin(), known.end(), [&](const Part& part) { return part.slot == slot; })) continue;
    Part& part = parts_[part_count_++];
    part.split = this;
    part.slot = slot;
    part.first = at;
    for (size_t k = i; k < end; ++k) {
      if (slots_[k] != slot) continue;
      places_[at] = static_cast<uint8_t>(k);
      if (!ask_->decided.empty()) decided_[at] = ask_->decided[k];
      takes_[at++] = ask_->takes[k];
    }
    part.count = at - part.first;
  }
}

void SplitAsk::send(Action action, bool together) {
  waiting_ = part_count_;
  for (Part& part : parts()) {
    part.progress = Progress::kPending;
    part.ask = {action,    {&takes_[part.first], part.count},   together ? part.count : 0,
                ask_->now, {&results_[part.first], part.count}, &part};
    part.ask.is_quiet = phase_ != Phase::kGivingBack && ask_->is_quiet;
    if (phase_ != Phase::kBehind || !ask_->decided.empty()) part.ask.decided = {&decided_[part.first], part.count};
    sender_.send_part(part.ask, part.slot, since_ns_);
  }
}

void SplitAsk::on_part() {
  if (--waiting_ == 0) finish_phase();
}

void SplitAsk::finish_phase() {
  switch (phase_) {
    case Phase::kTogether: return finish_together();
    case Phase::kBehind: return finish_behind();
    case Phase::kGivingBack: return sender_.on_done(*this);
  }
}

void SplitAsk::finish_together() {
  const bool is_answered = all_answered();
  if (is_answered) {
    copy_results();
    const auto all = parts();
    const bool is_passed = std::all_of(all.begin(), all.end(), [&](const Part& part) { return has_passed(part); });
    if (is_passed) return take_those_behind();
    for (size_t i = ask_->together; i < ask_->takes.size(); ++i) ask_->not_asked |= uint32_t{1} << i;
  }
  if (ask_->action == Action::kTake) return give_back();
  tell(is_answered ? Progress::kAnswered : Progress::kUnavailable);
}

// What the first ones have decided holds, whatever became of those behind.
void SplitAsk::finish_behind() {
  const bool may_miss_some = decides() && ask_->together > 0;
  if (!may_miss_some && !all_answered()) return tell(Progress::kUnavailable);
  if (decides()) copy_results();
  tell(Progress::kAnswered);
}

void SplitAsk::take_those_behind() {
  if (ask_->together == ask_->takes.size()) return tell(Progress::kAnswered);
  phase_ = Phase::kBehind;
  gather(ask_->together, ask_->takes.size());
  send(ask_->action, false);
}

// The caller is told at once; what was taken goes back by itself. A part that did not answer may have taken: its tokens
// are lost, never doubled.
void SplitAsk::give_back() {
  const bool is_answered = all_answered();
  size_t kept = 0;
  for (Part& part : parts()) {
    if (part.progress != Progress::kAnswered || !has_passed(part)) continue;
    if (is_answered) tell_what_is_there(part);
    Part& place = parts_[kept++];
    place.slot = part.slot;
    place.first = part.first;
    place.count = part.count;
  }
  part_count_ = kept;
  phase_ = Phase::kGivingBack;
  since_ns_ = redis::monotonic_ns();
  stores::Listener* const listener = ask_->listener;
  send(Action::kRefund, false);
  listener->on_answer(is_answered ? Progress::kAnswered : Progress::kUnavailable);
  if (kept == 0) sender_.on_done(*this);
}

// Of buckets that are given back. One that is named twice gave the sum of both.
void SplitAsk::tell_what_is_there(const Part& part) {
  const std::span<const Take> takes(&takes_[part.first], part.count);
  for (size_t i = 0; i < takes.size(); ++i) {
    Tokens& remaining = ask_->results[places_[part.first + i]].decision.remaining;
    for (const Take& take : takes) {
      if (take.part == takes[i].part && take.key == takes[i].key) remaining = remaining + take.cost;
    }
  }
}

void SplitAsk::tell(Progress progress) {
  stores::Listener* const listener = ask_->listener;
  sender_.on_done(*this);
  listener->on_answer(progress);
}

void SplitAsk::copy_results() {
  for (const Part& part : parts()) {
    const bool is_answered = part.progress == Progress::kAnswered;
    for (size_t i = part.first; i < part.first + part.count; ++i) {
      ask_->results[places_[i]] = is_answered ? results_[i] : BucketResult();
      if (!ask_->decided.empty()) ask_->decided[places_[i]] = decided_[i];
      if (!is_answered) ask_->not_asked |= uint32_t{1} << places_[i];
    }
  }
}

bool SplitAsk::all_answered() {
  const auto all = parts();
  return std::all_of(all.begin(), all.end(), [](const Part& part) { return part.progress == Progress::kAnswered; });
}

bool SplitAsk::has_passed(const Part& part) const {
  const auto first = results_.begin() + static_cast<ptrdiff_t>(part.first);
  return std::all_of(first, first + static_cast<ptrdiff_t>(part.count),
                     [](const BucketResult& result) { return result.decision.allowed(); });
}

}  // namespace sluice::redis_store
