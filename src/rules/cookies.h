// The cookies of a request: all of its Cookie headers, from the left, each byte looked at once.
#pragma once

#include <span>
#include <string_view>

#include "rules/letter_case.h"
#include "rules/request.h"

namespace sluice::rules {

struct Cookie {
  std::string_view name;
  std::string_view value;  // without the quotes around it, if there are any: servers disagree on whether they count
};

inline Cookie parse_cookie(std::string_view pair) {
  const size_t equals = pair.find('=');
  if (equals == pair.npos) return {};
  std::string_view value = trimmed(pair.substr(equals + 1));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return {trimmed(pair.substr(0, equals)), value};
}

// Calls `visit` with each cookie that has a name.
template <class Visit>
void for_each_cookie(std::span<const Field> headers, const Visit& visit) {
  for (const Field& header : headers) {
    if (!equal_ignoring_case(header.name, "cookie")) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const size_t end = rest.find(';');
      const Cookie cookie = parse_cookie(rest.substr(0, end));
      if (!cookie.name.empty()) visit(cookie);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
  }
}

}  // namespace sluice::rules
