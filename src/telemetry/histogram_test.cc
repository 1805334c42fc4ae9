#include "telemetry/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace sluice::telemetry {
namespace {

size_t plain_bucket_of(uint64_t ns) {
  return static_cast<size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), ns) - kBounds.begin());
}

TEST(Histogram, FindsTheFirstBoundThatIsNotExceeded) {
  for (const uint64_t bound : kBounds) {
    for (const uint64_t ns : {bound - 1, bound, bound + 1}) EXPECT_EQ(Histogram::bucket_of(ns), plain_bucket_of(ns));
  }
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t ns = uint64_t{1} << bit;
    for (const uint64_t near : {ns - 1, ns, ns + 1}) EXPECT_EQ(Histogram::bucket_of(near), plain_bucket_of(near));
  }
  EXPECT_EQ(Histogram::bucket_of(UINT64_MAX), kBounds.size());
}

TEST(Histogram, CountsAPipelineByItsNumber) {
  Histogram histogram;
  histogram.record(1'000);
  histogram.record(1'001, 64);
  histogram.record(20'000'000'000);
  const HistogramValues values = histogram.values();
  EXPECT_EQ(values.counts[0], 1U);
  EXPECT_EQ(values.counts[1], 64U);
  EXPECT_EQ(values.counts.back(), 1U);
  EXPECT_EQ(values.count(), 66U);
  EXPECT_EQ(values.sum_ns, 1'000U + 64 * 1'001U + 20'000'000'000U);
}

TEST(Histogram, OfSeveralLoopsIsTheirSum) {
  Histogram first;
  Histogram second;
  first.record(1, 2);
  second.record(3'000, 5);
  HistogramValues sum = first.values();
  sum.add(second.values());
  EXPECT_EQ(sum.count(), 7U);
  EXPECT_EQ(sum.sum_ns, 15'002U);
}

}  // namespace
}  // namespace sluice::telemetry
