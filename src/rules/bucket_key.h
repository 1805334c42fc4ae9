// Keys of buckets: `<policy id>|<rule name>|<value>|<value>...`, the same in every process.
//
// In each part `%` is written %25 and `|` is written %7C, so that no two different lists are one key. A missing value
// is
// `%-`, which no value is written as.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sluice::rules {

inline constexpr std::string_view kMissingValue = "%-";

// What the keys of a rule begin with: its policy and itself.
std::string key_prefix(std::string_view policy, std::string_view rule);

// Keys one behind the other in memory that is reused. What was written moves when it grows: ask text() at the end.
class KeyMemory {
 public:
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  std::string_view text(size_t begin, size_t end) const { return {bytes_.get() + begin, end - begin}; }
  // Takes back all that was written from here on.
  void cut(size_t size) { size_ = size; }

  void append_prefix(std::string_view prefix);
  // With the `|` before it; empty: a missing value.
  void append_value(std::string_view value);

 private:
  char* reserve(size_t more);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace sluice::rules
