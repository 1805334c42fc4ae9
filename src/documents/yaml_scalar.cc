#include "documents/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::documents {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_decimal(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const auto digits = [&] {
    const size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - start;
  };
  const size_t whole = digits();
  size_t decimals = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    decimals = digits();
  }
  if (whole + decimals == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// 0o17 and 0xff, unsigned.
std::optional<double> in_base(std::string_view text, std::string_view prefix, int base) {
  if (text.size() <= prefix.size() || text.substr(0, prefix.size()) != prefix) return std::nullopt;
  double number = 0;
  for (const char c : text.substr(prefix.size())) {
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : base;
    if (digit >= base) return std::nullopt;
    number = number * base + digit;
  }
  return number;
}

std::optional<double> number_of(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_decimal(text)) {
    // The C locale's point is the only one a program has that never calls setlocale().
    return std::strtod(std::string(text).c_str(), nullptr);
  }
  if (const auto octal = in_base(text, "0o", 8)) return octal;
  if (const auto hexadecimal = in_base(text, "0x", 16)) return hexadecimal;
  if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return kInfinity;
  if (is_one_of(text, {"-.inf", "-.Inf", "-.INF"})) return -kInfinity;
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace

void type_plain_scalar(Node& node) {
  const bool is_true = is_one_of(node.text, {"true", "True", "TRUE"});
  if (is_true || is_one_of(node.text, {"false", "False", "FALSE"})) {
    node.kind = Kind::kBool;
    node.boolean = is_true;
  } else if (is_one_of(node.text, {"", "~", "null", "Null", "NULL"})) {
    node.kind = Kind::kNull;
  } else if (const auto number = number_of(node.text)) {
    node.kind = Kind::kNumber;
    node.number = *number;
  } else {
    node.kind = Kind::kString;
  }
}

}  // namespace sluice::documents
