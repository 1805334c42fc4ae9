#include "config/quantity.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace sluice::config {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::optional<uint64_t> bytes(std::string_view text) {
  const auto parsed = parse_bytes(text);
  return std::holds_alternative<Bytes>(parsed) ? std::optional(std::get<Bytes>(parsed).count) : std::nullopt;
}

std::optional<milliseconds> duration(std::string_view text) {
  const auto parsed = parse_duration(text);
  return std::holds_alternative<milliseconds>(parsed) ? std::optional(std::get<milliseconds>(parsed)) : std::nullopt;
}

TEST(Bytes, AreWrittenInPowersOf1024) {
  EXPECT_EQ(bytes("0"), 0U);
  EXPECT_EQ(bytes("65536"), 65536U);
  EXPECT_EQ(bytes("64B"), 64U);
  for (const char* text : {"64k", "64K", "64kb", "64KiB", "64 KiB"}) EXPECT_EQ(bytes(text), 65536U) << text;
  EXPECT_EQ(bytes("256MiB"), 256U << 20);
  EXPECT_EQ(bytes("2g"), uint64_t{2} << 30);
}

TEST(Bytes, ThatAreNoneAreRefused) {
  for (const char* text :
       {"", "k", "-1", "1.5k", "1 ", "1  k", "64T", "64k64k", "0x10", "9223372036854775807k", "+1"}) {
    EXPECT_EQ(bytes(text), std::nullopt) << text;
  }
}

TEST(Bytes, AreReadAsTheyAreWritten) {
  for (const uint64_t count : {0ULL, 1ULL, 1023ULL, 1024ULL, 1536ULL, 1ULL << 20, 3ULL << 30, 1ULL << 40}) {
    EXPECT_EQ(bytes(text_of(Bytes{count})), count);
  }
  EXPECT_EQ(text_of(Bytes{256 << 20}), "256MiB");
  EXPECT_EQ(text_of(Bytes{1536}), "1536");
}

TEST(Durations, HaveUnits) {
  EXPECT_EQ(duration("0"), 0ms);
  EXPECT_EQ(duration("500ms"), 500ms);
  EXPECT_EQ(duration("75s"), 75s);
  EXPECT_EQ(duration("10m"), 10min);
  EXPECT_EQ(duration("1h30m"), 90min);
  EXPECT_EQ(duration("1d"), 24h);
}

TEST(Durations, ThatAreNoneAreRefused) {
  for (const char* text :
       {"", "s", "75", "-1s", "1.5s", "75S", "1m1h", "1s1s", "75sec", "9223372036854775807s", "1s "}) {
    EXPECT_EQ(duration(text), std::nullopt) << text;
  }
  EXPECT_EQ(std::get<Problem>(parse_duration("75")).hint, "a unit is missing: write 75s for seconds");
}

TEST(Durations, AreReadAsTheyAreWritten) {
  for (const milliseconds value : {milliseconds(0), milliseconds(1), milliseconds(1001), milliseconds(75s),
                                   milliseconds(90min), milliseconds(25h) + 7ms}) {
    EXPECT_EQ(duration(text_of(value)), value);
  }
  EXPECT_EQ(text_of(milliseconds(90min)), "1h30m");
}

}  // namespace
}  // namespace sluice::config
