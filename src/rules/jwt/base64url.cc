#include "rules/jwt/base64url.h"

#include <array>
#include <cstdint>

namespace sluice::rules::jwt {
namespace {

constexpr uint32_t kNone = 64;  // any value with a bit above the six of a digit

constexpr std::array<uint8_t, 256> values_of_digits() {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (size_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<uint8_t>(i);
  return values;
}

constexpr auto kValues = values_of_digits();

}  // namespace

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const uint32_t value = kValues[static_cast<uint8_t>(digit)];
    if (value == kNone) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
    bits &= (1u << count) - 1;
  }
  if (bits != 0) return std::nullopt;
  return bytes;
}

}  // namespace sluice::rules::jwt
