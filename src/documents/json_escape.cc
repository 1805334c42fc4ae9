#include "documents/json_escape.h"

#include <algorithm>

namespace sluice::documents {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

// Which second bytes may follow a first one, and how many bytes there are in all. 0: no character begins so.
// This leaves out what is longer than needed, surrogates, and what is above U+10FFFF.
struct Lead {
  size_t size;
  unsigned char lowest;
  unsigned char highest;
};

Lead lead_of(unsigned char c) {
  if (c >= 0xc2 && c <= 0xdf) return {2, 0x80, 0xbf};
  if (c == 0xe0) return {3, 0xa0, 0xbf};
  if (c == 0xed) return {3, 0x80, 0x9f};
  if (c >= 0xe1 && c <= 0xef) return {3, 0x80, 0xbf};
  if (c == 0xf0) return {4, 0x90, 0xbf};
  if (c >= 0xf1 && c <= 0xf3) return {4, 0x80, 0xbf};
  if (c == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

struct Character {
  size_t size;
  bool valid;
};

// One character, or as much of its start as is there: at least a byte.
Character character_at(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.size == 0) return {1, false};
  unsigned char lowest = lead.lowest;
  unsigned char highest = lead.highest;
  for (size_t i = 1; i < lead.size; ++i) {
    const unsigned char c = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    if (c < lowest || c > highest) return {i, false};
    lowest = 0x80;
    highest = 0xbf;
  }
  return {lead.size, true};
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += kHexDigits[static_cast<unsigned char>(c) >> 4];
  out += kHexDigits[static_cast<unsigned char>(c) & 0xf];
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      append_control(out, text[0]);
      text.remove_prefix(1);
      continue;
    }
    const Character character = character_at(text);
    out.append(character.valid ? text.substr(0, character.size) : kReplacement);
    text.remove_prefix(character.size);
  }
}

}  // namespace sluice::documents
