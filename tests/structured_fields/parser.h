// A strict parser of structured fields (RFC 9651, section 4.2), written from the RFC and not from what writes them.
// Lists of items with parameters; inner lists, dictionaries and display strings are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::structured_fields {

struct Token {
  std::string text;
  friend bool operator==(const Token&, const Token&) = default;
};
struct Bytes {
  std::string bytes;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
struct Date {
  int64_t unix_seconds;
  friend bool operator==(const Date&, const Date&) = default;
};
// In thousandths, which is all that they have.
struct Decimal {
  int64_t thousandths;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

using BareItem = std::variant<int64_t, Decimal, std::string, Token, Bytes, bool, Date>;

struct Item {
  BareItem value;
  std::vector<std::pair<std::string, BareItem>> parameters;  // each name once, the last value of it

  // nullptr where there is none of this name, or of another type.
  template <class Type>
  const Type* parameter(std::string_view name) const {
    for (const auto& [its_name, its_value] : parameters) {
      if (its_name == name) return std::get_if<Type>(&its_value);
    }
    return nullptr;
  }
};

// Nothing for whatever the RFC says must fail.
std::optional<std::vector<Item>> parse_list(std::string_view text);
std::optional<Item> parse_item(std::string_view text);

}  // namespace sluice::structured_fields
