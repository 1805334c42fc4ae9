#include "sluice/await.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "sluice/token_bucket.h"

namespace sluice {
namespace {

// A timer that moves a manual clock instead of waiting.
struct FakeTimer {
  ManualClock& clock;
  std::multimap<int64_t, std::function<void()>> calls;

  void call_after(Duration delay, std::function<void()> callback) {
    calls.emplace((clock.now() + delay).ns, std::move(callback));
  }
  void run() {
    while (!calls.empty()) {
      auto next = calls.extract(calls.begin());
      if (clock.now().ns < next.key()) clock.set(Instant(next.key()));
      next.mapped()();
    }
  }
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct World {
  ManualClock clock;
  TokenBucket bucket{*Limit::token_bucket(10, 2), clock};
  FakeTimer timer{clock, {}};
  std::vector<int64_t> admitted_ms;
};

Task request(World& world, Tokens cost) {
  const Decision decision = co_await admission(world.timer, [&world, cost] { return world.bucket.take(cost); });
  world.admitted_ms.push_back(decision ? world.clock.now().ns / 1'000'000 : -1);
}

TEST(Admission, ResumesACoroutineAtOnceOrWhenItsTokensAreThere) {
  World world;
  for (int i = 0; i < 5; ++i) request(world, kOneToken);
  EXPECT_EQ(world.admitted_ms, (std::vector<int64_t>{0, 0}));
  world.timer.run();
  EXPECT_EQ(world.admitted_ms, (std::vector<int64_t>{0, 0, 100, 200, 300}));
}

TEST(Admission, DoesNotWaitForWhatCanNeverPass) {
  World world;
  request(world, Tokens::whole(3));
  EXPECT_EQ(world.admitted_ms, (std::vector<int64_t>{-1}));
  EXPECT_TRUE(world.timer.calls.empty());
}

}  // namespace
}  // namespace sluice
