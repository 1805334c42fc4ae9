// Texts of callers as the audit keeps them: whole, or their first bytes and a mark that says what is missing.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::audit {

// With the mark.
inline constexpr size_t kLongestText = 1'024;

// `<first bytes>...(524288 bytes, 0123456789abcdef0123456789abcdef)`: the length of the whole, and a hash of it that is
// the same in every process, so that the rows of one key can be told from those of another. A view: the bytes belong to
// somebody else. UTF-8 is not cut within a character.
class CutText {
 public:
  explicit CutText(std::string_view whole) : head_(whole) {
    if (whole.size() > kLongestText) cut();
  }

  size_t size() const { return head_.size() + mark_size_; }
  // REQUIRES: room for size(). Returns the end.
  char* copy_to(char* out) const {
    out += head_.copy(out, head_.size());
    return out + std::string_view(mark_.data(), mark_size_).copy(out, mark_size_);
  }

  std::string text() const { return std::string(head_).append(mark_.data(), mark_size_); }

 private:
  static constexpr size_t kLongestMark = 80;

  void cut();

  std::string_view head_;
  size_t mark_size_ = 0;
  std::array<char, kLongestMark> mark_;
};

}  // namespace sluice::audit
