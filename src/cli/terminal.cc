#include "cli/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace sluice::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int positive_number(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::max(number, 0) : 0;
}

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain: return "";
    case Ink::kBold: return "\x1b[1m";
    case Ink::kDim: return "\x1b[2m";
    case Ink::kLevel: return "\x1b[36m";
    case Ink::kAllowed: return "\x1b[32m";
    case Ink::kRejected: return "\x1b[31m";
  }
  return "";
}

}  // namespace

Surroundings surroundings_of_stdout() {
  Surroundings found;
  found.columns = environment("COLUMNS");
  found.no_color = environment("NO_COLOR");
  found.term = environment("TERM");
  found.is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (found.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) found.terminal_width = size.ws_col;
  found.is_utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return found;
}

Style style_for(const Surroundings& surroundings, const StyleWishes& wishes) {
  Style style;
  if (surroundings.terminal_width > 0) style.width = surroundings.terminal_width;
  if (const int columns = positive_number(surroundings.columns); columns > 0) style.width = columns;
  style.width = std::clamp(wishes.width.value_or(style.width), kNarrowest, kWidest);
  style.color =
      surroundings.is_terminal && surroundings.no_color.empty() && surroundings.term != "dumb" && !wishes.no_color;
  style.unicode = surroundings.is_utf8;
  return style;
}

std::string wrapped(std::string_view text, int width) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto room = static_cast<size_t>(width);
  std::string lines;
  std::string line;
  for (size_t start = text.find_first_not_of(kSpace); start != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpace, start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (!line.empty() && line.size() + 1 + word.size() > room) {
      lines += line + "\n";
      line = " ";
    }
    if (!line.empty()) line += ' ';
    line += word;
    start = text.find_first_not_of(kSpace, end);
  }
  return lines + line + "\n";
}

std::string painted(const Style& style, Ink ink, std::string_view text) {
  if (!style.color || ink == Ink::kPlain || text.empty()) return std::string(text);
  return std::string(code_of(ink)) + std::string(text) + "\x1b[0m";
}

}  // namespace sluice::cli
