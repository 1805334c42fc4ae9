#include "documents/source_text.h"

#include <algorithm>
#include <cstdint>

namespace sluice::documents {
namespace {

constexpr size_t kLongestQuote = 30;

uint8_t byte_at(std::string_view text, size_t offset) { return static_cast<uint8_t>(text[offset]); }
bool continues_character(uint8_t byte) { return (byte & 0xc0) == 0x80; }
bool is_control(uint8_t byte) { return byte < 0x20 || byte == 0x7f; }
bool is_word(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte == '-' || byte == '+' || byte == '.' || byte >= 0x80;
}

// How many bytes the character at `offset` has; 0 when it is none (cut short, overlong, a surrogate, too large).
size_t character_length(std::string_view text, size_t offset) {
  const uint8_t first = byte_at(text, offset);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || first < 0xc2 || text.size() - offset < length) return 0;
  const uint8_t second = byte_at(text, offset + 1);
  const uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!continues_character(byte_at(text, offset + i))) return 0;
  }
  return length;
}

}  // namespace

Position Positions::at(size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < offset_) {
    offset_ = 0;
    position_ = Position();
  }
  for (; offset_ < offset; ++offset_) {
    if (text_[offset_] == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if (!continues_character(byte_at(text_, offset_))) {
      ++position_.column;
    }
  }
  return position_;
}

std::string quote_at(std::string_view text, size_t offset) {
  if (offset >= text.size()) return "the end of the text";
  if (text[offset] == '\n' || text[offset] == '\r') return "the end of the line";
  if (is_control(byte_at(text, offset))) return "a control character";
  size_t end = offset + 1;
  while (is_word(byte_at(text, offset)) && end < text.size() && end - offset < kLongestQuote &&
         is_word(byte_at(text, end))) {
    ++end;
  }
  // No character is cut in the middle.
  while (end < text.size() && continues_character(byte_at(text, end))) ++end;
  return "'" + std::string(text.substr(offset, end - offset)) + "'";
}

std::optional<size_t> find_bad_utf8(std::string_view text) {
  for (size_t offset = 0; offset < text.size();) {
    const size_t length = character_length(text, offset);
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

std::optional<SyntaxFault> refuse_bytes(std::string_view text, const Bounds& bounds) {
  if (text.size() > bounds.bytes) {
    return SyntaxFault{{},
                       "the text must have at most " + std::to_string(bounds.bytes) + " bytes, but has " +
                           std::to_string(text.size())};
  }
  if (const auto bad = find_bad_utf8(text)) {
    return SyntaxFault{Positions(text).at(*bad), "the text must be UTF-8, but a byte here is no part of it"};
  }
  return std::nullopt;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text;
}

}  // namespace sluice::documents
