// The sliding window counter by its definition: the count of this window, plus the count of the one before, weighted by
// the share of it that is still in sight and rounded up to a millionth, is at most the capacity.
#pragma once

#include <optional>

#include "model/rational.h"

namespace sluice::model {

class SlidingWindowCounter {
 public:
  explicit SlidingWindowCounter(const Limit& limit) : limit_(limit) {}

  Answer answer(Tokens cost, Instant now) const {
    const View view = view_at(now);
    const Rational left = tokens(limit_.capacity()) - view.current - weighted(view) - tokens(cost);
    if (left < 0) {
      Answer answer = rejection(limit_, cost, left + tokens(cost));
      if (answer.verdict == Verdict::kLimited) answer.retry_after = wait_until(moment_of_room(view, cost), now);
      return answer;
    }
    Answer answer;
    answer.remaining = floor_to_millionth(left);
    return answer;
  }

  void take(Tokens cost, Instant now) {
    keep(view_at(now));
    current_ += tokens(cost);
  }

  // Gives back from the count of this window, then from that of the one before.
  void refund(Tokens cost, Instant now) {
    keep(view_at(now));
    current_ -= tokens(cost);
    if (current_ < 0) {
      previous_ += current_;
      current_ = 0;
    }
    if (previous_ < 0) previous_ = 0;
    if (current_ == 0 && previous_ == 0) index_.reset();  // Full, so never seen (law 8).
  }

  Duration time_to_full(Instant now) const {
    const View view = view_at(now);
    if (view.current > 0) return wait_until(start_of(view.index + 2), now);
    return view.previous > 0 ? wait_until(start_of(view.index + 1), now) : Duration();
  }

 private:
  // The two counts as they stand at a moment, and how much of the earlier window is in sight.
  struct View {
    mpz_class index;
    Rational current;
    Rational previous;
    Rational share;
  };

  // A clock that jumped back stands at the start of the latest window it was in (law 5).
  View view_at(Instant now) const {
    const Rational windows = seconds(now) / seconds(limit_.window());
    const mpz_class index = floor_of(windows);
    if (!index_ || index > *index_ + 1) return {index, 0, 0, 1 - (windows - index)};
    if (index == *index_ + 1) return {index, 0, current_, 1 - (windows - index)};
    if (index == *index_) return {index, current_, previous_, 1 - (windows - index)};
    return {*index_, current_, previous_, 1};
  }

  static Rational weighted(const View& view) {
    return Rational(ceil_of(view.previous * view.share * Tokens::kMicrosPerToken)) / Tokens::kMicrosPerToken;
  }

  // When the counts leave room for `cost`. They are whole millionths, so rounding up does not move that moment.
  Rational moment_of_room(const View& view, Tokens cost) const {
    const Rational room = tokens(limit_.capacity()) - tokens(cost);
    if (view.current <= room) return moment_of_fading(view.index, view.previous, room - view.current);
    return moment_of_fading(view.index + 1, view.current, room);
  }
  Rational moment_of_fading(const mpz_class& index, const Rational& count, const Rational& room) const {
    return start_of(index) + (count > room ? Rational((1 - room / count) * seconds(limit_.window())) : Rational(0));
  }
  Rational start_of(const mpz_class& index) const { return Rational(index) * seconds(limit_.window()); }

  void keep(const View& view) {
    index_ = view.index;
    current_ = view.current;
    previous_ = view.previous;
  }

  Limit limit_;
  std::optional<mpz_class> index_;  // of the window that current_ belongs to
  Rational current_;
  Rational previous_;
};

}  // namespace sluice::model
