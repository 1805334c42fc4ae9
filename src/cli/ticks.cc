#include "cli/ticks.h"

#include <algorithm>
#include <iterator>

#include "cli/quantities.h"

namespace sluice::cli {
namespace {

constexpr int kColumnsPerTick = 8;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

// The steps between 1, 2 and 5 of a power of ten that clocks and calendars know.
constexpr int64_t kClockSteps[] = {kSecond, 2 * kSecond, 5 * kSecond, 10 * kSecond, 15 * kSecond, 30 * kSecond,
                                   kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
                                   kHour,   2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay};

// The next longer step.
int64_t step_after(int64_t step) {
  if (step >= kSecond && step < kDay) return *std::upper_bound(std::begin(kClockSteps), std::end(kClockSteps), step);
  const int64_t base = step >= kDay ? kDay : 1;
  int64_t power = 1;
  while (step / base / power >= 10) power *= 10;
  const int64_t digit = step / base / power;
  return base * power * (digit == 1 ? 2 : digit == 2 ? 5 : 10);
}

int64_t step_for(const simulate::TimeAxis& axis) {
  const int64_t most_ticks = std::max(1, axis.columns / kColumnsPerTick);
  int64_t step = 1;
  while (axis.span.ns / step > most_ticks) step = step_after(step);
  return step;
}

// The largest unit in which every multiple of the step is a short decimal.
const TimeUnit& unit_for(int64_t step, Duration span) {
  const auto suits = [&](const TimeUnit& unit) {
    return unit.ns <= span.ns && step % std::max<int64_t>(unit.ns / 1000, 1) == 0;
  };
  const auto* unit = std::find_if(std::begin(kTimeUnits), std::end(kTimeUnits), suits);
  return unit == std::end(kTimeUnits) ? kTimeUnits[std::size(kTimeUnits) - 1] : *unit;
}

}  // namespace

std::vector<Tick> ticks_for(const simulate::TimeAxis& axis) {
  const int64_t step = step_for(axis);
  const TimeUnit& unit = unit_for(step, axis.span);
  std::vector<Tick> ticks;
  for (int64_t k = 0; k <= axis.span.ns / step; ++k) {
    ticks.push_back({axis.column_at(Instant(k * step)), decimal({k * step, unit.ns}, 3) + unit.name});
  }
  return ticks;
}

std::string label_line(const std::vector<Tick>& ticks, int columns) {
  std::string line;
  for (const Tick& tick : ticks) {
    const size_t room = static_cast<size_t>(columns);
    if (tick.label.size() > room) continue;
    const size_t start = std::min(static_cast<size_t>(tick.column), room - tick.label.size());
    if (!line.empty() && start < line.size() + 1) continue;
    line.resize(start, ' ');
    line += tick.label;
  }
  return line;
}

}  // namespace sluice::cli
