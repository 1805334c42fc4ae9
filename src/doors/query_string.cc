#include "doors/query_string.h"

namespace sluice::doors {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

}  // namespace

QueryFields parse_query(std::string_view query, size_t most_fields) {
  QueryFields fields;
  while (!query.empty() && fields.size() < most_fields) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(field.size() < query.size() ? field.size() + 1 : query.size());
    if (field.empty()) continue;
    const size_t equals = field.find('=');
    const bool has_value = equals != std::string_view::npos;
    fields.emplace_back(decoded(field.substr(0, equals)), has_value ? decoded(field.substr(equals + 1)) : "");
  }
  return fields;
}

}  // namespace sluice::doors
