// What the terminal can show: how wide, in colour or not, in Unicode or not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

inline constexpr int kNarrowest = 40;
inline constexpr int kWidest = 500;

struct Style {
  int width = 80;
  bool color = false;
  bool unicode = false;
};

// All that the choice of a style depends on.
struct Surroundings {
  std::string columns;  // of the environment, as are no_color and term; empty when unset
  std::string no_color;
  std::string term;
  bool is_terminal = false;
  int terminal_width = 0;  // 0 when unknown
  bool is_utf8 = false;
};

Surroundings surroundings_of_stdout();

struct StyleWishes {
  std::optional<int> width;
  bool no_color = false;
};

// A wish goes before COLUMNS, and that before what the terminal says of itself.
Style style_for(const Surroundings& surroundings, const StyleWishes& wishes);

// The text on lines of at most that width, broken between words; all but the first are indented. ASCII only.
std::string wrapped(std::string_view text, int width);

enum class Ink { kPlain, kBold, kDim, kLevel, kAllowed, kRejected };

// The text in that ink; unchanged where the style has no colour.
std::string painted(const Style& style, Ink ink, std::string_view text);

}  // namespace sluice::cli
