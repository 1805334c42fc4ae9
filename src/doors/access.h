// Who may use a door: everybody, or whoever knows a token.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::doors {

// Keeps no token, only what it is compared by. Thread-safe.
class Access {
 public:
  // For everybody.
  Access() = default;
  // REQUIRES: a token that is not empty.
  explicit Access(std::string_view token, std::string name = "");

  // A further token. REQUIRES: it is not empty; before other threads use this.
  void add(std::string_view token, std::string name);

  bool needs_token() const { return !expected_.empty(); }
  // Takes the same time for every token of one length.
  bool allows(std::string_view token) const;
  // `Bearer abc`, as in an Authorization header; the scheme in any case.
  bool allows_bearer(std::string_view authorization) const;
  // The name of the token; nullptr where it is none of ours, or none is needed.
  const std::string* owner_of_bearer(std::string_view authorization) const;

 private:
  using Digest = std::array<uint8_t, 32>;
  struct Expected {
    Digest digest;
    std::string name;
  };
  static Digest digest(std::string_view token);
  const Expected* find(std::string_view token) const;

  std::vector<Expected> expected_;
};

}  // namespace sluice::doors
