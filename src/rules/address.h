// Addresses and networks of IPv4 and IPv6. Values; no names are ever resolved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::rules {

// An IPv4 address written as IPv6 (::ffff:1.2.3.4) is the IPv4 address.
struct Address {
  std::array<uint8_t, 16> bytes{};  // of an IPv4 address the first four count, the others are 0
  bool is_v6 = false;

  // Plain, in brackets, with a port behind it ("1.2.3.4:80", "[::1]:80") or a zone ("fe80::1%eth0"): as proxies write
  // them. Nothing for what is no address.
  static std::optional<Address> parse(std::string_view text);

  int bits() const { return is_v6 ? 128 : 32; }
  // All but the first `bits` cleared. REQUIRES: 0 <= bits <= this->bits().
  Address masked(int bits) const;
  // As RFC 5952 writes it.
  std::string text() const;
  // The same into memory of the caller, with no zero at the end; returns how much was written.
  static constexpr size_t kLongestText = 39;
  size_t write_text(std::span<char, kLongestText> out) const;

  friend bool operator==(const Address&, const Address&) = default;
};

struct Network {
  Address address;  // bits beyond the prefix are 0
  int bits = 0;

  // "10.0.0.0/8", or an address alone for just that one. Nothing for what is no network, or has bits beyond its prefix.
  static std::optional<Network> parse(std::string_view text);

  bool contains(const Address& other) const;
  std::string text() const;

  friend bool operator==(const Network&, const Network&) = default;
};

}  // namespace sluice::rules
