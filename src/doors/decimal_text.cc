#include "doors/decimal_text.h"

#include <charconv>

namespace sluice::doors {
namespace {

constexpr int kDecimals = 6;

char* put_decimals(char* end, uint64_t micros) {
  *end++ = '.';
  for (int place = kDecimals - 1; place >= 0; --place) {
    end[place] = static_cast<char>('0' + micros % 10);
    micros /= 10;
  }
  end += kDecimals;
  while (end[-1] == '0') --end;
  return end;
}

}  // namespace

DecimalText::DecimalText(int64_t number)
    : size_(static_cast<size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr - text_.data())) {}

DecimalText::DecimalText(Tokens amount) {
  constexpr uint64_t kOne = Tokens::kMicrosPerToken;
  char* end = text_.data();
  const bool is_negative = amount.micros() < 0;
  if (is_negative) *end++ = '-';
  const uint64_t micros =
      is_negative ? 0 - static_cast<uint64_t>(amount.micros()) : static_cast<uint64_t>(amount.micros());
  end = std::to_chars(end, text_.data() + text_.size(), micros / kOne).ptr;
  if (micros % kOne != 0) end = put_decimals(end, micros % kOne);
  size_ = static_cast<size_t>(end - text_.data());
}

}  // namespace sluice::doors
