#include "rules/bucket_key.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "rules/hashing.h"

namespace sluice::rules {
namespace {

constexpr std::string_view kPercent = "%25";
constexpr std::string_view kSeparator = "%7C";

bool has_special(uint64_t bytes) { return hashing::has_byte(bytes, '%') || hashing::has_byte(bytes, '|'); }

// Whether it can be written as it is. The last eight bytes may be looked at twice.
bool is_plain(std::string_view value) {
  if (value.size() < 8) return !has_special(hashing::load_few(value.data(), value.size()));
  for (size_t i = 0; i + 8 < value.size(); i += 8) {
    if (has_special(hashing::load<uint64_t>(value.data() + i))) return false;
  }
  return !has_special(hashing::load<uint64_t>(value.data() + value.size() - 8));
}

// REQUIRES: room for three bytes of each one.
char* write_escaped(std::string_view value, char* out) {
  if (is_plain(value)) return out + value.copy(out, value.size());
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

void KeyMemory::grow(size_t needed) {
  const size_t capacity = std::max(2 * capacity_, needed);
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void KeyMemory::append_value(std::string_view value) {
  assert(value.size() <= kLongestValue && size_ + kLongestWritten <= capacity_);
  char* const begin = bytes_.get() + size_;
  *begin = '|';
  char* const end =
      value.empty() ? begin + 1 + kMissingValue.copy(begin + 1, kMissingValue.size()) : write_escaped(value, begin + 1);
  size_ += static_cast<size_t>(end - begin);
}

}  // namespace sluice::rules
