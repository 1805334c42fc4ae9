#include "doors/admin/key_census.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sluice::doors::admin {
namespace {

TEST(KeyCensus, AddsUpWhatAllLoopsFeed) {
  telemetry::KeyFeed one;
  telemetry::KeyFeed other;
  KeyCensus census(10, {&one, &other});
  one.add("a", false);
  one.add("b", true);
  other.add("a", true);
  const TopList hottest = census.top(TopBy::kRequests, 10);
  EXPECT_EQ(hottest.total, 3);
  ASSERT_EQ(hottest.keys.size(), 2U);
  EXPECT_EQ(hottest.keys[0].name, "a");
  EXPECT_EQ(hottest.keys[0].count, 2);
  EXPECT_EQ(census.top(TopBy::kRejections, 10).total, 2);
  EXPECT_EQ(census.top(TopBy::kRejections, 1).keys.size(), 1U);
}

TEST(KeyCensus, KeepsNothingWhereNothingIsToBeKept) {
  telemetry::KeyFeed feed;
  KeyCensus census(0, {&feed});
  census.start();
  feed.add("a", false);
  EXPECT_TRUE(census.top(TopBy::kRequests, 10).keys.empty());
}

// Once a feed is full, only somebody who empties it makes room for more.
TEST(KeyCensus, EmptiesFeedsWhileNobodyAsks) {
  telemetry::KeyFeed feed;
  KeyCensus census(10, {&feed});
  const std::string key(100, 'k');
  for (int i = 0; i < 10'000'000 && feed.lost() == 0; ++i) feed.add(key, false);
  const uint64_t full = feed.fed();
  for (int i = 0; i < 100'000; ++i) feed.add(key, false);
  ASSERT_EQ(feed.fed(), full);
  census.start();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (feed.fed() == full && std::chrono::steady_clock::now() < deadline) feed.add(key, false);
  EXPECT_GT(feed.fed(), full);
}

}  // namespace
}  // namespace sluice::doors::admin
