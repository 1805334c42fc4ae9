#include "structured_fields/parser.h"

namespace sluice::structured_fields {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alpha(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool is_token_character(char c) { return is_alpha(c) || is_digit(c) || is_in(c, "!#$%&'*+-.^_`|~:/"); }

// Every step returns whether it could; what it read stands behind `at_`.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool list(std::vector<Item>& items) {
    skip(" ");
    while (!at_end()) {
      if (!item(items.emplace_back())) return false;
      skip(" \t");
      if (at_end()) return true;
      if (!accept(',')) return false;
      skip(" \t");
      if (at_end()) return false;
    }
    return true;
  }

  bool whole_item(Item& found) {
    skip(" ");
    if (!item(found)) return false;
    skip(" ");
    return at_end();
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip(std::string_view set) {
    while (!at_end() && is_in(text_[at_], set)) ++at_;
  }

  bool item(Item& found) { return bare_item(found.value) && parameters(found); }

  bool parameters(Item& found) {
    while (accept(';')) {
      skip(" ");
      std::string name;
      BareItem value = true;
      if (!parameter_name(name)) return false;
      if (accept('=') && !bare_item(value)) return false;
      std::erase_if(found.parameters, [&](const auto& earlier) { return earlier.first == name; });
      found.parameters.emplace_back(name, value);
    }
    return true;
  }

  bool parameter_name(std::string& name) {
    if (!is_lower(peek()) && peek() != '*') return false;
    while (!at_end() && (is_lower(peek()) || is_digit(peek()) || is_in(peek(), "_-.*"))) name += text_[at_++];
    return true;
  }

  bool bare_item(BareItem& value) {
    if (at_end()) return false;
    if (peek() == '-' || is_digit(peek())) return number(value);
    if (peek() == '"') return string(value);
    if (peek() == ':') return bytes(value);
    if (peek() == '?') return boolean(value);
    if (peek() == '@') return date(value);
    if (peek() == '*' || is_alpha(peek())) return token(value);
    return false;
  }

  bool number(BareItem& value) {
    const int64_t sign = accept('-') ? -1 : 1;
    int64_t whole = 0;
    size_t digits = 0;
    for (; !at_end() && is_digit(peek()); ++digits) {
      if (digits == 15) return false;
      whole = whole * 10 + (text_[at_++] - '0');
    }
    if (digits == 0) return false;
    if (peek() != '.') {
      value = sign * whole;
      return true;
    }
    ++at_;
    if (digits > 12) return false;
    size_t decimals = 0;
    for (; !at_end() && is_digit(peek()); ++decimals) {
      if (decimals == 3) return false;
      whole = whole * 10 + (text_[at_++] - '0');
    }
    if (decimals == 0) return false;
    for (; decimals < 3; ++decimals) whole *= 10;
    value = Decimal{sign * whole};
    return true;
  }

  bool string(BareItem& value) {
    std::string text;
    accept('"');
    while (!at_end()) {
      const char c = text_[at_++];
      if (c == '"') {
        value = text;
        return true;
      }
      if (c < 0x20 || c > 0x7e) return false;
      if (c == '\\') {
        if (peek() != '"' && peek() != '\\') return false;
        text += text_[at_++];
      } else {
        text += c;
      }
    }
    return false;
  }

  bool token(BareItem& value) {
    Token found;
    while (!at_end() && is_token_character(peek())) found.text += text_[at_++];
    value = found;
    return true;
  }

  bool bytes(BareItem& value) {
    accept(':');
    const size_t end = text_.find(':', at_);
    if (end == std::string_view::npos) return false;
    std::string_view coded = text_.substr(at_, end - at_);
    at_ = end + 1;
    while (!coded.empty() && coded.back() == '=') coded.remove_suffix(1);
    Bytes found;
    uint32_t bits = 0;
    int count = 0;
    for (const char c : coded) {
      if (!is_in(c, kBase64)) return false;
      bits = (bits << 6) | static_cast<uint32_t>(kBase64.find(c));
      if ((count += 6) >= 8) found.bytes += static_cast<char>(bits >> (count -= 8));
    }
    value = found;
    return true;
  }

  bool boolean(BareItem& value) {
    accept('?');
    if (peek() != '0' && peek() != '1') return false;
    value = text_[at_++] == '1';
    return true;
  }

  bool date(BareItem& value) {
    accept('@');
    BareItem seconds;
    if (!number(seconds) || !std::holds_alternative<int64_t>(seconds)) return false;
    value = Date{std::get<int64_t>(seconds)};
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<Item>> parse_list(std::string_view text) {
  std::vector<Item> items;
  // Trailing blanks are taken off first, which is what the last step of the RFC's algorithm amounts to.
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (!Parser(text).list(items)) return std::nullopt;
  return items;
}

std::optional<Item> parse_item(std::string_view text) {
  Item item;
  if (!Parser(text).whole_item(item)) return std::nullopt;
  return item;
}

}  // namespace sluice::structured_fields
