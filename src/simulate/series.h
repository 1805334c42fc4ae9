// A simulation as a chart sees it: what happened in each column of time.
#pragma once

#include <vector>

#include "simulate/axis.h"
#include "simulate/simulation.h"

namespace sluice::simulate {

struct Column {
  Tokens lowest;  // the fewest tokens there were within the column
  int64_t allowed = 0;
  int64_t rejected = 0;
};

// What a chart and a table show of one limit.
struct Series {
  TimeAxis axis;
  std::vector<Column> columns;
  Summary summary;

  // The most requests allowed, or rejected, in one column.
  int64_t tallest() const;
};

Series series_of(const Limit& limit, const Schedule& schedule, const TimeAxis& axis);

}  // namespace sluice::simulate
