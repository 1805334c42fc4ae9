#include "simulate/series.h"

#include <algorithm>

namespace sluice::simulate {

int TimeAxis::column_at(Instant time) const {
  const Wide scaled = static_cast<Wide>(time.ns) * static_cast<Wide>(columns);
  return static_cast<int>(std::min(scaled / static_cast<Wide>(span.ns), static_cast<Wide>(columns - 1)));
}

Instant TimeAxis::start_of(int column) const {
  const Wide scaled = static_cast<Wide>(column) * static_cast<Wide>(span.ns);
  return Instant(static_cast<int64_t>((scaled + static_cast<Wide>(columns) - 1) / static_cast<Wide>(columns)));
}

TimeAxis axis_for(const Schedule& schedule, const std::vector<Limit>& limits, int columns) {
  const Duration end = schedule.end() - Instant();
  const bool ends_with_burst = schedule.requests() > 0 && schedule.last_arrival() == schedule.end();
  if (!ends_with_burst) return {end, columns};
  Duration recovery(1);
  for (const Limit& limit : limits) recovery = std::max(recovery, std::min(limit.window(), kForever));
  constexpr int64_t kShareOfSpan = 6;
  if (end.ns > 0) recovery = std::clamp(Duration(end.ns / kShareOfSpan), Duration(1), recovery);
  return {Duration((Instant(end.ns) + recovery).ns), columns};
}

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
