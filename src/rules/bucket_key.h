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

// A value that is longer counts as missing: that bounds what a request can make a key of. No identity is this long, and
// cut or hashed it could be made equal to another's.
inline constexpr size_t kLongestValue = 4096;

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

  // Begins a key of at most `values` values.
  void append_prefix(std::string_view prefix, size_t values) {
    reserve(prefix.size() + values * kLongestWritten);
    size_ += prefix.copy(bytes_.get() + size_, prefix.size());
  }
  // With the `|` before it; empty: a missing value. REQUIRES: the prefix said that it would come, and it is no longer
  // than kLongestValue.
  void append_value(std::string_view value);

 private:
  static constexpr size_t kLongestWritten = 1 + 3 * kLongestValue;

  void reserve(size_t more) {
    if (size_ + more > capacity_) grow(size_ + more);
  }
  void grow(size_t needed);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace sluice::rules
