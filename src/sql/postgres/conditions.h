// The WHERE of a statement whose conditions depend on what is asked for: pieces that are written in the program, and
// values that go beside them.
#pragma once

#include <string>
#include <string_view>

#include "sql/postgres/values.h"

namespace sluice::sql::postgres {

class Conditions {
 public:
  // A condition with a % for each value; those are then added to what this returns.
  Values& with(std::string_view condition) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    append(condition);
    return values_;
  }
  // The same for what follows the conditions.
  Values& then(std::string_view rest) {
    append(rest);
    return values_;
  }

  const std::string& text() const { return text_; }
  const Values& values() const { return values_; }

 private:
  void append(std::string_view piece) {
    for (const char c : piece) text_ += c == '%' ? "$" + std::to_string(++count_) : std::string(1, c);
  }

  std::string text_;
  Values values_;
  int count_ = 0;
};

}  // namespace sluice::sql::postgres
