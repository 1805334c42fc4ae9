#include "stores/redis/bucket_name.h"

#include <array>
#include <charconv>

namespace sluice::redis_store {
namespace {

constexpr std::string_view kBraces = "{}";
constexpr uint16_t kSlots = 16384;

// CRC16/XMODEM: polynomial 0x1021, starting from 0.
constexpr std::array<uint16_t, 256> kCrcOfByte = [] {
  std::array<uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021 : 0);
    table[byte] = static_cast<uint16_t>(crc);
  }
  return table;
}();

uint16_t crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char c : bytes) crc = crc << 8 ^ kCrcOfByte[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff];
  return static_cast<uint16_t>(crc);
}

// What is hashed of a key.
std::string_view hash_tag(std::string_view name) {
  const size_t open = name.find('{');
  if (open == std::string_view::npos) return name;
  const size_t close = name.find('}', open);
  if (close == std::string_view::npos || close == open + 1) return name;
  return name.substr(open + 1, close - open - 1);
}

}  // namespace

void append_bucket_name(std::string& out, std::string_view prefix, std::string_view key, uint32_t part) {
  std::array<char, 10> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), part).ptr;
  out.append(prefix).append(kBraces).append(digits.data(), end).append(1, ':').append(key);
}

std::optional<BucketName> parse_bucket_name(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (!name.starts_with(kBraces)) return std::nullopt;
  name.remove_prefix(kBraces.size());
  BucketName parsed;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), parsed.part);
  const auto digits = static_cast<size_t>(end - name.data());
  if (error != std::errc() || digits == name.size() || *end != ':') return std::nullopt;
  if (digits > 1 && name[0] == '0') return std::nullopt;
  parsed.key = name.substr(digits + 1);
  return parsed;
}

uint16_t slot_of(std::string_view name) { return crc16(hash_tag(name)) % kSlots; }

}  // namespace sluice::redis_store
