// The buckets of a question, each once, numbered in the order in which they were first met. Used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::redis_store {

// Keeps its memory when it is cleared.
class BucketNames {
 public:
  static constexpr size_t kMax = 256;

  // REQUIRES: no brace in the prefix, and that it outlives this.
  explicit BucketNames(std::string_view prefix) : prefix_(prefix) {}

  // From 1 on, as Lua counts. REQUIRES: fewer than kMax so far, or the bucket is among them.
  uint16_t number_of(std::string_view key, uint32_t part);

  // As Redis knows them, until another is added.
  std::span<const std::string_view> all();

  void clear();

 private:
  std::string_view name(uint16_t number) const {
    return std::string_view(text_).substr(starts_[number - 1U], size(number));
  }
  size_t size(uint16_t number) const { return starts_[number] - starts_[number - 1U]; }

  const std::string_view prefix_;
  std::string text_;               // the names, one behind the other
  std::vector<size_t> starts_{0};  // of each in the text, and of the next
  std::vector<std::string_view> all_;
  std::array<uint16_t, 4 * kMax> places_{};  // numbers by hash; 0 is an empty place
};

}  // namespace sluice::redis_store
