// The name of a key as telemetry keeps it: all of it, or its first bytes and a hash of the whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::telemetry {

inline constexpr size_t kLongestName = 128;

// FNV-1a; only for names that are cut, to tell them apart. Whoever makes two of them meet sees their counts added.
inline uint64_t hash_of_cut(std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash | 1;
}

// A view: the bytes belong to somebody else.
struct KeyName {
  std::string_view bytes;    // at most kLongestName
  uint64_t hash_of_all = 0;  // 0 for a name that is whole

  KeyName() = default;
  KeyName(std::string_view name, uint64_t hash) : bytes(name), hash_of_all(hash) {}
  explicit KeyName(std::string_view key)
      : bytes(key.substr(0, kLongestName)), hash_of_all(key.size() > kLongestName ? hash_of_cut(key) : 0) {}

  bool is_cut() const { return hash_of_all != 0; }

  friend bool operator==(const KeyName&, const KeyName&) = default;
};

}  // namespace sluice::telemetry
