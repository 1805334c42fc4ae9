// A simulation as a chart sees it: time cut into equal columns.
#pragma once

#include <vector>

#include "simulate/simulation.h"

namespace sluice::simulate {

// `columns` columns from 0 to `span`; what happens at `span` itself belongs to the last. REQUIRES: both positive.
struct TimeAxis {
  Duration span;
  int columns = 1;

  int column_at(Instant time) const;
  // The first nanosecond that belongs to the column.
  Instant start_of(int column) const;
};

// An axis that shows the whole schedule; where it ends with a burst, also some of the recovery after it.
TimeAxis axis_for(const Schedule& schedule, const std::vector<Limit>& limits, int columns);

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
