// Whether bytes are text: logs and metrics must be, whatever keys are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::telemetry {

// U+FFFD: what is shown for a byte that is no part of a character.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// How many bytes the first character has; 0 if it is none (cut short, overlong, a surrogate, too large).
// REQUIRES: `text` is not empty.
inline size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  const uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace sluice::telemetry
