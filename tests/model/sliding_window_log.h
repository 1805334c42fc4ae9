// The sliding window log by its definition: what was taken within (now - window, now] is at most the capacity.
#pragma once

#include <vector>

#include "model/rational.h"

namespace sluice::model {

class SlidingWindowLog {
 public:
  explicit SlidingWindowLog(const Limit& limit) : limit_(limit) {}

  Answer answer(Tokens cost, Instant now) const {
    const Rational left = tokens(limit_.capacity()) - taken_at(now) - tokens(cost);
    if (left < 0) {
      Answer answer = rejection(limit_, cost, left + tokens(cost));
      if (answer.verdict == Verdict::kLimited) answer.retry_after = wait_until(moment_when_gone(-left, now), now);
      return answer;
    }
    Answer answer;
    answer.remaining = floor_to_millionth(left);
    return answer;
  }

  void take(Tokens cost, Instant now) {
    const Instant time = effective(now);
    forget_unseen(time);
    entries_.push_back({time, tokens(cost)});
  }

  // Gives back the newest first.
  void refund(Tokens cost, Instant now) {
    forget_unseen(effective(now));
    for (Rational owed = tokens(cost); owed > 0 && !entries_.empty();) {
      Rational& newest = entries_.back().amount;
      const Rational back = newest < owed ? newest : owed;
      newest -= back;
      owed -= back;
      if (newest == 0) entries_.pop_back();
    }
  }

  Duration time_to_full(Instant now) const {
    return entries_.empty() ? Duration() : wait_until(seconds(entries_.back().at) + seconds(limit_.window()), now);
  }

 private:
  struct Entry {
    Instant at;
    Rational amount;
  };

  Instant effective(Instant now) const {
    return !entries_.empty() && entries_.back().at > now ? entries_.back().at : now;
  }
  bool in_sight(const Entry& entry, Instant time) const {
    return seconds(time) - seconds(entry.at) < seconds(limit_.window());
  }
  Rational taken_at(Instant now) const {
    Rational taken = 0;
    for (const Entry& entry : entries_) {
      if (in_sight(entry, effective(now))) taken += entry.amount;
    }
    return taken;
  }
  // When `amount` of what is in sight will have gone out of it, oldest first.
  Rational moment_when_gone(const Rational& amount, Instant now) const {
    Rational gone = 0;
    for (const Entry& entry : entries_) {
      if (!in_sight(entry, effective(now))) continue;
      gone += entry.amount;
      if (gone >= amount) return seconds(entry.at) + seconds(limit_.window());
    }
    return seconds(now);
  }
  void forget_unseen(Instant time) {
    std::erase_if(entries_, [&](const Entry& entry) { return !in_sight(entry, time); });
  }

  Limit limit_;
  std::vector<Entry> entries_;
};

}  // namespace sluice::model
