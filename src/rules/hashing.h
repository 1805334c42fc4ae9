// The hash of names and values, eight bytes at a time. Not keyed: what is hashed into tables comes from rules, and
// requests are only looked up in them, so nobody outside can make a table slow.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::rules {

enum class Letters : uint8_t { kAsTheyAre, kInLowerCase };

namespace hashing {

inline uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <class Word>
uint64_t load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// All eight bytes at once. A byte has bit 7 of `upper` set if it is one of A to Z.
inline uint64_t in_lower_case(uint64_t bytes) {
  constexpr uint64_t kEach = 0x0101010101010101;
  const uint64_t low = bytes & kEach * 0x7f;
  const uint64_t upper = (low + kEach * (0x80 - 'A')) & ~(low + kEach * (0x7f - 'Z')) & ~bytes & kEach * 0x80;
  return bytes | upper >> 2;
}

// Less than eight bytes; different for different ones of the same number.
inline uint64_t load_few(const char* from, size_t count) {
  if (count >= 4) return load<uint32_t>(from) | load<uint32_t>(from + count - 4) << 32;
  if (count == 0) return 0;
  return load<uint8_t>(from) | load<uint8_t>(from + count / 2) << 8 | load<uint8_t>(from + count - 1) << 16;
}

// Whether any of the eight bytes is this one.
inline bool has_byte(uint64_t bytes, char wanted) {
  constexpr uint64_t kEach = 0x0101010101010101;
  const uint64_t zero_where = bytes ^ kEach * static_cast<unsigned char>(wanted);
  return ((zero_where - kEach) & ~zero_where & kEach * 0x80) != 0;
}

}  // namespace hashing

template <Letters kLetters = Letters::kAsTheyAre>
uint64_t hash_bytes(uint64_t seed, std::string_view text) {
  constexpr uint64_t kFirst = 0x9e3779b97f4a7c15;
  constexpr uint64_t kSecond = 0xd6e8feb86659fd93;
  const auto cased = [](uint64_t word) {
    return kLetters == Letters::kInLowerCase ? hashing::in_lower_case(word) : word;
  };
  uint64_t hash = (seed + text.size()) * kFirst ^ kSecond;
  while (text.size() >= 8) {
    hash = hashing::mix(hash ^ cased(hashing::load<uint64_t>(text.data())), kSecond);
    text.remove_prefix(8);
  }
  return hashing::mix(hash ^ cased(hashing::load_few(text.data(), text.size())), kFirst);
}

}  // namespace sluice::rules
