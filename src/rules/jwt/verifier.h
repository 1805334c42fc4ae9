// Whether a token is what it says: signed by one of the keys, for this issuer and audience. Whether it holds at some
// time is for the caller to ask, so that what is found out can be kept. Immutable: any number of threads may share one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/claims.h"
#include "rules/jwt/key.h"
#include "rules/jwt/payload.h"
#include "rules/jwt/token.h"
#include "rules/model.h"

namespace sluice::rules::jwt {

struct Verdict {
  Refused refused;                // kNone: the claims are true while the validity holds
  bool cost_a_signature = false;  // whether a signature was checked to find this out
  Validity validity;              // with the leeway
  Claims claims;
};

struct KeyFault {
  size_t key = 0;       // its place among the settings' keys
  std::string message;  // names it: "key 1 ('2026-a'): ..."
};

class Verifier {
 public:
  // Or every key that cannot be used.
  static std::variant<std::shared_ptr<const Verifier>, std::vector<KeyFault>> create(const JwtSettings& settings);

  Verdict verify(std::string_view token) const;

  // One sentence for people on a refusal. Times are as of `unix_seconds`.
  std::string sentence(const Refused& refused, const Validity& validity, int64_t unix_seconds) const;

  int64_t leeway_seconds() const { return leeway_seconds_; }

 private:
  // A token that fits no key costs at most so many signatures.
  static constexpr size_t kMostTries = 8;

  explicit Verifier(const JwtSettings& settings);

  Refused check_signature(const Token& token) const;
  std::vector<const Key*> keys_for(const Token& token) const;
  Refused no_key(const Token& token) const;
  void read(std::string_view encoded_payload, Verdict& verdict) const;
  Refused check_names(const Payload& payload) const;

  std::vector<Key> keys_;
  const bool trust_upstream_;
  const int64_t leeway_seconds_;
  const std::string issuer_;
  const std::string audience_;
};

}  // namespace sluice::rules::jwt
