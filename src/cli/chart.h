// A chart in the terminal: tokens remaining over time, and beneath it what was allowed and rejected.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "simulate/series.h"

namespace sluice::cli {

struct Chart {
  std::string name;         // the algorithm
  std::string explanation;  // its limit, in words
  Tokens capacity;          // the top of the level
  int level_rows = 8;
  int bar_rows = 3;
  int64_t tallest = 1;  // the count that a full bar stands for; the same in all charts that are to be compared
};

// How many columns of time a chart has at this width.
int chart_columns(const Style& style);

// Lines that are at most the style's width long, each with its newline.
std::string render_chart(const Chart& chart, const simulate::Series& series, const Style& style);

// What the marks mean, for all charts of the same axis.
std::string render_legend(const simulate::TimeAxis& axis, int64_t tallest, const Style& style);

}  // namespace sluice::cli
