// Marks on a time axis: round times, far enough apart to be labelled.
#pragma once

#include <string>
#include <vector>

#include "simulate/series.h"

namespace sluice::cli {

struct Tick {
  int column = 0;
  std::string label;  // with its unit
};

std::vector<Tick> ticks_for(const simulate::TimeAxis& axis);

// The labels of all ticks in one line as wide as the axis. A label that would touch the one before it is left out.
std::string label_line(const std::vector<Tick>& ticks, int columns);

}  // namespace sluice::cli
