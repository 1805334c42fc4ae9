// What a token's payload says: its claims, flattened, and the few that decide whether it counts. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "documents/document.h"
#include "rules/claims.h"
#include "rules/jwt/token.h"

namespace sluice::rules::jwt {

constexpr size_t kMostClaims = 64;
constexpr size_t kDeepestClaim = 8;
// A payload within the longest token cannot have more values than bytes.
constexpr documents::Bounds kTokenBounds{kLongestToken, kLongestToken, kDeepestClaim};

// Holds at every second from `from` on, and before `until`.
struct Validity {
  int64_t from = std::numeric_limits<int64_t>::min();
  int64_t until = std::numeric_limits<int64_t>::max();

  bool holds_at(int64_t unix_seconds) const { return from <= unix_seconds && unix_seconds < until; }
};

struct Payload {
  Claims claims;
  Validity validity;  // `nbf` and `exp`, rounded up to whole seconds
  std::optional<std::string> issuer;
  std::vector<std::string> audience;
};

// Of the bytes that a token's second part decodes to.
std::variant<Payload, Refused> read_payload(std::string_view json);

// Whether any object in it has two members of one name: whoever reads it next may see the other one.
bool says_a_thing_twice(const documents::Node& node);

}  // namespace sluice::rules::jwt
