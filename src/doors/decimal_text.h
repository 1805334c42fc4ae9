// A number as people and JSON write it, exact: 20, 0.25, 0.000001. Held in place; views are valid while it lives.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sluice/units.h"

namespace sluice::doors {

class DecimalText {
 public:
  explicit DecimalText(int64_t number);
  // With as many decimals as it takes, at most six.
  explicit DecimalText(Tokens amount);

  std::string_view view() const { return {text_.data(), size_}; }

 private:
  // A sign, 19 digits and a point.
  std::array<char, 24> text_;
  size_t size_;
};

}  // namespace sluice::doors
