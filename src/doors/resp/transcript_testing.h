// For tests: replies as redis-cli prints them.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace sluice::doors::resp {

class Transcript {
 public:
  explicit Transcript(std::string_view replies) : rest_(replies) {}

  bool at_end() const { return rest_.empty(); }

  // The next reply. Lines behind the first start with `indent`.
  std::string next(const std::string& indent = "") {
    const char type = rest_[0];
    rest_.remove_prefix(1);
    const std::string line = take(rest_.find("\r\n"));
    switch (type) {
      case '+': return line + "\n";
      case '-': return "(error) " + line + "\n";
      case ':': return "(integer) " + line + "\n";
      case '$': return line == "-1" ? "(nil)\n" : quoted(take(number(line))) + "\n";
      case '*': return items(number(line), indent);
      default: return "(no such type)\n";
    }
  }

 private:
  static size_t number(const std::string& text) {
    size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  static std::string quoted(const std::string& text) { return '"' + text + '"'; }

  std::string take(size_t size) {
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 2);
    return text;
  }

  std::string items(size_t count, const std::string& indent) {
    if (count == 0) return "(empty array)\n";
    const size_t width = std::to_string(count).size();
    std::string text;
    for (size_t i = 1; i <= count; ++i) {
      const std::string label = std::to_string(i);
      text += (i == 1 ? "" : indent) + std::string(width - label.size(), ' ') + label + ") ";
      text += next(indent + std::string(width + 2, ' '));
    }
    return text;
  }

  std::string_view rest_;
};

}  // namespace sluice::doors::resp
