#include "clock/counter_clock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sluice {
namespace {

// A counter and a reference that move with each reading, by amounts the test sets.
struct World {
  static inline int64_t ns = 0;
  static inline double ticks = 0;
  static inline double ticks_per_ns = 2.5;

  static void reset(double rate) {
    ns = 1'000'000'000;
    ticks = 7e9;
    ticks_per_ns = rate;
  }
  static void pass(int64_t nanoseconds) {
    ns += nanoseconds;
    ticks += static_cast<double>(nanoseconds) * ticks_per_ns;
  }
  static uint64_t counter() { return static_cast<uint64_t>(ticks); }
  static int64_t reference_ns() {
    pass(10);
    return ns;
  }
};

TEST(CounterClock, ShowsTheReferenceTimeToWithinAMillionth) {
  for (const double rate : {0.001, 0.37, 1.0, 2.445, 5.0}) {
    World::reset(rate);
    CounterClock<World> clock;
    for (int i = 0; i < 100'000; ++i) {
      World::pass(100'000);
      const int64_t shown = clock.now().ns;
      ASSERT_NEAR(static_cast<double>(shown - World::ns), 0, i < 10 ? 20'000 : 2000 + 2 / rate) << rate << " " << i;
    }
  }
}

// The counter is read late now and then, as when the thread was interrupted in between.
struct Interrupted : World {
  static inline uint64_t reads = 0;

  static uint64_t counter() {
    if (++reads % 3 == 0) pass(8'000);
    return World::counter();
  }
};

TEST(CounterClock, IsAsRightForWhoReadsSeldom) {
  for (const int64_t pause : {int64_t{700'000}, int64_t{100'000'000}, int64_t{5'000'000'000}}) {
    World::reset(2.445);
    CounterClock<Interrupted> clock;
    int64_t last = clock.now().ns;
    for (int i = 0; i < 200; ++i) {
      World::pass(pause);
      const int64_t shown = clock.now().ns;
      // A reading of its own may come late as well.
      ASSERT_NEAR(static_cast<double>(shown - World::ns), 0, 30'000 + static_cast<double>(i < 3 ? pause / 10'000 : 0))
          << pause << " " << i;
      ASSERT_GT(shown, last);
      last = shown;
    }
  }
}

TEST(CounterClock, IsRightAgainSoonAfterItWasFoundAhead) {
  World::reset(2.0);
  CounterClock<World> clock;
  for (int i = 0; i < 20; ++i) {
    World::pass(500'000'000);
    (void)clock.now();
  }
  World::ticks += 2.0 * 5'000'000;  // 5 ms that never were.
  int64_t last = clock.now().ns;
  for (int i = 0; i < 40; ++i) {
    World::pass(100'000'000);
    ASSERT_GT(clock.now().ns, last);
    last = clock.now().ns;
  }
  EXPECT_NEAR(static_cast<double>(last - World::ns), 0, 20'000);
}

TEST(CounterClock, NeverGoesBackWhileTheCounterDrifts) {
  World::reset(2.0);
  CounterClock<World> clock;
  int64_t last = 0;
  for (int i = 0; i < 200'000; ++i) {
    World::ticks_per_ns = 2.0 + 0.001 * ((i / 5000) % 3 - 1);
    World::pass(i % 7 * 10'000);
    const int64_t shown = clock.now().ns;
    ASSERT_GE(shown, last) << i;
    last = shown;
  }
  EXPECT_NEAR(static_cast<double>(last - World::ns), 0, 5e6);
}

TEST(CounterClock, CatchesUpAtOnceAfterTheMachineSlept) {
  World::reset(2.0);
  CounterClock<World> clock;
  World::ns += 3'600'000'000'000;  // The counter stood still for an hour.
  World::pass(2'000'000'000);
  EXPECT_NEAR(static_cast<double>(clock.now().ns - World::ns), 0, 1e6);
}

TEST(CounterClock, KeepsItsRateAfterTheMachineSlept) {
  World::reset(2.0);
  CounterClock<World> clock;
  for (int i = 0; i < 100; ++i) {
    World::pass(100'000'000);
    (void)clock.now();
  }
  World::ns += 3'600'000'000'000;
  World::pass(1'500'000'000);
  for (int i = 0; i < 100; ++i) {
    ASSERT_NEAR(static_cast<double>(clock.now().ns - World::ns), 0, 20'000) << i;
    World::pass(100'000'000);
  }
}

TEST(SystemClock, KeepsStepWithTheKernelAndNeverGoesBackOnAnyThread) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([] {
      Instant last = system_clock().now();
      for (int i = 0; i < 300'000; ++i) {
        const Instant now = system_clock().now();
        ASSERT_GE(now.ns, last.ns);
        last = now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  // The thread may be interrupted between readings, so the kernel's clock is read on both sides.
  const auto kernel_ns = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const int64_t before = kernel_ns();
  const int64_t shown = system_clock().now().ns;
  EXPECT_GE(shown, before - 2'000'000);
  EXPECT_LE(shown, kernel_ns() + 2'000'000);
}

}  // namespace
}  // namespace sluice
