#include "rules/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>

namespace sluice::rules {
namespace {

constexpr size_t kGroups = 8;
constexpr uint8_t kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kMappedBits = 96;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number, or what RFC 7239 lets a proxy write to hide it: "_x".
bool is_port(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] != '_') return text.size() <= 5 && std::all_of(text.begin(), text.end(), is_digit);
  return text.size() > 1 && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
         });
}

// A number up to 255 with no leading zero, and `text` behind it; or -1.
int take_byte(std::string_view& text) {
  const auto digit_at = [&](size_t i) { return i < text.size() ? static_cast<unsigned>(text[i] - '0') : 10u; };
  unsigned number = digit_at(0);
  if (number > 9) return -1;
  size_t digits = 1;
  for (unsigned digit; number > 0 && digits < 3 && (digit = digit_at(digits)) <= 9; ++digits)
    number = number * 10 + digit;
  text.remove_prefix(digits);
  return number > 255 ? -1 : static_cast<int>(number);
}

// As inet_pton takes it, which takes several times as long; most requests have one of these.
std::optional<Address> parse_v4(std::string_view text) {
  Address address;
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0) {
      if (text.empty() || text[0] != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    const int byte = take_byte(text);
    if (byte < 0) return std::nullopt;
    address.bytes[i] = static_cast<uint8_t>(byte);
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

// With neither brackets, port nor zone.
std::optional<Address> parse_plain(std::string_view text) {
  if (text.find(':') == text.npos) return parse_v4(text);
  char buffer[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof(buffer) || text.find('\0') != text.npos) return std::nullopt;
  buffer[text.copy(buffer, sizeof(buffer))] = '\0';
  Address address;
  if (inet_pton(AF_INET6, buffer, address.bytes.data()) != 1) return std::nullopt;
  address.is_v6 = std::memcmp(address.bytes.data(), kMappedPrefix, sizeof(kMappedPrefix)) != 0;
  if (!address.is_v6) {
    std::copy_n(address.bytes.begin() + sizeof(kMappedPrefix), 4, address.bytes.begin());
    std::fill(address.bytes.begin() + 4, address.bytes.end(), uint8_t{0});
  }
  return address;
}

std::optional<Address> parse_with_zone(std::string_view text) {
  const size_t zone = text.find('%');
  if (zone == text.npos) return parse_plain(text);
  if (zone + 1 == text.size()) return std::nullopt;
  const auto address = parse_plain(text.substr(0, zone));
  return address && address->is_v6 ? address : std::nullopt;
}

std::optional<Address> parse_bracketed(std::string_view text) {
  const size_t end = text.find(']');
  if (end == text.npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  const std::string_view behind = text.substr(end + 1);
  if (inside.find(':') == inside.npos) return std::nullopt;
  if (!behind.empty() && (behind[0] != ':' || !is_port(behind.substr(1)))) return std::nullopt;
  return parse_with_zone(inside);
}

char* write_v4(const std::array<uint8_t, 16>& bytes, char* out) {
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0) *out++ = '.';
    const unsigned number = bytes[i];
    if (number >= 100) *out++ = static_cast<char>('0' + number / 100);
    if (number >= 10) *out++ = static_cast<char>('0' + number / 10 % 10);
    *out++ = static_cast<char>('0' + number % 10);
  }
  return out;
}

struct Run {
  size_t begin = kGroups;
  size_t length = 0;
};

// The first of the longest runs of zeros; a single zero is not shortened.
Run longest_zeros(const std::array<unsigned, kGroups>& groups) {
  Run longest;
  for (size_t i = 0; i < kGroups;) {
    size_t end = i;
    while (end < kGroups && groups[end] == 0) ++end;
    if (end - i > std::max<size_t>(longest.length, 1)) longest = {i, end - i};
    i = end + 1;
  }
  return longest;
}

char* write_v6(const std::array<uint8_t, 16>& bytes, char* out) {
  std::array<unsigned, kGroups> groups;
  for (size_t i = 0; i < kGroups; ++i) groups[i] = static_cast<unsigned>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  const Run zeros = longest_zeros(groups);
  for (size_t i = 0; i < kGroups; ++i) {
    if (i == zeros.begin) {
      *out++ = ':';
      *out++ = ':';
      i += zeros.length - 1;
      continue;
    }
    if (i > 0 && i != zeros.begin + zeros.length) *out++ = ':';
    out = std::to_chars(out, out + 4, groups[i], 16).ptr;
  }
  return out;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  if (const auto address = parse_v4(text)) return address;
  if (!text.empty() && text[0] == '[') return parse_bracketed(text);
  const size_t colon = text.find(':');
  if (colon == text.npos) return parse_plain(text);
  if (text.find(':', colon + 1) != text.npos) return parse_with_zone(text);
  if (!is_port(text.substr(colon + 1))) return std::nullopt;
  return parse_plain(text.substr(0, colon));
}

Address Address::masked(int kept) const {
  assert(kept >= 0 && kept <= bits());
  Address result = *this;
  size_t i = static_cast<size_t>(kept) / 8;
  if (i == result.bytes.size()) return result;
  result.bytes[i] &= static_cast<uint8_t>(0xff00 >> kept % 8);
  while (++i < result.bytes.size()) result.bytes[i] = 0;
  return result;
}

std::string Address::text() const {
  std::array<char, kLongestText> buffer;
  return std::string(buffer.data(), write_text(buffer));
}

size_t Address::write_text(std::span<char, kLongestText> out) const {
  const char* const end = is_v6 ? write_v6(bytes, out.data()) : write_v4(bytes, out.data());
  return static_cast<size_t>(end - out.data());
}

std::optional<Network> Network::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view written = text.substr(0, slash);
  const auto address = parse_plain(written);
  if (!address) return std::nullopt;
  if (slash == text.npos) return Network{*address, address->bits()};
  const std::string_view length = text.substr(slash + 1);
  int bits = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (error != std::errc() || end != length.data() + length.size() || !is_digit(length[0])) return std::nullopt;
  if (length.size() > 1 && length[0] == '0') return std::nullopt;
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  if (!address->is_v6 && written.find(':') != written.npos) bits -= kMappedBits;
  if (bits < 0 || bits > address->bits() || address->masked(bits) != *address) return std::nullopt;
  return Network{*address, bits};
}

bool Network::contains(const Address& other) const {
  return address.is_v6 == other.is_v6 && other.masked(bits) == address;
}

std::string Network::text() const { return address.text() + "/" + std::to_string(bits); }

}  // namespace sluice::rules
