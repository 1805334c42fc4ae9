// Any bytes at all as a token, a header or a payload: refused in a sentence, or claims within their bounds; never
// believed without a signature, and answered alike when asked again.
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <string>

#include "rules/jwt/jwt_testing.h"
#include "rules/jwt/verified_claims.h"

namespace {

using namespace sluice::rules;
using namespace sluice::rules::jwt;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

const Issuer& issuer() {
  static const Issuer kIssuer = Issuer::hs256("k");
  return kIssuer;
}

std::shared_ptr<const Verifier> make_verifier(bool trust_upstream) {
  JwtSettings settings;
  settings.keys = {issuer().key};
  settings.trust_upstream = trust_upstream;
  return verifier_of(settings);
}

void check_claims(const Claims& claims) {
  require(claims.values.size() <= kMostClaims);
  for (size_t i = 1; i < claims.values.size(); ++i) require(claims.values[i - 1].first < claims.values[i].first);
}

bool holds_alike(VerifiedClaims& claims, const std::string& token) {
  const Claims* const first = claims.claims_of(token, kNow);
  const bool holds = first != nullptr;
  if (holds) check_claims(*first);
  const std::string why_not = claims.why_not();
  require(why_not.empty() == holds);
  require((claims.claims_of(token, kNow) != nullptr) == holds && claims.why_not() == why_not);
  return holds;
}

// What the first byte says: the rest is a token, or the payload or header of one that is signed for it.
std::string token_of(uint8_t kind, const std::string& text) {
  if (kind % 3 == 1) return issuer().token(text);
  if (kind % 3 == 2) return issuer().token(R"({"plan":"pro"})", text);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static VerifiedClaims strict(make_verifier(false));
  static VerifiedClaims trusting(make_verifier(true));
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string token = token_of(data[0], text);
  const bool holds = holds_alike(strict, token);
  const bool is_read = holds_alike(trusting, token);
  require(!holds || is_read);
  // Nobody who has not the secret can sign: what holds as it came was signed here before, and is in the corpus.
  const size_t dot = token.rfind('.');
  if (holds) require(token.substr(dot + 1) == encode(issuer().signature_of(token.substr(0, dot))));
  return 0;
}
