#include "simulate/scanner.h"

#include <algorithm>
#include <utility>

namespace sluice::simulate {
namespace {

constexpr size_t kMostDigits = 15;
constexpr size_t kMostDecimals = 9;
constexpr size_t kLongestQuote = 30;

constexpr int64_t kSecond = 1'000'000'000;
// Longer names first, so that 'ms' is not read as 'm'.
constexpr Unit kUnits[] = {{"min", 60 * kSecond}, {"ns", 1},           {"us", 1'000},          {"ms", 1'000'000},
                           {"s", kSecond},        {"m", 60 * kSecond}, {"h", 3'600 * kSecond}, {"d", 86'400 * kSecond}};
constexpr std::string_view kRateUnits[] = {"s", "min", "h", "d"};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::optional<Unit> find_duration_unit(std::string_view text) {
  const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [&](const Unit& u) { return text.substr(0, u.name.size()) == u.name; });
  if (unit == std::end(kUnits)) return std::nullopt;
  return *unit;
}

std::optional<Unit> find_rate_unit(std::string_view text) {
  const auto unit = find_duration_unit(text);
  if (!unit || std::find(std::begin(kRateUnits), std::end(kRateUnits), unit->name) == std::end(kRateUnits)) {
    return std::nullopt;
  }
  return unit;
}

bool Scanner::accept(std::string_view word) {
  if (error_ || text_.substr(position_, word.size()) != word) return false;
  position_ += word.size();
  last_end_ = position_;
  skip_space();
  return true;
}

bool Scanner::expect(std::string_view word) { return accept(word) || fail_expecting("'" + std::string(word) + "'"); }

std::optional<Decimal> Scanner::number(std::string_view expected) {
  Decimal decimal;
  decimal.position = position_;
  size_t digits = 0;
  size_t decimals = 0;
  bool after_point = false;
  size_t end = position_;
  for (; end < text_.size() && (is_digit(text_[end]) || (text_[end] == '.' && !after_point)); ++end) {
    if (text_[end] == '.') {
      after_point = true;
      continue;
    }
    if (++digits > kMostDigits || (after_point && ++decimals > kMostDecimals)) {
      fail_at(position_, "expected a number of at most 15 digits, 9 of them decimals, but found " + found());
      return std::nullopt;
    }
    decimal.digits = decimal.digits * 10 + static_cast<uint64_t>(text_[end] - '0');
    if (after_point) decimal.scale *= 10;
  }
  if (digits == 0) {
    fail_expecting(expected);
    return std::nullopt;
  }
  if (decimal.digits == 0) {
    fail_at(position_, "expected a number greater than 0, but found " + found());
    return std::nullopt;
  }
  accept(text_.substr(position_, end - position_));
  return decimal;
}

std::optional<Unit> Scanner::rate_unit() {
  return unit(find_rate_unit(text_.substr(position_)), "'s', 'min', 'h' or 'd'");
}

std::optional<Unit> Scanner::unit(std::optional<Unit> found, std::string_view expected) {
  if (found) {
    accept(found->name);
  } else {
    fail_expecting(expected);
  }
  return found;
}

std::optional<Spacing> Scanner::duration(std::string_view expected) {
  const auto amount = number(expected);
  if (!amount) return std::nullopt;
  const auto measure =
      unit(find_duration_unit(text_.substr(position_)), "'ns', 'us', 'ms', 's', 'm', 'min', 'h' or 'd'");
  if (!measure) return std::nullopt;
  const Spacing length{static_cast<Wide>(amount->digits) * static_cast<uint64_t>(measure->ns), amount->scale};
  const Wide ns = length.numerator / length.denominator;
  if (ns == 0 || ns > static_cast<Wide>(kLongestSchedule.ns)) {
    fail_about(amount->position, ns == 0 ? "a duration of at least 1ns" : "a duration of at most 36600d");
    return std::nullopt;
  }
  return length;
}

bool Scanner::fail_expecting(std::string_view expected) {
  std::string message = "expected " + std::string(expected);
  const std::string before = read_since(phase_start_);
  if (!before.empty()) message += " after '" + before + "'";
  message += at_end() ? ", but the text ends there" : ", but found " + found();
  return fail_at(position_, std::move(message));
}

bool Scanner::fail_about(size_t position, std::string_view expected) {
  return fail_at(position, "expected " + std::string(expected) + ", but found '" + read_since(position) + "'");
}

bool Scanner::fail_at(size_t position, std::string message) {
  if (error_) return false;
  const auto before = text_.substr(0, position);
  const auto parts = std::count_if(before.begin(), before.end(), continues_character);
  error_ = SyntaxError{position - static_cast<size_t>(parts) + 1, std::move(message)};
  return false;
}

void Scanner::skip_space() {
  while (!at_end() && is_space(text_[position_])) ++position_;
}

std::string Scanner::found() const {
  if (is_control(text_[position_])) return "a control character";
  const auto span_of = [&](const auto& belongs) {
    size_t end = position_ + 1;
    while (end < text_.size() && end - position_ < kLongestQuote && belongs(text_[end])) ++end;
    return "'" + std::string(text_.substr(position_, end - position_)) + "'";
  };
  const char first = text_[position_];
  if (is_letter(first)) return span_of(is_letter);
  if (is_digit(first)) return span_of([](char c) { return is_digit(c) || c == '.'; });
  return span_of(continues_character);
}

std::string Scanner::read_since(size_t start) const {
  if (last_end_ <= start) return "";
  std::string quote;
  for (const char c : text_.substr(start, last_end_ - start)) {
    if (!is_space(c)) quote += c;
    if (is_space(c) && quote.back() != ' ') quote += ' ';
  }
  return quote.size() <= kLongestQuote ? quote : "..." + quote.substr(quote.size() - kLongestQuote);
}

}  // namespace sluice::simulate
