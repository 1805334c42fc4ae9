#include "doors/resp/reply.h"

#include <cstring>

#include "doors/decimal_text.h"
#include "doors/resp/number.h"

namespace sluice::doors::resp {

void Reply::error(std::string_view text) {
  char* const start = output_.reserve(text.size() + 3);
  char* at = start;
  *at++ = '-';
  for (const char c : text) *at++ = c == '\r' || c == '\n' ? ' ' : c;
  *at++ = '\r';
  *at++ = '\n';
  output_.commit(static_cast<size_t>(at - start));
}

void Reply::bulk(std::string_view bytes) {
  header('$', static_cast<int64_t>(bytes.size()));
  output_.append(bytes);
  output_.append("\r\n");
}

void Reply::begin_map(size_t members) {
  is_resp3() ? header('%', static_cast<int64_t>(members)) : begin_array(2 * members);
}

void Reply::boolean(bool value) {
  if (is_resp3()) {
    line('#', value ? "t" : "f");
  } else {
    integer(value ? 1 : 0);
  }
}

void Reply::null() { output_.append(is_resp3() ? "_\r\n" : "$-1\r\n"); }

void Reply::tokens(Tokens amount) {
  if (amount.micros() % Tokens::kMicrosPerToken == 0) return integer(amount.floor());
  const DecimalText text(amount);
  is_resp3() ? line(',', text.view()) : bulk(text.view());
}

void Reply::line(char type, std::string_view text) {
  char* const start = output_.reserve(text.size() + 3);
  start[0] = type;
  std::memcpy(start + 1, text.data(), text.size());
  std::memcpy(start + 1 + text.size(), "\r\n", 2);
  output_.commit(text.size() + 3);
}

void Reply::header(char type, int64_t number) {
  char* const start = output_.reserve(kLongestInteger + 3);
  *start = type;
  char* const end = put_integer(start + 1, number);
  std::memcpy(end, "\r\n", 2);
  output_.commit(static_cast<size_t>(end + 2 - start));
}

}  // namespace sluice::doors::resp
