// The bytes of a document: where an offset stands for people, and whether they are text at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "documents/document.h"

namespace sluice::documents {

// Tells lines and columns of offsets; fast when they are asked for in ascending order. Not thread-safe.
class Positions {
 public:
  explicit Positions(std::string_view text) : text_(text) {}

  Position at(size_t offset);

 private:
  std::string_view text_;
  size_t offset_ = 0;
  Position position_;
};

// What stands at an offset, in quotes and cut short; "the end of the text" beyond it.
std::string quote_at(std::string_view text, size_t offset);

// The offset of the first byte that is no part of a UTF-8 character.
std::optional<size_t> find_bad_utf8(std::string_view text);

// Too large, or no UTF-8: refused before any grammar is asked.
std::optional<SyntaxFault> refuse_bytes(std::string_view text, const Bounds& bounds);

// Without the byte order mark that some editors put in front.
std::string_view without_mark(std::string_view text);

}  // namespace sluice::documents
