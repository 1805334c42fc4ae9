// Where a value of a request comes from: `header:x-api-key`, `ip:address/24`, `jwt:org.id`, `path`.
// Keys of buckets, conditions of rules and costs are all read from such sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::rules {

enum class KeyKind : uint8_t { kIp, kHeader, kQuery, kCookie, kJwt, kPath, kMethod, kHost, kAttribute };

struct KeySource {
  KeyKind kind = KeyKind::kIp;
  // In lower case for headers and query parameters, whose names may come in any case. Empty for ip, path, method, host.
  std::string name;
  // How much of an address counts. `ip:address/24` means /24 of IPv4 and /64 of IPv6, `ip:address/56` the whole of an
  // IPv4 address and /56 of IPv6, `ip:address/24/56` says both.
  uint8_t ipv4_bits = 32;
  uint8_t ipv6_bits = 128;

  // Nothing for what is no source; explain_bad_source() then says what is wrong with it.
  static std::optional<KeySource> parse(std::string_view text);
  // As it is written in rules; parse() of it gives the same source.
  std::string text() const;

  friend bool operator==(const KeySource&, const KeySource&) = default;
};

// Of a source without one every request has a value, or nearly so.
inline bool has_name(const KeySource& source) { return !source.name.empty(); }

// One sentence for people, on what parse() refused: what was expected, and the nearest that would do.
std::string explain_bad_source(std::string_view text);

}  // namespace sluice::rules
