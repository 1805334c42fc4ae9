#include "simulate/axis.h"

#include <algorithm>
#include <iterator>

namespace sluice::simulate {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

// Round numbers at most a quarter apart, so that little of the width is lost.
constexpr int64_t kRound[] = {100, 125, 150, 200, 250, 300, 400, 500, 600, 800};
// The same between a minute and a day, where clocks do not count in tens.
constexpr int64_t kRoundSeconds[] = {60,     75,     90,     120,    150,    180,    240,    300,    360,
                                     480,    600,    720,    900,    1'200,  1'500,  1'800,  2'400,  3'000,
                                     3'600,  4'500,  5'400,  7'200,  9'000,  10'800, 14'400, 18'000, 21'600,
                                     28'800, 36'000, 43'200, 54'000, 64'800, 86'400};

int64_t round_multiple(int64_t of, int64_t at_least) {
  for (int64_t power = of;; power *= 10) {
    const auto* round =
        std::find_if(std::begin(kRound), std::end(kRound), [&](int64_t r) { return r * power >= at_least; });
    if (round != std::end(kRound)) return *round * power;
  }
}

// The shortest round duration that is not shorter. REQUIRES: far below the end of time.
int64_t round_duration(int64_t ns) {
  if (ns <= kRound[0]) return ns;
  if (ns <= 60 * kSecond) return round_multiple(1, ns);
  if (ns > kDay) return round_multiple(kDay / 100, ns);
  const int64_t seconds = (ns + kSecond - 1) / kSecond;
  return *std::lower_bound(std::begin(kRoundSeconds), std::end(kRoundSeconds), seconds) * kSecond;
}

TimeAxis round_axis(Duration span, int columns) {
  // A round axis may be a quarter longer, and time ends not far beyond the longest span.
  if (span.ns > kForever.ns / 2) return {span, columns};
  const int64_t column = round_duration((span.ns + columns - 1) / columns);
  const int64_t needed = (span.ns + column - 1) / column;
  return {Duration(needed * column), static_cast<int>(needed)};
}

}  // namespace

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
  if (!ends_with_burst) return round_axis(end, columns);
  Duration recovery(1);
  for (const Limit& limit : limits) recovery = std::max(recovery, limit.window());
  constexpr int64_t kShareOfSpan = 6;
  if (end.ns > 0) recovery = std::clamp(Duration(end.ns / kShareOfSpan), Duration(1), recovery);
  return round_axis((Instant(end.ns) + recovery) - Instant(), columns);
}

}  // namespace sluice::simulate
