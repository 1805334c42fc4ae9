// The fixed window by its definition: at most the capacity within [k * window, (k + 1) * window), for each whole k.
#pragma once

#include <optional>

#include "model/rational.h"

namespace sluice::model {

class FixedWindow {
 public:
  explicit FixedWindow(const Limit& limit) : limit_(limit) {}

  Answer answer(Tokens cost, Instant now) const {
    const Rational left = tokens(limit_.capacity()) - taken_at(now) - tokens(cost);
    if (left < 0) {
      Answer answer = rejection(limit_, cost, left + tokens(cost));
      if (answer.verdict == Verdict::kLimited) answer.retry_after = wait_until(end_of(index_at(now)), now);
      return answer;
    }
    Answer answer;
    answer.remaining = floor_to_millionth(left);
    return answer;
  }

  void take(Tokens cost, Instant now) { set(taken_at(now) + tokens(cost), now); }
  void refund(Tokens cost, Instant now) { set(taken_at(now) - tokens(cost), now); }

  Duration time_to_full(Instant now) const {
    return taken_at(now) > 0 ? wait_until(end_of(index_at(now)), now) : Duration();
  }

 private:
  // The window in which `now` counts: never one before that of the latest admission (law 5).
  mpz_class index_at(Instant now) const {
    const mpz_class index = floor_of(seconds(now) / seconds(limit_.window()));
    return index_ && *index_ > index ? *index_ : index;
  }
  Rational taken_at(Instant now) const { return index_ && *index_ == index_at(now) ? taken_ : Rational(0); }
  Rational end_of(const mpz_class& index) const { return Rational(index + 1) * seconds(limit_.window()); }

  void set(const Rational& taken, Instant now) {
    index_ = index_at(now);
    taken_ = taken;
    if (taken_ <= 0) index_.reset();
  }

  Limit limit_;
  std::optional<mpz_class> index_;  // of the window in which `taken_` was taken; none when nothing is
  Rational taken_;
};

}  // namespace sluice::model
