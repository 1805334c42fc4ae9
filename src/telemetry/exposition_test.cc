#include "telemetry/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sluice::telemetry {
namespace {

using testing::HasSubstr;

TEST(Exposition, WritesHelpAndTypeOnceForAFamily) {
  Exposition out;
  out.family("sluice_decisions_total", FamilyType::kCounter, "Decisions.");
  out.sample({{"door", "http"}, {"verdict", "allowed"}}, uint64_t{3});
  const Label labels[] = {{"door", "resp"}, {"verdict", "allowed"}};
  out.sample(labels, uint64_t{4});
  out.family("sluice_up", FamilyType::kGauge, "Up.");
  out.sample(uint64_t{1});
  EXPECT_EQ(out.text(),
            "# HELP sluice_decisions_total Decisions.\n"
            "# TYPE sluice_decisions_total counter\n"
            "sluice_decisions_total{door=\"http\",verdict=\"allowed\"} 3\n"
            "sluice_decisions_total{door=\"resp\",verdict=\"allowed\"} 4\n"
            "# HELP sluice_up Up.\n"
            "# TYPE sluice_up gauge\n"
            "sluice_up 1\n");
}

TEST(Exposition, EscapesWhatWouldEndALabelOrALine) {
  Exposition out;
  out.family("a", FamilyType::kGauge, "Two\nlines, one \\ and \"quotes\".");
  out.sample({{"key", "a\\b\"c\nd\xff\u00e9"}}, uint64_t{1});
  EXPECT_EQ(out.text(),
            "# HELP a Two\\nlines, one \\\\ and \"quotes\".\n"
            "# TYPE a gauge\n"
            "a{key=\"a\\\\b\\\"c\\nd\xef\xbf\xbd\u00e9\"} 1\n");
}

TEST(Exposition, WritesNumbersThatReadAsTheSame) {
  const auto text = [](double value) {
    std::string out;
    append_number(out, value);
    return out;
  };
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1e100), "1e+100");
  EXPECT_EQ(text(std::nan("")), "NaN");
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-Inf");
  std::string large;
  append_number(large, UINT64_MAX);
  EXPECT_EQ(large, "18446744073709551615");
}

TEST(Exposition, WritesHistogramsCumulativeAndInSeconds) {
  Histogram histogram;
  histogram.record(500, 2);
  histogram.record(2'000'000, 3);
  histogram.record(30'000'000'000);
  Exposition out;
  out.family("sluice_decision_seconds", FamilyType::kHistogram, "Time.");
  out.histogram({{"door", "http"}}, histogram.values());
  EXPECT_THAT(out.text(), HasSubstr("sluice_decision_seconds_bucket{door=\"http\",le=\"1e-06\"} 2\n"));
  EXPECT_THAT(out.text(), HasSubstr("sluice_decision_seconds_bucket{door=\"http\",le=\"0.001\"} 2\n"));
  EXPECT_THAT(out.text(), HasSubstr("sluice_decision_seconds_bucket{door=\"http\",le=\"0.0025\"} 5\n"));
  EXPECT_THAT(out.text(), HasSubstr("sluice_decision_seconds_bucket{door=\"http\",le=\"10\"} 5\n"));
  EXPECT_THAT(out.text(), HasSubstr("sluice_decision_seconds_bucket{door=\"http\",le=\"+Inf\"} 6\n"
                                    "sluice_decision_seconds_sum{door=\"http\"} 30.006001\n"
                                    "sluice_decision_seconds_count{door=\"http\"} 6\n"));
}

}  // namespace
}  // namespace sluice::telemetry
