#include "telemetry/top_keys.h"

#include <gtest/gtest.h>

namespace sluice::telemetry {
namespace {

void ask(KeyFeed& feed, std::string_view key, int times, bool is_rejected = false) {
  for (int i = 0; i < times; ++i) feed.add(key, is_rejected);
}

TEST(TopKeys, TellWhoAsksMostAndWhoIsRefusedMost) {
  KeyFeed first;
  KeyFeed second;
  TopKeys keys(10);
  ask(first, "busy", 30);
  ask(second, "busy", 30);
  ask(second, "greedy", 20, true);
  EXPECT_EQ(keys.collect(first), 30U);
  EXPECT_EQ(keys.collect(second), 50U);
  const auto hottest = keys.hottest().top(10);
  ASSERT_EQ(hottest.size(), 2U);
  EXPECT_EQ(hottest[0].name, "busy");
  EXPECT_EQ(hottest[0].count, 60);
  const auto rejected = keys.most_rejected().top(10);
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(rejected[0].name, "greedy");
  EXPECT_EQ(rejected[0].count, 20);
}

TEST(TopKeys, FadeByHalfEachMinute) {
  KeyFeed feed;
  TopKeys keys(10);
  keys.fade(1'000'000);
  ask(feed, "a", 64);
  keys.collect(feed);
  keys.fade(1'059'999);
  EXPECT_EQ(keys.hottest().top(1).at(0).count, 64);
  keys.fade(1'060'000);
  EXPECT_EQ(keys.hottest().top(1).at(0).count, 32);
  keys.fade(1'000'000);
  EXPECT_EQ(keys.hottest().top(1).at(0).count, 32);
  keys.fade(1'180'000);
  EXPECT_EQ(keys.hottest().top(1).at(0).count, 8);
  keys.fade(INT64_MAX / 2);
  EXPECT_EQ(keys.hottest().size(), 0U);
}

}  // namespace
}  // namespace sluice::telemetry
