// Who may use a door: everybody, or whoever knows the token.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::doors {

// Keeps no token, only what it is compared by. Thread-safe.
class Access {
 public:
  // For everybody.
  Access() = default;
  // REQUIRES: a token that is not empty.
  explicit Access(std::string_view token);

  bool needs_token() const { return expected_.has_value(); }
  // Takes the same time for every token of one length.
  bool allows(std::string_view token) const;
  // `Bearer abc`, as in an Authorization header; the scheme in any case.
  bool allows_bearer(std::string_view authorization) const;

 private:
  using Digest = std::array<uint8_t, 32>;
  static Digest digest(std::string_view token);

  std::optional<Digest> expected_;
};

}  // namespace sluice::doors
