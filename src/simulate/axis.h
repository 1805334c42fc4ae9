// Time cut into equal columns, as a chart shows it.
#pragma once

#include <vector>

#include "simulate/schedule.h"
#include "sluice/limit.h"

namespace sluice::simulate {

// `columns` columns from 0 to `span`; what happens at `span` itself belongs to the last. REQUIRES: both positive.
struct TimeAxis {
  Duration span;
  int columns = 1;

  int column_at(Instant time) const;
  // The first nanosecond that belongs to the column.
  Instant start_of(int column) const;
};

// An axis of at most `columns` columns, each of a round duration, that shows the whole schedule; where it ends with a
// burst, also some of the recovery after it.
TimeAxis axis_for(const Schedule& schedule, const std::vector<Limit>& limits, int columns);

}  // namespace sluice::simulate
