// A compact JWS (RFC 7515), taken apart: header, payload and signature. Nothing is verified here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/jwt/refusal.h"

namespace sluice::rules::jwt {

constexpr size_t kLongestToken = 8192;

// A refusal, with what people want to know beyond its kind.
struct Refused {
  Refusal why = Refusal::kNone;
  std::string detail;  // a sentence: "its header is not base64url"
};

// The parts are views of the token's text.
struct Token {
  std::string_view signed_part;  // header and payload as they were sent, with the dot between them
  std::string_view payload;      // still encoded: not read before the signature fits
  std::string_view signature;    // likewise
  std::string algorithm;         // `alg`
  std::optional<std::string> key_id;
};

// Refuses what is too long, has not three parts, or a header that is no object of JSON, names no algorithm, says a
// thing twice, or asks for extensions (`crit`).
std::variant<Token, Refused> split_token(std::string_view text);

// What a token says, for people: cut to a few characters, and no control characters.
std::string quoted(std::string_view text);

}  // namespace sluice::rules::jwt
