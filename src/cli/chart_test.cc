#include "cli/chart.h"

#include <gtest/gtest.h>

#include "simulate/arrivals.h"

namespace sluice::cli {
namespace {

using simulate::Schedule;
using simulate::Series;

constexpr Style kUnicode{40, false, true};
constexpr Style kAscii{40, false, false};

Series series_for(const Limit& limit, std::string_view arrivals, const Style& style) {
  const auto schedule = std::get<Schedule>(simulate::parse_arrivals(arrivals, kOneToken));
  return series_of(limit, schedule, simulate::axis_for(schedule, {limit}, chart_columns(style)));
}

std::string chart_for(std::string_view arrivals, const Style& style) {
  const Limit limit = *Limit::token_bucket(10.0, 50.0);
  const Series series = series_for(limit, arrivals, style);
  Chart chart;
  chart.name = "bucket";
  chart.explanation = "10/s";
  chart.capacity = limit.capacity();
  chart.level_rows = 4;
  chart.bar_rows = 2;
  chart.tallest = series.tallest();
  return render_chart(chart, series, style);
}

TEST(Chart, ShowsABurstARefusalAndARecovery) {
  EXPECT_EQ(chart_for("60/s for 2s, idle 5s, 100 at once", kUnicode),
            "bucket  10/s\n"
            "       50 ┤                    ▂▄▆\n"
            "          │▆               ▂▄▆████\n"
            "       25 ┤█▄          ▂▄▆████████\n"
            "          │██▃    ▁▃▅▇████████████ ▁▃▅▇\n"
            "        0 ┼┬───────────────┬───────────\n"
            "          │                       █\n"
            "  allowed │▆▆▆▃▁▁▁                █\n"
            "          │                       █\n"
            " rejected │   ▄▅▅▄                █\n"
            "           0s              5s\n");
}

TEST(Chart, DrawsTheSameInAsciiWhereThereIsNoUnicode) {
  EXPECT_EQ(chart_for("60/s for 2s, idle 5s, 100 at once", kAscii),
            "bucket  10/s\n"
            "       50 +                     .:\n"
            "          |:                .:####\n"
            "       25 +#.          ..:########\n"
            "          |##.     ..:############  ..:\n"
            "        0 ++---------------+-----------\n"
            "          |                       #\n"
            "  allowed |###....                #\n"
            "          |                       #\n"
            " rejected |   ::::                #\n"
            "           0s              5s\n");
}

TEST(Chart, ASingleRequestIsSeenInTheFirstColumn) {
  EXPECT_EQ(chart_for("1 at once", kUnicode),
            "bucket  10/s\n"
            "       50 ┤▇████████████████████████\n"
            "          │█████████████████████████\n"
            "       25 ┤█████████████████████████\n"
            "          │█████████████████████████\n"
            "        0 ┼┬─────────┬─────────┬────\n"
            "          │█\n"
            "  allowed │█\n"
            "          │\n"
            " rejected │\n"
            "           0s        2s        4s\n");
}

TEST(Chart, ARequestInTheVeryLastNanosecondIsSeenInTheLastColumn) {
  EXPECT_EQ(chart_for("idle 1.999999999s, 50/s for 1ns", kUnicode),
            "bucket  10/s\n"
            "       50 ┤████████████████████████▇\n"
            "          │█████████████████████████\n"
            "       25 ┤█████████████████████████\n"
            "          │█████████████████████████\n"
            "        0 ┼┬───────────┬───────────┬\n"
            "          │                        █\n"
            "  allowed │                        █\n"
            "          │\n"
            " rejected │\n"
            "           0s          1s         2s\n");
}

TEST(Chart, WithoutRequestsIsAFullBucketAndEmptyBars) {
  EXPECT_EQ(chart_for("idle 1s", kUnicode),
            "bucket  10/s\n"
            "       50 ┤█████████████████████████\n"
            "          │█████████████████████████\n"
            "       25 ┤█████████████████████████\n"
            "          │█████████████████████████\n"
            "        0 ┼┬───────────┬───────────┬\n"
            "          │\n"
            "  allowed │\n"
            "          │\n"
            " rejected │\n"
            "           0s          0.5s       1s\n");
}

TEST(Chart, NoLineIsWiderThanTheStyle) {
  for (const char* arrivals : {"1 at once", "60/s for 2s", "1/d for 400d", "1 every 1ns for 9ns"}) {
    for (int width = kNarrowest; width < 200; width += 7) {
      const std::string text = chart_for(arrivals, {width, false, false});
      size_t start = 0;
      for (size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) {
        EXPECT_LE(end - start, static_cast<size_t>(width)) << text;
      }
    }
  }
}

TEST(Chart, ColorsEveryPlotInItsOwnInk) {
  const std::string text = chart_for("60/s for 2s", {40, true, false});
  EXPECT_NE(text.find("\x1b[36m#"), std::string::npos);
  EXPECT_NE(text.find("\x1b[32m#"), std::string::npos);
  EXPECT_NE(text.find("\x1b[31m"), std::string::npos);
}

TEST(Legend, SaysWhatAColumnAndAFullBarStandFor) {
  EXPECT_EQ(render_legend({Duration::seconds(2), 40}, 3, kAscii),
            "# tokens remaining: the fewest in each column of 50ms\n"
            "# allowed # rejected; a full bar is 3 requests\n");
  EXPECT_EQ(render_legend({Duration::seconds(2), 40}, 0, kUnicode),
            "█ tokens remaining: the fewest in each column of 50ms\n"
            "█ allowed █ rejected\n");
}

}  // namespace
}  // namespace sluice::cli
