// Keys in random order, laid out in the order they are asked for: as with keys that arrive in requests, reading the key
// itself is cheap, and what is measured is finding its bucket.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace sluice::bench {

// One reader's place in a text of keys. The text is made once for a choice and shared by all who choose the same.
class KeySequence {
 public:
  static constexpr size_t kLength = 14;

  struct Choice {
    uint64_t keys;
    uint64_t first = 0;
    uint64_t seed = 1;
    auto operator<=>(const Choice&) const = default;
  };

  explicit KeySequence(uint64_t keys) : KeySequence(Choice{.keys = keys}) {}
  explicit KeySequence(const Choice& choice) : text_(shared_text(choice)) {}

  std::string_view next() {
    if (at_ == text_.size()) at_ = 0;
    const std::string_view key = text_.substr(at_, kLength);
    at_ += kLength;
    return key;
  }

  static void append_key(std::string& text, uint64_t i) {
    char key[kLength + 1] = "user:000000000";
    for (size_t at = kLength; i > 0 && at > 5; i /= 10) key[--at] = static_cast<char>('0' + i % 10);
    text.append(key, kLength);
  }

 private:
  // Long enough that the processor cannot learn it, short enough that it is made in no time.
  static constexpr uint64_t kFewestSteps = 1'000'000;
  static constexpr uint64_t kMostSteps = 4'000'000;

  // Lives until the program ends.
  static std::string_view shared_text(const Choice& choice) {
    static std::mutex mutex;
    static std::map<Choice, std::unique_ptr<const std::string>> texts;
    const std::lock_guard lock(mutex);
    auto& text = texts[choice];
    if (text == nullptr) text = std::make_unique<const std::string>(make_text(choice));
    return *text;
  }

  static std::string make_text(const Choice& choice) {
    const uint64_t steps = std::clamp(choice.keys, kFewestSteps, kMostSteps);
    std::string text;
    text.reserve(steps * kLength);
    uint64_t x = 0x9e3779b97f4a7c15U * choice.seed;
    for (uint64_t i = 0; i < steps; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      append_key(text, choice.first + x % choice.keys);
    }
    return text;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace sluice::bench
