#include "doors/resp/inline_command.h"

namespace sluice::doors::resp {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char escaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
  }
}

// Reads one line from left to right. What it unquotes is never longer than what it read.
class Splitter {
 public:
  Splitter(std::string_view line, std::string& memory) : line_(line), out_(memory) {}

  bool at_end() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    return at_ == line_.size();
  }

  // False for a quote that does not end, or does not end the word.
  bool read_word(std::string_view& word) {
    const size_t start = out_.size();
    for (; at_ < line_.size() && !is_blank(line_[at_]); ++at_) {
      const char c = line_[at_];
      if (c != '"' && c != '\'') {
        out_ += c;
      } else {
        if (!read_quoted(c)) return false;
        break;
      }
    }
    word = std::string_view(out_).substr(start);
    return true;
  }

 private:
  bool read_quoted(char quote) {
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] == quote) {
        ++at_;
        return at_ == line_.size() || is_blank(line_[at_]);
      }
      if (line_[at_] == '\\') {
        read_escape(quote);
      } else {
        out_ += line_[at_];
      }
    }
    return false;
  }

  void read_escape(char quote) {
    const std::string_view rest = line_.substr(at_ + 1);
    if (rest.empty() || (quote == '\'' && rest[0] != '\'')) {
      out_ += '\\';
      return;
    }
    const bool is_hex = rest.size() >= 3 && rest[0] == 'x' && hex_value(rest[1]) >= 0 && hex_value(rest[2]) >= 0;
    if (quote == '"' && is_hex) {
      out_ += static_cast<char>(hex_value(rest[1]) << 4 | hex_value(rest[2]));
      at_ += 3;
    } else {
      out_ += quote == '"' ? escaped(rest[0]) : rest[0];
      ++at_;
    }
  }

  std::string_view line_;
  std::string& out_;
  size_t at_ = 0;
};

}  // namespace

bool split_inline(std::string_view line, std::string& memory, std::vector<std::string_view>& arguments) {
  memory.clear();
  memory.reserve(line.size());  // Views stay valid: it never grows beyond this.
  Splitter splitter(line, memory);
  while (!splitter.at_end()) {
    std::string_view word;
    if (!splitter.read_word(word)) return false;
    arguments.push_back(word);
  }
  return true;
}

}  // namespace sluice::doors::resp
