#include "documents/utc_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>

namespace sluice::documents {
namespace {

TEST(UtcTime, ReadsRfc3339) {
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_time_us("2030-01-31T12:00:00Z"), 1'896'091'200'000'000);
  EXPECT_EQ(parse_time_us("2030-01-31t12:00:00z"), 1'896'091'200'000'000);
  EXPECT_EQ(parse_time_us("2030-01-31 12:00:00.999Z"), 1'896'091'200'999'000);
  EXPECT_EQ(parse_time_us("2030-01-31T13:30:00+01:30"), 1'896'091'200'000'000);
  EXPECT_EQ(parse_time_us("2030-01-31T04:00:00-08:00"), 1'896'091'200'000'000);
  EXPECT_EQ(parse_time_us("2024-02-29T00:00:00Z"), 1'709'164'800'000'000);
  EXPECT_EQ(parse_time_us("2016-12-31T23:59:60Z"), 1'483'228'800'000'000);
  EXPECT_EQ(parse_time_us("9999-12-31T23:59:59Z"), 253'402'300'799'000'000);
}

TEST(UtcTime, ReadsFractionsToTheMicrosecond) {
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:00.5Z"), 500'000);
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:00.000001Z"), 1);
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:00.1234567891Z"), 123'456);
  EXPECT_EQ(parse_time_us("1969-12-31T23:59:59.999999Z"), -1);
}

TEST(UtcTime, IsWrittenAndReadAgain) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(utc_text(1'896'091'200'000'042), "2030-01-31T12:00:00.000042Z");
}

RC_GTEST_PROP(UtcTime, ReadsWhatItWrites, ()) {
  const auto micros = *rc::gen::inRange<int64_t>(-62'000'000'000'000'000, 253'000'000'000'000'000);
  RC_ASSERT(parse_time_us(utc_text(micros)) == micros);
}

TEST(UtcTime, RefusesWhatIsNoTime) {
  for (const char* text : {"",
                           "2030",
                           "2030-01-31",
                           "2030-01-31T12:00:00",
                           "2030-01-31T12:00Z",
                           "2030-02-30T12:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "2030-13-01T00:00:00Z",
                           "2030-00-01T00:00:00Z",
                           "2030-01-00T00:00:00Z",
                           "2030-01-31T24:00:00Z",
                           "2030-01-31T12:60:00Z",
                           "2030-01-31T12:00:61Z",
                           "2030-01-31T12:00:00+24:00",
                           "2030-01-31T12:00:00+01:60",
                           "2030-01-31T12:00:00+0100",
                           "2030-01-31T12:00:00Zx",
                           "2030-01-31T12:00:00.Z",
                           "30-01-31T12:00:00Z",
                           "2030-1-31T12:00:00Z",
                           "2030-01-31T12:00:00 Z",
                           "+030-01-31T12:00:00Z"}) {
    EXPECT_EQ(parse_time_us(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(UtcTime, ReadsWhatTheSystemWrites, ()) {
  const auto seconds = static_cast<std::time_t>(*rc::gen::inRange<int64_t>(-62'000'000'000, 253'000'000'000));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  RC_PRE(std::strftime(text, sizeof(text), "%FT%TZ", &parts) == 20);
  RC_ASSERT(parse_time_us(text) == static_cast<int64_t>(seconds) * 1'000'000);
}

}  // namespace
}  // namespace sluice::documents
