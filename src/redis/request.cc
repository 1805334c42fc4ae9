#include "redis/request.h"

#include <array>
#include <charconv>

namespace sluice::redis {
namespace {

// CRC-16 with the polynomial 0x1021, as the specification of Redis Cluster has it.
constexpr std::array<uint16_t, 256> make_remainders() {
  std::array<uint16_t, 256> remainders{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned value = byte << 8;
    for (int bit = 0; bit < 8; ++bit) value = (value << 1) ^ ((value & 0x8000) != 0 ? 0x1021 : 0);
    remainders[byte] = static_cast<uint16_t>(value);
  }
  return remainders;
}
constexpr std::array<uint16_t, 256> kRemainders = make_remainders();

void append_size(std::string& bytes, char mark, size_t size) {
  char text[24];
  text[0] = mark;
  char* const end = std::to_chars(text + 1, text + sizeof(text) - 2, size).ptr;
  end[0] = '\r';
  end[1] = '\n';
  bytes.append(text, static_cast<size_t>(end + 2 - text));
}

}  // namespace

uint16_t slot_of(std::string_view key) {
  if (const size_t open = key.find('{'); open != std::string_view::npos) {
    const size_t close = key.find('}', open);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  unsigned crc = 0;
  for (const char byte : key)
    crc = ((crc << 8) ^ kRemainders[((crc >> 8) ^ static_cast<uint8_t>(byte)) & 0xff]) & 0xffff;
  return static_cast<uint16_t>(crc % kSlots);
}

void append_command(std::string& bytes, std::span<const std::string_view> words) {
  append_size(bytes, '*', words.size());
  for (const std::string_view word : words) {
    append_size(bytes, '$', word.size());
    bytes += word;
    bytes += "\r\n";
  }
}

void append_command(std::string& bytes, std::initializer_list<std::string_view> words) {
  append_command(bytes, std::span(words.begin(), words.size()));
}

}  // namespace sluice::redis
