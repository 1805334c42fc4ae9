// Prints one of everything that the exposition can write, for a parser that is not ours.
#include <cmath>
#include <cstdio>
#include <limits>

#include "telemetry/exposition.h"
#include "telemetry/process_stats.h"

using namespace sluice::telemetry;

int main() {
  Exposition out;
  out.family("probe_requests_total", FamilyType::kCounter, "Help with a \\ and\na second line.");
  out.sample({{"door", "http"}, {"key", "a\\b\"c\nd,e{f}=\u00e9"}}, uint64_t{18'446'744'073'709'551'615U});
  out.sample({{"door", "resp"}, {"key", ""}}, uint64_t{0});
  out.sample({{"door", "bytes"}, {"key", "\xff\xc3"}}, uint64_t{1});
  out.family("probe_special", FamilyType::kGauge, "");
  out.sample({{"is", "nan"}}, std::nan(""));
  out.sample({{"is", "inf"}}, std::numeric_limits<double>::infinity());
  out.sample({{"is", "minus_inf"}}, -std::numeric_limits<double>::infinity());
  out.sample({{"is", "tenth"}}, 0.1);
  out.sample({{"is", "least"}}, std::numeric_limits<double>::denorm_min());
  out.family("probe_plain", FamilyType::kGauge, "No labels.");
  out.sample(-1.5);
  Histogram histogram;
  histogram.record(1'000, 2);
  histogram.record(3'000'000);
  histogram.record(60'000'000'000);
  out.family("probe_seconds", FamilyType::kHistogram, "A histogram.");
  out.histogram({{"door", "http"}}, histogram.values());
  out.histogram({{"door", "resp"}}, HistogramValues{});
  if (const auto stats = read_process_stats()) write_process_stats(*stats, out);
  return std::fputs(out.text().c_str(), stdout) < 0 ? 1 : 0;
}
