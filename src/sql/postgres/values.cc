#include "sql/postgres/values.h"

#include <arpa/inet.h>

#include <bit>
#include <limits>

namespace sluice::sql::postgres {
namespace {

// The family of IPv6 in binary, which is not the kernel's.
constexpr char kFamilyV4 = 2;
constexpr char kFamilyV6 = 3;
// The last microsecond of the year 294276, and the first of 4713 BC, counted from 2000.
constexpr int64_t kLastTime = 9'223'371'331'199'999'999;
constexpr int64_t kFirstTime = -211'813'488'000'000'000;

void append_big_endian(std::string& out, uint64_t value, size_t size) {
  for (size_t i = size; i-- > 0;) out += static_cast<char>(value >> (8 * i));
}

int64_t since_2000(int64_t unix_us) {
  if (unix_us < kFirstTime + kEpochUs) return kFirstTime;
  return std::min(unix_us - kEpochUs, kLastTime);
}

}  // namespace

void Values::put(std::string_view bytes) {
  append_big_endian(bytes_, bytes.size(), 4);
  begins_.push_back(bytes_.size());
  lengths_.push_back(static_cast<int>(bytes.size()));
  bytes_ += bytes;
}

Values& Values::text(std::string_view value) {
  put(value);
  return *this;
}

Values& Values::integer(int64_t value) {
  std::string bytes;
  append_big_endian(bytes, static_cast<uint64_t>(value), 8);
  put(bytes);
  return *this;
}

Values& Values::number(double value) { return integer(std::bit_cast<int64_t>(value)); }

Values& Values::boolean(bool value) {
  put(value ? std::string_view("\1", 1) : std::string_view("\0", 1));
  return *this;
}

Values& Values::time(int64_t unix_us) { return integer(since_2000(unix_us)); }

Values& Values::address(std::string_view value) {
  const std::string text(value);
  char bytes[16];
  const bool is_v4 = inet_pton(AF_INET, text.c_str(), bytes) == 1;
  if (!is_v4 && inet_pton(AF_INET6, text.c_str(), bytes) != 1) return null();
  const char size = is_v4 ? 4 : 16;
  const std::string head = {is_v4 ? kFamilyV4 : kFamilyV6, static_cast<char>(size * 8), 0, size};
  put(head + std::string(bytes, static_cast<size_t>(size)));
  return *this;
}

Values& Values::null() {
  append_big_endian(bytes_, std::numeric_limits<uint32_t>::max(), 4);
  begins_.push_back(bytes_.size());
  lengths_.push_back(-1);
  return *this;
}

void Values::clear() {
  bytes_.clear();
  begins_.clear();
  lengths_.clear();
}

const char* Values::data(size_t index) const { return lengths_[index] < 0 ? nullptr : bytes_.data() + begins_[index]; }

void Values::append_row_to(std::string& copy) const {
  append_big_endian(copy, size(), 2);
  copy += bytes_;
}

std::string copy_header() { return std::string("PGCOPY\n\377\r\n\0", 11) + std::string(8, '\0'); }

std::string copy_trailer() { return "\377\377"; }

uint64_t read_big_endian(const char* bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace sluice::sql::postgres
