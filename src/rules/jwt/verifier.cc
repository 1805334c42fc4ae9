#include "rules/jwt/verifier.h"

#include <algorithm>
#include <utility>

#include "rules/jwt/base64url.h"

namespace sluice::rules::jwt {
namespace {

constexpr int64_t kLongestLeeway = 1'000'000'000;

std::string label(const JwtKey& key, size_t place) {
  return "key " + std::to_string(place + 1) + (key.id.empty() ? "" : " (" + quoted(key.id) + ")");
}

// Neither end may wrap around: times are within 9e15, or the ends of what can be said.
Validity with_leeway(Validity validity, int64_t seconds) {
  if (validity.from != Validity().from) validity.from -= seconds;
  if (validity.until != Validity().until) validity.until += seconds;
  return validity;
}

std::string seconds_between(int64_t from, int64_t to) {
  int64_t seconds = 0;
  if (__builtin_sub_overflow(to, from, &seconds)) return "ages";
  return std::to_string(seconds) + " s";
}

}  // namespace

Verifier::Verifier(const JwtSettings& settings)
    : trust_upstream_(settings.trust_upstream),
      leeway_seconds_(std::clamp<int64_t>(settings.leeway_seconds, 0, kLongestLeeway)),
      issuer_(settings.issuer),
      audience_(settings.audience) {}

std::variant<std::shared_ptr<const Verifier>, std::vector<KeyFault>> Verifier::create(const JwtSettings& settings) {
  const std::shared_ptr<Verifier> verifier(new Verifier(settings));
  std::vector<KeyFault> faults;
  for (size_t i = 0; i < settings.keys.size(); ++i) {
    auto key = Key::parse(settings.keys[i]);
    if (auto* fault = std::get_if<std::string>(&key)) {
      faults.push_back({i, label(settings.keys[i], i) + ": " + *fault});
    } else {
      verifier->keys_.push_back(std::get<Key>(std::move(key)));
    }
  }
  if (!faults.empty()) return faults;
  return verifier;
}

Verdict Verifier::verify(std::string_view text) const {
  Verdict verdict;
  const auto split = split_token(text);
  if (const auto* refused = std::get_if<Refused>(&split)) {
    verdict.refused = *refused;
    return verdict;
  }
  const Token& token = std::get<Token>(split);
  if (!trust_upstream_) {
    verdict.refused = check_signature(token);
    verdict.cost_a_signature = verdict.refused.why == Refusal::kNone || verdict.refused.why == Refusal::kSignature;
  }
  if (verdict.refused.why == Refusal::kNone) read(token.payload, verdict);
  return verdict;
}

Refused Verifier::check_signature(const Token& token) const {
  const auto keys = keys_for(token);
  if (keys.empty()) return no_key(token);
  const auto signature = decode_base64url(token.signature);
  if (!signature) return {Refusal::kMalformed, "its signature is not base64url"};
  const bool fits =
      std::any_of(keys.begin(), keys.end(), [&](const Key* key) { return key->fits(*signature, token.signed_part); });
  return {fits ? Refusal::kNone : Refusal::kSignature, ""};
}

// The key that the token names first; then those that have no name, or any if the token names none.
std::vector<const Key*> Verifier::keys_for(const Token& token) const {
  std::vector<const Key*> keys;
  const auto add_if = [&](const auto& belongs) {
    for (const Key& key : keys_) {
      if (keys.size() < kMostTries && name_of(key.algorithm()) == token.algorithm && belongs(key)) keys.push_back(&key);
    }
  };
  const auto is_named = [&](const Key& key) { return token.key_id && !key.id().empty() && key.id() == *token.key_id; };
  add_if(is_named);
  add_if([&](const Key& key) { return !is_named(key) && (!token.key_id || key.id().empty()); });
  return keys;
}

// Which of the two did not fit any key: the name or the algorithm.
Refused Verifier::no_key(const Token& token) const {
  if (keys_.empty()) return {Refusal::kUnknownKey, "no keys are configured to verify it with"};
  const bool has_name = std::any_of(keys_.begin(), keys_.end(), [&](const Key& key) {
    return !token.key_id || key.id().empty() || key.id() == *token.key_id;
  });
  if (!has_name) return {Refusal::kUnknownKey, "no key has its `kid` " + quoted(*token.key_id)};
  return {Refusal::kAlgorithm, "its `alg` is " + quoted(token.algorithm) + ", which is not that of its key"};
}

void Verifier::read(std::string_view encoded_payload, Verdict& verdict) const {
  const auto bytes = decode_base64url(encoded_payload);
  if (!bytes) {
    verdict.refused = {Refusal::kPayload, "its payload is not base64url"};
    return;
  }
  auto payload = read_payload(*bytes);
  if (auto* refused = std::get_if<Refused>(&payload)) {
    verdict.refused = std::move(*refused);
    return;
  }
  auto& found = std::get<Payload>(payload);
  verdict.refused = check_names(found);
  verdict.validity = with_leeway(found.validity, leeway_seconds_);
  if (verdict.refused.why == Refusal::kNone) verdict.claims = std::move(found.claims);
}

Refused Verifier::check_names(const Payload& payload) const {
  if (!issuer_.empty() && payload.issuer != issuer_) return {Refusal::kIssuer, ""};
  const auto& audience = payload.audience;
  if (!audience_.empty() && std::find(audience.begin(), audience.end(), audience_) == audience.end()) {
    return {Refusal::kAudience, ""};
  }
  return {};
}

std::string Verifier::sentence(const Refused& refused, const Validity& validity, int64_t unix_seconds) const {
  if (!refused.detail.empty()) return refused.detail;
  switch (refused.why) {
    case Refusal::kNone: return "";
    case Refusal::kTooLong: return "it is longer than " + std::to_string(kLongestToken) + " bytes";
    case Refusal::kMalformed: return "it is not a token";
    case Refusal::kCritical: return "its header demands extensions (`crit`), and there are none";
    case Refusal::kAlgorithm: return "its `alg` is not that of its key";
    case Refusal::kUnknownKey: return "it is signed with an unknown key";
    case Refusal::kSignature: return "its signature does not fit";
    case Refusal::kPayload: return "its payload cannot be read";
    case Refusal::kIssuer: return "its issuer (`iss`) is not " + quoted(issuer_);
    case Refusal::kAudience: return "it is for another audience (`aud`) than " + quoted(audience_);
    case Refusal::kExpired:
      return "it expired " + seconds_between(validity.until - leeway_seconds_, unix_seconds) + " ago";
    case Refusal::kNotYet:
      return "it is valid only in " + seconds_between(unix_seconds, validity.from + leeway_seconds_);
  }
  return "";
}

}  // namespace sluice::rules::jwt
