// Why a token does not count. Values; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::rules::jwt {

enum class Refusal : uint8_t {
  kNone,
  kTooLong,
  kMalformed,  // not three parts, not base64url, a header that is no JSON object or says a thing twice
  kCritical,   // its header asks for an extension, and we have none
  kAlgorithm,  // not that of the key; `none` is of no key
  kUnknownKey,
  kSignature,
  kPayload,  // not a JSON object, too deep, too many claims, a field twice, times that are no numbers
  kIssuer,
  kAudience,
  kExpired,
  kNotYet,
};

constexpr size_t kRefusals = static_cast<size_t>(Refusal::kNotYet) + 1;

// For metrics: `too_long`, `malformed`, ...; `none` for kNone.
std::string_view name_of(Refusal refusal);

}  // namespace sluice::rules::jwt
