#include "telemetry/heavy_hitters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <string>

namespace sluice::telemetry {
namespace {

using Counts = std::map<std::string, double>;

// What the sketch promises, against a count of everything.
void expect_promises(const HeavyHitters& sketch, const Counts& exact, size_t capacity) {
  double total = 0;
  for (const auto& [key, count] : exact) total += count;
  RC_ASSERT(sketch.total() == total);
  Counts kept;
  for (const HeavyHitter& hitter : sketch.top(capacity)) {
    const auto found = exact.find(hitter.name);
    RC_ASSERT(found != exact.end());
    RC_ASSERT(hitter.count >= found->second);
    RC_ASSERT(hitter.count - hitter.error <= found->second);
    kept[hitter.name] = hitter.count;
  }
  RC_ASSERT(kept.size() == sketch.size());
  for (const auto& [key, count] : exact) {
    if (kept.contains(key)) continue;
    RC_ASSERT(count <= sketch.floor());
  }
}

RC_GTEST_PROP(HeavyHitters, NeverTellTooLittleNorMoreThanTheirErrorTooMuch, ()) {
  const size_t capacity = *rc::gen::inRange<size_t>(1, 20);
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 60));
  HeavyHitters sketch(capacity);
  Counts exact;
  for (const int step : steps) {
    if (step < 0) {
      sketch.decay();
      for (auto& [key, count] : exact) count /= 2;
    } else {
      // Low numbers come often, as hot keys do.
      const std::string key = std::to_string(step * step / 60);
      const double weight = 1 + step % 3;
      sketch.add(KeyName(key), weight);
      exact[key] += weight;
    }
    expect_promises(sketch, exact, capacity);
  }
}

TEST(HeavyHitters, FindTheHotKeysAmongAMillion) {
  HeavyHitters sketch(1'000);
  std::mt19937_64 random(7);
  std::map<std::string, double> exact;
  for (int i = 0; i < 500'000; ++i) {
    // Half of the traffic is from 50 keys, the other half from keys that hardly come twice.
    const bool is_hot = random() % 2 == 0;
    const std::string key = is_hot ? "hot" + std::to_string(random() % 50) : std::to_string(random() % 1'000'000);
    sketch.add(KeyName(key), 1);
    if (is_hot) ++exact[key];
  }
  const auto top = sketch.top(50);
  ASSERT_EQ(top.size(), 50U);
  for (const HeavyHitter& hitter : top) {
    ASSERT_TRUE(exact.contains(hitter.name)) << hitter.name;
    EXPECT_GE(hitter.count, exact[hitter.name]);
    EXPECT_LE(hitter.error, 500'000 / 1'000);
  }
  EXPECT_EQ(sketch.size(), 1'000U);
  EXPECT_LE(sketch.floor(), 500);
}

TEST(HeavyHitters, ForgetWhatHasFaded) {
  HeavyHitters sketch(10);
  sketch.add(KeyName("old"), 8);
  for (int i = 0; i < 4; ++i) sketch.decay();
  EXPECT_EQ(sketch.size(), 1U);
  sketch.decay();
  EXPECT_EQ(sketch.size(), 0U);
  EXPECT_EQ(sketch.floor(), 0.25);
  sketch.add(KeyName("new"), 1);
  const auto top = sketch.top(10);
  ASSERT_EQ(top.size(), 1U);
  EXPECT_EQ(top[0].name, "new");
  EXPECT_EQ(top[0].count, 1.25);
  EXPECT_EQ(top[0].error, 0.25);
}

TEST(HeavyHitters, CutLongNamesAndStillTellThemApart) {
  HeavyHitters sketch(10);
  const std::string start(kLongestName, 'a');
  sketch.add(KeyName(start), 1);
  sketch.add(KeyName(start + "b"), 2);
  sketch.add(KeyName(start + "c"), 4);
  sketch.add(KeyName(start + "c"), 4);
  const auto top = sketch.top(10);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].count, 8);
  EXPECT_TRUE(top[0].is_cut);
  EXPECT_EQ(top[0].name, start);
  EXPECT_EQ(top[1].count, 2);
  EXPECT_EQ(top[2].count, 1);
  EXPECT_FALSE(top[2].is_cut);
}

TEST(HeavyHitters, OrderEqualsByName) {
  HeavyHitters sketch(10);
  for (const char* key : {"c", "a", "", "b"}) sketch.add(KeyName(std::string_view(key)), 1);
  const auto top = sketch.top(3);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].name, "");
  EXPECT_EQ(top[1].name, "a");
  EXPECT_EQ(top[2].name, "b");
}

TEST(HeavyHitters, WithNoRoomKeepNothing) {
  HeavyHitters sketch(0);
  sketch.add(KeyName("a"), 1);
  sketch.decay();
  EXPECT_EQ(sketch.size(), 0U);
  EXPECT_TRUE(sketch.top(10).empty());
}

}  // namespace
}  // namespace sluice::telemetry
