// Whole numbers as the Redis protocol writes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace sluice::doors::resp {

// An optional sign and digits, nothing else; false for what is no such number or beyond 64 bits.
[[nodiscard]] inline bool read_integer(std::string_view text, int64_t& number) {
  // Below this no number can be too large, so digits are just added up.
  if (text.size() <= 18 && !text.empty() && text[0] != '-' && text[0] != '+') [[likely]] {
    int64_t sum = 0;
    for (const char c : text) {
      const auto digit = static_cast<unsigned>(c - '0');
      if (digit > 9) return false;
      sum = sum * 10 + digit;
    }
    number = sum;
    return true;
  }
  if (text.size() >= 2 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Room that put_integer() may need.
inline constexpr size_t kLongestInteger = 20;

// Returns the end of what was written.
inline char* put_integer(char* at, int64_t number) {
  if (number >= 0 && number < 10) {
    *at = static_cast<char>('0' + number);
    return at + 1;
  }
  return std::to_chars(at, at + kLongestInteger, number).ptr;
}

}  // namespace sluice::doors::resp
