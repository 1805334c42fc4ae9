#include "cli/simulate_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/chart.h"
#include "cli/quantities.h"
#include "cli/table.h"

namespace sluice::cli {
namespace {

using simulate::Series;
using simulate::Summary;

// One chart may be tall; several are compared, and should fit a screen or two.
struct Rows {
  int level;
  int bar;
};
constexpr Rows kAlone{8, 3};
constexpr Rows kAmongOthers{4, 2};

std::string count_of(int64_t requests) { return fmt::format("{} request{}", requests, requests == 1 ? "" : "s"); }

std::string length_of(const simulate::Schedule& schedule) {
  if (schedule.end() == Instant()) return "at one instant";
  return "in " + short_duration(schedule.end() - Instant(), Rounding::kUp);
}

std::string cost_of_requests(const SimulatePlan& plan) {
  const Tokens smallest = plan.schedule.smallest_cost();
  const Tokens largest = plan.schedule.largest_cost();
  if (largest == Tokens()) return "";
  if (smallest == largest) return fmt::format(", each costing {}", exact_tokens(smallest));
  return fmt::format(", each costing {} to {}", exact_tokens(smallest), exact_tokens(largest));
}

std::string headline(const SimulatePlan& plan) {
  return fmt::format("{} {}{}: {}", count_of(plan.schedule.requests()), length_of(plan.schedule),
                     cost_of_requests(plan), plan.arrivals);
}

std::string explanation_of(const Limit& limit) {
  if (!simulate::has_window(limit.algorithm())) {
    return fmt::format("rate {}, capacity {}", short_rate(limit.rate()), exact_tokens(limit.capacity()));
  }
  return fmt::format("capacity {} per window of {}", exact_tokens(limit.capacity()),
                     short_duration(limit.window(), Rounding::kUp));
}

std::string window_note(const SimulatePlan& plan) {
  const auto windowed = std::find_if(plan.limits.begin(), plan.limits.end(),
                                     [](const Limit& limit) { return simulate::has_window(limit.algorithm()); });
  if (windowed == plan.limits.end()) return "";
  const bool is_given = plan.options.window.has_value();
  return fmt::format("Window algorithms: capacity {} ({}) per window of {} ({})", exact_tokens(windowed->capacity()),
                     is_given ? "rate x window" : "burst", short_duration(windowed->window(), Rounding::kUp),
                     is_given ? "--window" : "burst / rate");
}

std::string longest_wait(const Summary& summary) {
  if (summary.rejected == 0) return "-";
  if (summary.rejected == summary.impossible) return "never";
  return short_duration(summary.longest_wait, Rounding::kUp);
}

std::string percent(const Summary& summary) {
  if (summary.requests == 0) return "-";
  return fmt::format("{}.{}%", summary.allowed * 100 / summary.requests,
                     summary.allowed * 1000 / summary.requests % 10);
}

Table table_of(const SimulatePlan& plan, const std::vector<Series>& all) {
  const bool has_queue = std::any_of(plan.limits.begin(), plan.limits.end(),
                                     [](const Limit& limit) { return limit.algorithm() == Algorithm::kLeakyQueue; });
  Table table;
  table.headings = {"algorithm", "allowed", "rejected", "allowed\n%", "first\nrejection", "longest\nwait"};
  if (has_queue) table.headings.emplace_back("longest\ndelay");
  for (size_t i = 0; i < all.size(); ++i) {
    const Summary& summary = all[i].summary;
    const bool is_queue = plan.limits[i].algorithm() == Algorithm::kLeakyQueue;
    table.rows.push_back(
        {name_of(plan.limits[i].algorithm()), fmt::format("{}", summary.allowed), fmt::format("{}", summary.rejected),
         percent(summary),
         summary.first_rejection ? short_duration(*summary.first_rejection - Instant(), Rounding::kDown) : "-",
         longest_wait(summary)});
    if (has_queue) table.rows.back().push_back(is_queue ? short_duration(summary.longest_delay, Rounding::kUp) : "-");
  }
  return table;
}

Chart chart_of(const Limit& limit, const Series& series, bool is_alone) {
  Chart chart;
  chart.name = name_of(limit.algorithm());
  chart.explanation = explanation_of(limit);
  if (limit.algorithm() == Algorithm::kLeakyQueue) {
    chart.explanation += ", longest delay " + short_duration(series.summary.longest_delay, Rounding::kUp);
  }
  chart.capacity = limit.capacity();
  chart.level_rows = (is_alone ? kAlone : kAmongOthers).level;
  chart.bar_rows = (is_alone ? kAlone : kAmongOthers).bar;
  return chart;
}

}  // namespace

void print_report(const SimulatePlan& plan, const Style& style, Output& out) {
  const auto axis = simulate::axis_for(plan.schedule, plan.limits, chart_columns(style));
  std::vector<Series> all;
  int64_t tallest = 0;
  for (const Limit& limit : plan.limits) {
    all.push_back(series_of(limit, plan.schedule, axis));
    tallest = std::max(tallest, all.back().tallest());
  }
  out.write(wrapped(headline(plan), style.width));
  const std::string note = window_note(plan);
  if (!note.empty()) out.write(wrapped(note, style.width));
  out.write("\n");
  out.write(render_table(table_of(plan, all), style));
  for (size_t i = 0; i < all.size(); ++i) {
    Chart chart = chart_of(plan.limits[i], all[i], all.size() == 1);
    chart.tallest = tallest;
    out.write("\n" + render_chart(chart, all[i], style));
  }
  out.write("\n" + render_legend(axis, tallest, style));
}

}  // namespace sluice::cli
