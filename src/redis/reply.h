// What a server answered. A view: it and all it leads to are gone when the callback that got it returns.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sluice::redis {

class Reply {
 public:
  enum class Type : uint8_t { kNil, kInteger, kString, kStatus, kError, kArray };

  Reply() = default;
  static Reply of_integer(int64_t value) { return {Type::kInteger, value, {}, {}}; }
  static Reply of_text(Type type, std::string_view text) { return {type, 0, text, {}}; }
  static Reply of_elements(std::span<const Reply> elements) { return {Type::kArray, 0, {}, elements}; }

  Type type() const { return type_; }
  bool is_nil() const { return type_ == Type::kNil; }
  bool is_integer() const { return type_ == Type::kInteger; }
  bool is_error() const { return type_ == Type::kError; }
  bool is_array() const { return type_ == Type::kArray; }
  bool is_text() const { return type_ == Type::kString || type_ == Type::kStatus; }

  int64_t integer() const { return integer_; }                   // 0 if it is none
  std::string_view text() const { return text_; }                // of a string, a status or an error
  std::span<const Reply> elements() const { return elements_; }  // of an array

 private:
  Reply(Type type, int64_t integer, std::string_view text, std::span<const Reply> elements)
      : type_(type), integer_(integer), text_(text), elements_(elements) {}

  Type type_ = Type::kNil;
  int64_t integer_ = 0;
  std::string_view text_;
  std::span<const Reply> elements_;
};

}  // namespace sluice::redis
