#include "sql/postgres/text.h"

#include <algorithm>
#include <cstdint>

namespace sluice::sql::postgres {
namespace {

constexpr size_t kEscapeSize = 4;  // \xHH

bool is_between(uint8_t byte, uint8_t low, uint8_t high) { return byte >= low && byte <= high; }

// The bytes of the character at the start, 0 where none is: RFC 3629, so no surrogates and nothing overlong.
size_t character_size(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (is_between(first, 0xC2, 0xDF)) return is_between(at(1), 0x80, 0xBF) ? 2 : 0;
  if (is_between(first, 0xE0, 0xEF)) {
    const uint8_t low = first == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : 0xBF;
    return is_between(at(1), low, high) && is_between(at(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (!is_between(first, 0xF0, 0xF4)) return 0;
  const uint8_t low = first == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xF4 ? 0x8F : 0xBF;
  return is_between(at(1), low, high) && is_between(at(2), 0x80, 0xBF) && is_between(at(3), 0x80, 0xBF) ? 4 : 0;
}

void append_escaped(std::string& out, char byte) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto value = static_cast<uint8_t>(byte);
  out += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Of an escape at the start; -1 where none is.
int escaped_byte(std::string_view text) {
  if (text.size() < kEscapeSize || text[0] != '\\' || text[1] != 'x') return -1;
  const int high = digit_value(text[2]);
  const int low = digit_value(text[3]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

std::string to_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t size = character_size(bytes);
    const bool looks_escaped = bytes.starts_with("\\x");
    if (size == 0 || bytes[0] == '\0' || looks_escaped) {
      append_escaped(out, bytes[0]);
      bytes.remove_prefix(1);
    } else {
      out += bytes.substr(0, size);
      bytes.remove_prefix(size);
    }
  }
  return out;
}

std::string from_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const int byte = escaped_byte(text);
    out += byte < 0 ? text[0] : static_cast<char>(byte);
    text.remove_prefix(byte < 0 ? 1 : kEscapeSize);
  }
  return out;
}

std::string clipped(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  for (size_t begin = end - std::min(end, kEscapeSize - 1); begin < end; ++begin) {
    if (escaped_byte(std::string_view(text).substr(begin)) >= 0) end = begin;
  }
  text.resize(end);
  return text;
}

}  // namespace sluice::sql::postgres
