#include "telemetry/key_feed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace sluice::telemetry {
namespace {

struct Taken {
  std::string name;
  bool is_cut;
  bool is_rejected;
  uint32_t weight;
};

std::vector<Taken> drain(KeyFeed& feed, size_t most = SIZE_MAX) {
  std::vector<Taken> taken;
  feed.drain(most, [&](const FedKey& key) {
    taken.push_back({std::string(key.name.bytes), key.name.is_cut(), key.is_rejected, key.weight});
  });
  return taken;
}

TEST(KeyFeed, HandsOverWhatWasAddedInOrder) {
  KeyFeed feed;
  feed.add("a", false);
  feed.add("", true);
  feed.add(std::string(200, 'x'), false);
  const auto taken = drain(feed);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].name, "a");
  EXPECT_FALSE(taken[0].is_rejected);
  EXPECT_EQ(taken[1].name, "");
  EXPECT_TRUE(taken[1].is_rejected);
  EXPECT_EQ(taken[2].name, std::string(kLongestName, 'x'));
  EXPECT_TRUE(taken[2].is_cut);
  EXPECT_TRUE(drain(feed).empty());
}

TEST(KeyFeed, IsReadInPieces) {
  KeyFeed feed;
  for (int i = 0; i < 10; ++i) feed.add(std::to_string(i), false);
  EXPECT_EQ(drain(feed, 3).size(), 3U);
  EXPECT_EQ(drain(feed, 3).at(0).name, "3");
  EXPECT_EQ(drain(feed).size(), 4U);
}

TEST(KeyFeed, LosesNothingOfAReaderThatKeepsUpHoweverOftenTheRingTurns) {
  KeyFeed feed;
  uint64_t number = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::string> expected;
    for (int i = 0; i < 40; ++i) {
      expected.push_back(std::string(number * 7 % (kLongestName + 1), 'k') + std::to_string(number % 10));
      expected.back().resize(std::min(expected.back().size(), kLongestName));
      ++number;
      feed.add(expected.back(), i % 3 == 0);
    }
    const auto taken = drain(feed);
    ASSERT_EQ(taken.size(), expected.size());
    for (size_t i = 0; i < taken.size(); ++i) {
      ASSERT_EQ(taken[i].name, expected[i]);
      ASSERT_EQ(taken[i].is_rejected, i % 3 == 0);
      ASSERT_EQ(taken[i].weight, 1U);
    }
  }
  EXPECT_EQ(feed.seen(), number);
  EXPECT_EQ(feed.fed(), number);
  EXPECT_EQ(feed.lost(), 0U);
}

TEST(KeyFeed, WithoutAReaderStandsFullAndCountsWhatIsLost) {
  KeyFeed feed;
  for (int i = 0; i < 10'000'000; ++i) feed.add("user:42", false);
  EXPECT_EQ(feed.seen(), 10'000'000U);
  EXPECT_GT(feed.lost(), 0U);
  EXPECT_EQ(feed.stride(), KeyFeed::kLongestStride);
  uint64_t weight = 0;
  for (const Taken& taken : drain(feed)) weight += taken.weight;
  EXPECT_EQ(weight, feed.fed());
  // What waits for its turn is not counted yet.
  EXPECT_NEAR(static_cast<double>(feed.fed() + feed.lost()), 10'000'000.0, 1'000'000.0);
}

TEST(KeyFeed, TakesEveryKeyAgainOnceItsReaderKeepsUp) {
  KeyFeed feed;
  for (int i = 0; i < 100'000; ++i) feed.add("a", false);
  ASSERT_GT(feed.stride(), 1U);
  for (int i = 0; i < 100'000'000 && feed.stride() > 1; ++i) {
    feed.add("a", false);
    if (i % 64 == 0) drain(feed);
  }
  EXPECT_EQ(feed.stride(), 1U);
}

// A reader far too slow; two keys alternate, which is where a fixed step would see only one.
TEST(KeyFeed, LeavesOutKeysAlikeHoweverTheyCome) {
  KeyFeed feed;
  std::map<std::string, double> weights;
  double lost_before = 0;
  constexpr int kAdds = 4'000'000;
  for (int i = 0; i < kAdds; ++i) {
    feed.add(i % 8 == 0 ? "rare" : i % 2 == 0 ? "even" : "odd", false);
    if (i % 20'000 != 0) continue;
    for (const Taken& taken : drain(feed)) weights[taken.name] += taken.weight;
  }
  for (const Taken& taken : drain(feed)) weights[taken.name] += taken.weight;
  lost_before = static_cast<double>(feed.lost());
  const double all = weights["rare"] + weights["even"] + weights["odd"];
  EXPECT_NEAR(all + lost_before, kAdds, kAdds * 0.02);
  EXPECT_NEAR(weights["rare"] / all, 1.0 / 8, 0.02);
  EXPECT_NEAR(weights["even"] / all, 3.0 / 8, 0.02);
  EXPECT_NEAR(weights["odd"] / all, 4.0 / 8, 0.02);
}

TEST(KeyFeed, HandsWholeKeysFromOneThreadToAnother) {
  KeyFeed feed;
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    for (int i = 0; i < 300'000; ++i) {
      const char letter = static_cast<char>('a' + i % 26);
      feed.add(std::string(static_cast<size_t>(i) % (kLongestName + 1), letter), i % 2 == 0);
    }
    is_done.store(true, std::memory_order_release);
  });
  uint64_t weight = 0;
  uint64_t torn = 0;
  bool is_last = false;
  while (!is_last) {
    is_last = is_done.load(std::memory_order_acquire);
    feed.drain(1'000, [&](const FedKey& key) {
      weight += key.weight;
      const bool is_whole =
          key.name.bytes.empty() || key.name.bytes.find_first_not_of(key.name.bytes[0]) == std::string_view::npos;
      torn += !is_whole;
    });
  }
  writer.join();
  feed.drain(SIZE_MAX, [&](const FedKey& key) { weight += key.weight; });
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(weight, feed.fed());
  EXPECT_EQ(feed.seen(), 300'000U);
}

}  // namespace
}  // namespace sluice::telemetry
