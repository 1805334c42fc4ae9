#include "rules/bucket_key.h"

#include <algorithm>
#include <cstring>

namespace sluice::rules {
namespace {

constexpr size_t kFirstCapacity = 512;
constexpr std::string_view kPercent = "%25";
constexpr std::string_view kSeparator = "%7C";

// REQUIRES: room for three bytes of each one.
char* write_escaped(std::string_view value, char* out) {
  for (const char c : value) {
    if (c != '%' && c != '|') {
      *out++ = c;
      continue;
    }
    const std::string_view escaped = c == '%' ? kPercent : kSeparator;
    out += escaped.copy(out, escaped.size());
  }
  return out;
}

}  // namespace

std::string key_prefix(std::string_view policy, std::string_view rule) {
  std::string prefix(3 * (policy.size() + rule.size()) + 1, '\0');
  char* end = write_escaped(policy, prefix.data());
  *end++ = '|';
  end = write_escaped(rule, end);
  prefix.resize(static_cast<size_t>(end - prefix.data()));
  return prefix;
}

char* KeyMemory::reserve(size_t more) {
  if (size_ + more > capacity_) {
    const size_t capacity = std::max({kFirstCapacity, 2 * capacity_, size_ + more});
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }
  return bytes_.get() + size_;
}

void KeyMemory::append_prefix(std::string_view prefix) {
  prefix.copy(reserve(prefix.size()), prefix.size());
  size_ += prefix.size();
}

void KeyMemory::append_value(std::string_view value) {
  char* const begin = reserve(1 + 3 * std::max<size_t>(value.size(), 1));
  *begin = '|';
  char* const end =
      value.empty() ? begin + 1 + kMissingValue.copy(begin + 1, kMissingValue.size()) : write_escaped(value, begin + 1);
  size_ += static_cast<size_t>(end - begin);
}

}  // namespace sluice::rules
