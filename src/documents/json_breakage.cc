#include "documents/json_breakage.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "documents/source_text.h"

namespace sluice::documents {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Walks the grammar with a stack of the brackets that are open.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  std::optional<Breakage> walk() {
    while (!breakage_) {
      skip_space();
      if (open_.empty() && after_value_) {
        if (!at_end()) fail("expected nothing behind the value, but found " + found());
        break;
      }
      after_value_ ? behind_value() : before_value();
    }
    return std::move(breakage_);
  }

 private:
  bool at_end() const { return offset_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[offset_]; }
  std::string found() const { return quote_at(text_, offset_); }

  bool fail(std::string message) {
    if (!breakage_) breakage_ = Breakage{offset_, std::move(message)};
    return false;
  }

  void skip_space() {
    while (!at_end() && is_space(text_[offset_])) ++offset_;
  }

  bool accept(char c) {
    if (at_end() || text_[offset_] != c) return false;
    ++offset_;
    return true;
  }

  void before_value() {
    if (here() == '{' || here() == '[') return open_bracket();
    if (!scalar()) return;
    after_value_ = true;
  }

  void open_bracket() {
    const char bracket = text_[offset_++];
    skip_space();
    const char closing = bracket == '{' ? '}' : ']';
    if (accept(closing)) {
      after_value_ = true;
      return;
    }
    open_.push_back(bracket);
    if (bracket == '{') member_name("a name in double quotes or '}'");
  }

  void behind_value() {
    const bool in_object = open_.back() == '{';
    if (accept(in_object ? '}' : ']')) {
      open_.pop_back();
      return;
    }
    const size_t comma = offset_;
    if (!accept(',')) {
      fail(std::string("expected ',' or '") + (in_object ? '}' : ']') + "' behind the value, but found " + found());
      return;
    }
    skip_space();
    after_value_ = false;
    if (here() == (in_object ? '}' : ']')) {
      offset_ = comma;
      fail(std::string("expected no ',' before '") + (in_object ? '}' : ']') + "'");
    } else if (in_object) {
      member_name("a name in double quotes");
    }
  }

  void member_name(const char* expected) {
    after_value_ = false;
    if (here() != '"') {
      fail(std::string("expected ") + expected + ", but found " + found());
      return;
    }
    if (!string()) return;
    skip_space();
    if (!accept(':')) fail("expected ':' behind the name, but found " + found());
  }

  bool scalar() {
    if (here() == '"') return string();
    if (here() == '-' || is_digit(here())) return number();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(offset_, word.size()) != word) continue;
      const char next = offset_ + word.size() < text_.size() ? text_[offset_ + word.size()] : ' ';
      if (!is_space(next) && next != ',' && next != ']' && next != '}') break;
      offset_ += word.size();
      return true;
    }
    return fail("expected a value, but found " + found());
  }

  bool string() {
    const size_t start = offset_++;
    while (!at_end() && text_[offset_] != '"') {
      if (static_cast<uint8_t>(text_[offset_]) < 0x20) {
        return fail("expected the closing quotation mark of the string, but found " + found());
      }
      if (text_[offset_] == '\\' ? !escape() : (++offset_, false)) return false;
    }
    if (accept('"')) return true;
    offset_ = start;
    return fail("expected a closing quotation mark for this string, but found none");
  }

  bool escape() {
    const size_t start = offset_++;
    if (here() != 'u') {
      if (!at_end() && std::string_view("\"\\/bfnrt").find(text_[offset_]) != std::string_view::npos) {
        ++offset_;
        return true;
      }
      offset_ = start;
      return fail("expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, but found another escape");
    }
    const auto first = code_unit(start);
    if (!first) return false;
    if (*first < 0xd800 || *first > 0xdfff) return true;
    if (*first <= 0xdbff && accept('\\') && here() == 'u') {
      const auto second = code_unit(start);
      if (!second) return false;
      if (*second >= 0xdc00 && *second <= 0xdfff) return true;
    }
    offset_ = start;
    return fail("expected a pair of surrogates, but found half of one");
  }

  std::optional<uint32_t> code_unit(size_t start) {
    ++offset_;
    uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++offset_) {
      if (!is_hex(here())) {
        offset_ = start;
        fail("expected four hexadecimal digits behind \\u");
        return std::nullopt;
      }
      const char c = here();
      unit = unit * 16 + static_cast<uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
  }

  bool number() {
    const size_t start = offset_;
    accept('-');
    if (accept('0')) {
      if (is_digit(here())) return bad_number(start, "a number without a leading 0");
    } else if (!digits()) {
      return bad_number(start, "a digit behind '-'");
    }
    if (accept('.') && !digits()) return bad_number(start, "a digit behind the point");
    if (here() == 'e' || here() == 'E') {
      ++offset_;
      if (!accept('-')) accept('+');
      if (!digits()) return bad_number(start, "a digit in the exponent");
    }
    if (!at_end() && !is_space(here()) && here() != ',' && here() != ']' && here() != '}') {
      return bad_number(start, "a number");
    }
    return true;
  }

  bool digits() {
    const size_t start = offset_;
    while (is_digit(here())) ++offset_;
    return offset_ > start;
  }

  bool bad_number(size_t start, const char* expected) {
    offset_ = start;
    return fail(std::string("expected ") + expected + ", but found " + found());
  }

  std::string_view text_;
  size_t offset_ = 0;
  bool after_value_ = false;
  std::vector<char> open_;
  std::optional<Breakage> breakage_;
};

}  // namespace

std::optional<Breakage> find_json_breakage(std::string_view text) { return Walker(text).walk(); }

}  // namespace sluice::documents
