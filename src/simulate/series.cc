#include "simulate/series.h"

#include <algorithm>

namespace sluice::simulate {

int64_t Series::tallest() const {
  int64_t most = 0;
  for (const Column& column : columns) most = std::max({most, column.allowed, column.rejected});
  return most;
}

Series series_of(const Limit& limit, const Schedule& schedule, const TimeAxis& axis) {
  Series series{axis, {}, {}};
  SimulatedBucket bucket(limit, schedule);
  const auto enter_columns_up_to = [&](int last) {
    while (static_cast<int>(series.columns.size()) <= last) {
      const Instant start = axis.start_of(static_cast<int>(series.columns.size()));
      series.columns.push_back({bucket.remaining_at(start), 0, 0});
    }
  };
  each_arrival(schedule, [&](const Arrival& arrival) {
    enter_columns_up_to(axis.column_at(arrival.at));
    const Decision decision = bucket.take(arrival);
    Column& column = series.columns.back();
    column.lowest = std::min(column.lowest, decision.remaining);
    ++(decision.allowed() ? column.allowed : column.rejected);
    series.summary.add(arrival, decision);
    return true;
  });
  enter_columns_up_to(axis.columns - 1);
  return series;
}

}  // namespace sluice::simulate
