#include "rules/jwt/refusal.h"

namespace sluice::rules::jwt {

std::string_view name_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone: return "none";
    case Refusal::kTooLong: return "too_long";
    case Refusal::kMalformed: return "malformed";
    case Refusal::kCritical: return "critical_extension";
    case Refusal::kAlgorithm: return "wrong_algorithm";
    case Refusal::kUnknownKey: return "unknown_key";
    case Refusal::kSignature: return "bad_signature";
    case Refusal::kPayload: return "bad_payload";
    case Refusal::kIssuer: return "wrong_issuer";
    case Refusal::kAudience: return "wrong_audience";
    case Refusal::kExpired: return "expired";
    case Refusal::kNotYet: return "not_yet_valid";
  }
  return "";
}

}  // namespace sluice::rules::jwt
