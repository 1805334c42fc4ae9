// Exact numbers for the reference models, and the two roundings of an answer: tokens down, waits up. Tests only.
// The models know what an algorithm means, not how it is computed: no state format, no periods, no integers.
#pragma once

#include <gmpxx.h>

#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice::model {

using Rational = mpq_class;

inline Rational fraction(int64_t numerator, int64_t denominator) {
  Rational q{mpz_class(numerator), mpz_class(denominator)};
  q.canonicalize();
  return q;
}

inline Rational tokens(Tokens amount) { return fraction(amount.micros(), Tokens::kMicrosPerToken); }
inline Rational seconds(Duration time) { return fraction(time.ns, 1'000'000'000); }
inline Rational seconds(Instant time) { return fraction(time.ns, 1'000'000'000); }
inline Rational per_second(Rate rate) { return fraction(rate.numerator(), rate.denominator()); }

inline mpz_class floor_of(const Rational& q) {
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
  return whole;
}

inline mpz_class ceil_of(const Rational& q) {
  mpz_class whole;
  mpz_cdiv_q(whole.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
  return whole;
}

inline Tokens floor_to_millionth(const Rational& amount) {
  return Tokens::micros(floor_of(amount * Tokens::kMicrosPerToken).get_si());
}

// From `now` until `moment`, rounded up and cut to what a wait can say.
inline Duration wait_until(const Rational& moment, Instant now) {
  const mpz_class ns = ceil_of(moment * 1'000'000'000) - mpz_class(now.ns);
  if (ns <= 0) return Duration();
  return ns >= mpz_class(kForever.ns) ? kForever : Duration(ns.get_si());
}

// What a model says about one request: the same words as a Decision.
struct Answer {
  Verdict verdict = Verdict::kAllowed;
  Tokens remaining;
  Duration retry_after;
  Duration delay;
};

inline Answer rejection(const Limit& limit, Tokens cost, const Rational& left) {
  Answer answer;
  answer.verdict = cost > limit.capacity() ? Verdict::kCostExceedsCapacity : Verdict::kLimited;
  answer.remaining = left > 0 ? floor_to_millionth(left) : Tokens();
  answer.retry_after = kForever;
  return answer;
}

}  // namespace sluice::model
