// The token bucket by its definition: tokens = min(capacity, tokens + rate * elapsed), in rationals.
// The leaky bucket is the same law seen from above; as a queue it also says when a request's turn comes.
#pragma once

#include <optional>

#include "model/rational.h"

namespace sluice::model {

class TokenBucket {
 public:
  explicit TokenBucket(const Limit& limit) : limit_(limit), tokens_(capacity()) {}

  // The latest moment at which something was taken or given back; none for a full bucket (law 8). Time, for the
  // bucket, never goes back before it (law 5).
  std::optional<Instant> latest() const { return latest_; }

  Rational tokens_at(Instant now) const {
    if (!latest_) return capacity();
    const Rational refilled = tokens_ + rate() * (seconds(effective(now)) - seconds(*latest_));
    return refilled < capacity() ? refilled : capacity();
  }

  // When the tokens reach `level`, at this rate and if nothing else happens; before latest() if they were there
  // already.
  Rational moment_of(const Rational& level) const {
    return seconds(latest_.value_or(Instant())) + (level - tokens_) / rate();
  }

  Answer answer(Tokens cost, Instant now) const {
    const Rational left = tokens_at(now) - tokens(cost);
    if (left < 0) {
      Answer answer = rejection(limit_, cost, tokens_at(now));
      if (answer.verdict == Verdict::kLimited) answer.retry_after = wait_until(moment_of(tokens(cost)), now);
      return answer;
    }
    Answer answer;
    answer.remaining = floor_to_millionth(left);
    if (limit_.algorithm() == Algorithm::kLeakyQueue) answer.delay = time_to_full(now);
    return answer;
  }

  void take(Tokens cost, Instant now) { set(tokens_at(now) - tokens(cost), now); }
  void refund(Tokens cost, Instant now) { set(tokens_at(now) + tokens(cost), now); }

  Duration time_to_full(Instant now) const { return latest_ ? wait_until(moment_of(capacity()), now) : Duration(); }

  // Another capacity: what is missing from full stays missing.
  void change_capacity(const Limit& limit) {
    tokens_ += tokens(limit.capacity()) - capacity();
    limit_ = limit;
  }
  // Another limit, under which `spent` is missing from full at `now`.
  void restart(const Limit& limit, const Rational& spent, Instant now) {
    limit_ = limit;
    set(capacity() - spent, now);
  }

 private:
  Rational capacity() const { return tokens(limit_.capacity()); }
  Rational rate() const { return per_second(limit_.rate()); }
  Instant effective(Instant now) const { return latest_ && *latest_ > now ? *latest_ : now; }

  void set(const Rational& level, Instant now) {
    latest_ = effective(now);
    tokens_ = level;
    if (tokens_ >= capacity()) {
      tokens_ = capacity();
      latest_.reset();
    }
  }

  Limit limit_;
  Rational tokens_;
  std::optional<Instant> latest_;
};

}  // namespace sluice::model
