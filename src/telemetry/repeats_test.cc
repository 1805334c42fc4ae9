#include "telemetry/repeats.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sluice::telemetry {
namespace {

using namespace std::chrono_literals;

TEST(Repeats, LetOneThroughInAnIntervalAndCountTheOthers) {
  Repeats repeats(10s);
  EXPECT_EQ(repeats.let_through(0), 0U);
  EXPECT_EQ(repeats.let_through(1), std::nullopt);
  EXPECT_EQ(repeats.let_through(9'999), std::nullopt);
  EXPECT_EQ(repeats.let_through(10'000), 2U);
  EXPECT_EQ(repeats.let_through(20'000), 0U);
}

TEST(Repeats, AreNotSilencedByAClockThatIsSetBack) {
  Repeats repeats(10s);
  EXPECT_EQ(repeats.let_through(1'000'000), 0U);
  EXPECT_EQ(repeats.let_through(500), 0U);
  EXPECT_EQ(repeats.let_through(501), std::nullopt);
}

TEST(Repeats, OfSeveralThreadsAreAllCounted) {
  Repeats repeats(1h);
  std::atomic<int> let_through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1'000; ++j) let_through += repeats.let_through(7).has_value();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(let_through, 1);
  EXPECT_EQ(repeats.let_through(7 + 3'600'000), 3'999U);
}

}  // namespace
}  // namespace sluice::telemetry
