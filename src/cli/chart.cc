#include "cli/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "cli/quantities.h"
#include "cli/ticks.h"

namespace sluice::cli {
namespace {

using simulate::Column;
using simulate::Series;

constexpr int kLabelWidth = 9;
constexpr int kGutter = kLabelWidth + 2;  // a space and the axis

// Parts of a cell, from empty to full; and the lines of the axes.
struct Glyphs {
  std::vector<const char*> fill;
  const char* side;
  const char* labelled_side;
  const char* corner;
  const char* base;
  const char* tick;
};

const Glyphs& glyphs_of(const Style& style) {
  static const Glyphs kUnicode{{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "│", "┤", "┼", "─", "┬"};
  static const Glyphs kAscii{{" ", ".", ":", "#"}, "|", "+", "+", "-", "+"};
  return style.unicode ? kUnicode : kAscii;
}

// A height in parts of a cell, `per_cell` of which make a full one.
using Height = std::function<int64_t(const Column&)>;

struct Plot {
  Height height;
  int rows;
  Ink ink;
};

std::string gutter(const std::string& label, const char* side, const Style& style) {
  return fmt::format("{:>{}} {}", label, kLabelWidth, painted(style, Ink::kDim, side));
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The cells of one row of a plot, counted from the bottom.
std::string plot_row(const Plot& plot, int row, const Series& series, const Style& style) {
  const Glyphs& glyphs = glyphs_of(style);
  const auto per_cell = static_cast<int64_t>(glyphs.fill.size()) - 1;
  std::string cells;
  for (const Column& column : series.columns) {
    const int64_t part = std::clamp<int64_t>(plot.height(column) - row * per_cell, 0, per_cell);
    cells += glyphs.fill[static_cast<size_t>(part)];
  }
  return painted(style, plot.ink, without_trailing_spaces(std::move(cells)));
}

int64_t parts_of(int rows, const Style& style) {
  return rows * (static_cast<int64_t>(glyphs_of(style).fill.size()) - 1);
}

// Rounded down: what remains is never overstated.
Height level_height(const Chart& chart, const Style& style) {
  const int64_t parts = parts_of(chart.level_rows, style);
  return [parts, capacity = chart.capacity.micros()](const Column& column) {
    return static_cast<int64_t>(static_cast<simulate::Wide>(column.lowest.micros()) *
                                static_cast<simulate::Wide>(parts) / static_cast<simulate::Wide>(capacity));
  };
}

// Rounded up: even a single request can be seen.
Height bar_height(const Chart& chart, int64_t Column::*count, const Style& style) {
  const int64_t parts = parts_of(chart.bar_rows, style);
  return [parts, count, tallest = std::max<int64_t>(chart.tallest, 1)](const Column& column) {
    return (column.*count * parts + tallest - 1) / tallest;
  };
}

std::string title_line(const Chart& chart, const Style& style) {
  const std::string plain = chart.name + "  " + chart.explanation;
  const size_t room = static_cast<size_t>(style.width);
  if (plain.size() > room) return painted(style, Ink::kBold, chart.name) + "\n  " + chart.explanation + "\n";
  return painted(style, Ink::kBold, chart.name) + "  " + chart.explanation + "\n";
}

std::string level_lines(const Chart& chart, const Series& series, const Style& style) {
  const Plot plot{level_height(chart, style), chart.level_rows, Ink::kLevel};
  const Glyphs& glyphs = glyphs_of(style);
  std::string lines;
  for (int row = chart.level_rows - 1; row >= 0; --row) {
    const bool is_top = row == chart.level_rows - 1;
    // A row's label names its upper edge.
    const bool is_half = !is_top && 2 * (row + 1) == chart.level_rows;
    std::string label;
    if (is_top) label = short_tokens(chart.capacity);
    if (is_half) label = short_tokens(Tokens::micros(chart.capacity.micros() / 2));
    const char* side = is_top || is_half ? glyphs.labelled_side : glyphs.side;
    lines += gutter(label, side, style) + plot_row(plot, row, series, style) + "\n";
  }
  return lines;
}

std::string base_line(const std::vector<Tick>& ticks, int columns, const Style& style) {
  const Glyphs& glyphs = glyphs_of(style);
  std::vector<const char*> cells(static_cast<size_t>(columns), glyphs.base);
  for (const Tick& tick : ticks) cells[static_cast<size_t>(tick.column)] = glyphs.tick;
  std::string line;
  for (const char* cell : cells) line += cell;
  return gutter("0", glyphs.corner, style) + painted(style, Ink::kDim, line) + "\n";
}

std::string bar_lines(const std::string& label, const Plot& plot, const Series& series, const Style& style) {
  std::string lines;
  for (int row = plot.rows - 1; row >= 0; --row) {
    lines += gutter(row == 0 ? label : "", glyphs_of(style).side, style) + plot_row(plot, row, series, style) + "\n";
  }
  return lines;
}

}  // namespace

int chart_columns(const Style& style) { return style.width - kGutter; }

std::string render_chart(const Chart& chart, const Series& series, const Style& style) {
  const auto ticks = ticks_for(series.axis);
  const int columns = series.axis.columns;
  const Plot allowed{bar_height(chart, &Column::allowed, style), chart.bar_rows, Ink::kAllowed};
  const Plot rejected{bar_height(chart, &Column::rejected, style), chart.bar_rows, Ink::kRejected};
  return title_line(chart, style) + level_lines(chart, series, style) + base_line(ticks, columns, style) +
         bar_lines("allowed", allowed, series, style) + bar_lines("rejected", rejected, series, style) +
         std::string(kGutter, ' ') + label_line(ticks, columns) + "\n";
}

std::string render_legend(const simulate::TimeAxis& axis, int64_t tallest, const Style& style) {
  const char* full = glyphs_of(style).fill.back();
  const std::string column = short_duration(Duration(axis.span.ns / axis.columns), Rounding::kDown);
  std::string legend =
      fmt::format("{} tokens remaining: the fewest in each column of {}\n", painted(style, Ink::kLevel, full), column);
  legend +=
      fmt::format("{} allowed {} rejected", painted(style, Ink::kAllowed, full), painted(style, Ink::kRejected, full));
  if (tallest > 0) legend += fmt::format("; a full bar is {} request{}", tallest, tallest == 1 ? "" : "s");
  return legend + "\n";
}

}  // namespace sluice::cli
