// Keys in random order, laid out in the order they are asked for: as with keys that arrive in requests, reading the key
// itself is cheap, and what is measured is finding its bucket.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::bench {

class KeySequence {
 public:
  static constexpr size_t kLength = 14;

  explicit KeySequence(uint64_t keys, uint64_t seed = 1) {
    const uint64_t steps = keys < 1'000'000 ? 1'000'000 : keys < 4'000'000 ? keys : 4'000'000;
    text_.reserve(steps * kLength + 1);
    uint64_t x = 0x9e3779b97f4a7c15U * seed;
    for (uint64_t i = 0; i < steps; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      append_key(text_, x % keys);
    }
    count_ = steps;
  }

  std::string_view next() {
    if (at_ == count_) at_ = 0;
    return std::string_view(text_).substr(kLength * at_++, kLength);
  }

  static void append_key(std::string& text, uint64_t i) {
    char key[kLength + 1];
    std::snprintf(key, sizeof(key), "user:%09u", static_cast<unsigned>(i));
    text.append(key, kLength);
  }

 private:
  std::string text_;
  uint64_t count_ = 0;
  uint64_t at_ = 0;
};

}  // namespace sluice::bench
