#include "resp_client/reply_reader.h"

#include <charconv>
#include <string>

namespace sluice::resp_client {
namespace {

using nlohmann::json;

std::optional<std::string_view> take_line(std::string_view& bytes) {
  const size_t end = bytes.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 2);
  return line;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<json> read_bulk(std::string_view& bytes, int64_t size) {
  if (size < 0) return json();
  const auto length = static_cast<size_t>(size);
  if (bytes.size() < length + 2 || bytes.substr(length, 2) != "\r\n") return std::nullopt;
  json text = std::string(bytes.substr(0, length));
  bytes.remove_prefix(length + 2);
  return text;
}

std::optional<json> read_items(std::string_view& bytes, int64_t count) {
  json items = json::array();
  for (int64_t i = 0; i < count; ++i) {
    auto item = read_reply(bytes);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  return items;
}

std::optional<json> read_map(std::string_view& bytes, int64_t count) {
  json map = json::object();
  for (int64_t i = 0; i < count; ++i) {
    const auto name = read_reply(bytes);
    auto value = read_reply(bytes);
    if (!name || !name->is_string() || !value || map.contains(*name)) return std::nullopt;
    map[name->get<std::string>()] = std::move(*value);
  }
  return map;
}

template <class Number>
std::optional<json> read_number(std::string_view line) {
  const auto number = number_of<Number>(line);
  return number ? std::optional<json>(*number) : std::nullopt;
}

}  // namespace

std::optional<json> read_reply(std::string_view& bytes) {
  if (bytes.empty()) return std::nullopt;
  const char type = bytes[0];
  bytes.remove_prefix(1);
  const auto line = take_line(bytes);
  if (!line) return std::nullopt;
  const auto size = number_of<int64_t>(*line);
  switch (type) {
    case '+': return json(std::string(*line));
    case '-': return json{{"error", std::string(*line)}};
    case ':': return read_number<int64_t>(*line);
    case ',': return read_number<double>(*line);
    case '#': return *line == "t" || *line == "f" ? std::optional<json>(*line == "t") : std::nullopt;
    case '_': return line->empty() ? std::optional<json>(json()) : std::nullopt;
    case '$': return size ? read_bulk(bytes, *size) : std::nullopt;
    case '*': return size ? read_items(bytes, *size) : std::nullopt;
    case '%': return size ? read_map(bytes, *size) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace sluice::resp_client
