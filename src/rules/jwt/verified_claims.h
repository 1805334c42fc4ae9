// The claims of tokens, each token verified once and remembered: what rules ask of a bearer. One for each thread.
//
// Refused tokens are remembered in a table of their own, so that no flood of them drives out a good one. A token that
// is remembered costs no signature and no allocation. docs/decisions/0007-tokens.md says why.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rules/claims.h"
#include "rules/jwt/claim_cache.h"
#include "rules/jwt/token_hash.h"
#include "rules/jwt/verifier.h"

namespace sluice::rules::jwt {

class VerifiedClaims final : public ClaimSource {
 public:
  struct Options {
    ClaimCache::Bounds good;
    ClaimCache::Bounds refused{256, size_t{1} << 20};
  };

  // Since it was made; may be read from any thread.
  struct Counts {
    uint64_t verified = 0;  // looked at in full, whatever came of it
    uint64_t hits = 0;      // remembered, whatever was
    std::array<uint64_t, kRefusals> refused{};
  };

  VerifiedClaims(std::shared_ptr<const Verifier> verifier, const Options& options);
  explicit VerifiedClaims(std::shared_ptr<const Verifier> verifier) : VerifiedClaims(std::move(verifier), Options()) {}

  const Claims* claims_of(std::string_view token, int64_t unix_seconds) override;
  std::string why_not() const override;

  Counts counts() const;

 private:
  // Written by one thread, read by any.
  class Counter {
   public:
    void add() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
    uint64_t get() const { return count_.load(std::memory_order_relaxed); }

   private:
    std::atomic<uint64_t> count_{0};
  };

  CachedToken* remembered(uint64_t hash, std::string_view token, int64_t unix_seconds);
  CachedToken* looked_at(uint64_t hash, std::string_view token, int64_t unix_seconds);
  const Claims* answer(const CachedToken& token, int64_t unix_seconds);

  const std::shared_ptr<const Verifier> verifier_;
  const TokenHash hash_;
  ClaimCache good_;
  ClaimCache refused_;
  std::unique_ptr<CachedToken> unkept_;  // the last one, where it is not worth remembering

  // Of the last call.
  const CachedToken* last_ = nullptr;
  Refusal last_refusal_ = Refusal::kNone;
  int64_t last_seconds_ = 0;

  Counter verified_;
  Counter hits_;
  std::array<Counter, kRefusals> refusals_;
};

// By settings whose keys were checked when they were loaded; with one that cannot be used, no token holds.
std::unique_ptr<ClaimSource> make_verified_claims(const JwtSettings& settings);

}  // namespace sluice::rules::jwt
