// What is known of the bearer of a token. The port behind which tokens are verified: rules/jwt implements it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::rules {

// The claims of a token that are plain values, flattened: {"org": {"id": 7}} is `org.id` = `7`. Strings are kept as
// they are, numbers as they were written, booleans as `true` and `false`; null, objects and arrays are no values.
struct Claims {
  std::vector<std::pair<std::string, std::string>>
      values;  // sorted by name; a name of its own goes before a nested one

  std::optional<std::string_view> find(std::string_view name) const;
};

// One for each thread: not thread-safe.
class ClaimSource {
 public:
  virtual ~ClaimSource() = default;

  // The claims of a token that holds at this time, or nullptr. What is returned lives until the next call.
  virtual const Claims* claims_of(std::string_view token, int64_t unix_seconds) = 0;
  // Why the last call returned nullptr, for people: "its signature does not fit", "it expired 12 s ago".
  virtual std::string why_not() const = 0;
};

}  // namespace sluice::rules
