#include "doors/query_string.h"

namespace sluice::doors {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Appends; what is decoded is never longer than what was written.
std::string_view decode(std::string_view text, std::string& to, char plus = ' ') {
  const size_t start = to.size();
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      to += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      to += text[i] == '+' ? plus : text[i];
    }
  }
  return std::string_view(to).substr(start);
}

}  // namespace

QueryFields parse_query(std::string_view query) {
  QueryReader reader;
  QueryFields fields;
  for (const rules::Field& field : reader.read(query)) fields.emplace_back(field.name, field.value);
  return fields;
}

std::span<const rules::Field> QueryReader::read(std::string_view query) {
  fields_.clear();
  decoded_.clear();
  // Fields view into it: it must not move.
  decoded_.reserve(query.size());
  while (!query.empty()) {
    const std::string_view field = query.substr(0, query.find('&'));
    query.remove_prefix(field.size() < query.size() ? field.size() + 1 : query.size());
    if (field.empty()) continue;
    const size_t equals = field.find('=');
    const std::string_view name = decode(field.substr(0, equals), decoded_);
    fields_.push_back({name, equals == field.npos ? "" : decode(field.substr(equals + 1), decoded_)});
  }
  return fields_;
}

std::string decode_path(std::string_view text) {
  std::string decoded;
  decode(text, decoded, '+');
  return decoded;
}

}  // namespace sluice::doors
