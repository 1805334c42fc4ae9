#include "rules/jwt/verified_claims.h"

#include <utility>

namespace sluice::rules::jwt {

VerifiedClaims::VerifiedClaims(std::shared_ptr<const Verifier> verifier, const Options& options)
    : verifier_(std::move(verifier)), good_(options.good), refused_(options.refused) {}

const Claims* VerifiedClaims::claims_of(std::string_view token, int64_t unix_seconds) {
  const bool is_short = token.size() <= kLongestToken;
  const uint64_t hash = is_short ? hash_(token) : 0;
  CachedToken* found = is_short ? remembered(hash, token, unix_seconds) : nullptr;
  if (found != nullptr) {
    hits_.add();
  } else {
    found = looked_at(hash, token, unix_seconds);
    verified_.add();
  }
  return answer(*found, unix_seconds);
}

CachedToken* VerifiedClaims::remembered(uint64_t hash, std::string_view token, int64_t unix_seconds) {
  if (CachedToken* const good = good_.find(hash, token)) return good;
  CachedToken* const refused = refused_.find(hash, token);
  if (refused == nullptr || refused->refused.why != Refusal::kNone) return refused;
  // Its time had not come when it was put there.
  if (!refused->validity.holds_at(unix_seconds)) return refused;
  return good_.put(hash, refused_.take_out(hash, refused), unix_seconds);
}

CachedToken* VerifiedClaims::looked_at(uint64_t hash, std::string_view token, int64_t unix_seconds) {
  Verdict verdict = verifier_->verify(token);
  const bool is_good = verdict.refused.why == Refusal::kNone;
  auto seen = std::make_unique<CachedToken>();
  seen->refused = std::move(verdict.refused);
  seen->validity = verdict.validity;
  seen->claims = std::move(verdict.claims);
  const bool holds = is_good && seen->validity.holds_at(unix_seconds);
  // What is refused for little is refused again for little.
  if (!holds && !verdict.cost_a_signature) {
    unkept_ = std::move(seen);
    return unkept_.get();
  }
  seen->text = token;
  return (holds ? good_ : refused_).put(hash, std::move(seen), unix_seconds);
}

const Claims* VerifiedClaims::answer(const CachedToken& token, int64_t unix_seconds) {
  last_ = &token;
  last_seconds_ = unix_seconds;
  last_refusal_ = token.refused.why;
  if (last_refusal_ == Refusal::kNone && !token.validity.holds_at(unix_seconds)) {
    last_refusal_ = unix_seconds < token.validity.from ? Refusal::kNotYet : Refusal::kExpired;
  }
  if (last_refusal_ == Refusal::kNone) return &token.claims;
  refusals_[static_cast<size_t>(last_refusal_)].add();
  return nullptr;
}

std::string VerifiedClaims::why_not() const {
  if (last_ == nullptr) return "";
  return verifier_->sentence({last_refusal_, last_->refused.detail}, last_->validity, last_seconds_);
}

VerifiedClaims::Counts VerifiedClaims::counts() const {
  Counts counts;
  counts.verified = verified_.get();
  counts.hits = hits_.get();
  for (size_t i = 0; i < kRefusals; ++i) counts.refused[i] = refusals_[i].get();
  return counts;
}

std::unique_ptr<ClaimSource> make_verified_claims(const JwtSettings& settings) {
  auto made = Verifier::create(settings);
  auto* const verifier = std::get_if<std::shared_ptr<const Verifier>>(&made);
  return verifier != nullptr ? std::make_unique<VerifiedClaims>(std::move(*verifier)) : nullptr;
}

}  // namespace sluice::rules::jwt
