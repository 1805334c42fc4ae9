#include "net/loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <future>
#include <thread>

namespace sluice::net {
namespace {

std::unique_ptr<Loop> make_loop() { return std::move(std::get<std::unique_ptr<Loop>>(Loop::create())); }

TEST(Loop, RunsTasksOfOtherThreadsOnItsOwn) {
  const auto loop = make_loop();
  std::thread thread([&] { loop->run(); });
  std::promise<std::thread::id> ran_on;
  loop->post([&] { ran_on.set_value(std::this_thread::get_id()); });
  EXPECT_EQ(ran_on.get_future().get(), thread.get_id());
  loop->stop();
  thread.join();
}

TEST(Loop, StoppedBeforeItRunsReturnsAtOnce) {
  const auto loop = make_loop();
  loop->stop();
  loop->run();
}

class Last final : public Deferred {
 public:
  explicit Last(std::function<void()> then) : then_(std::move(then)) {}
  void on_turn_end() override { then_(); }

 private:
  std::function<void()> then_;
};

TEST(Loop, WhatIsDeferredComesOnceAfterAllThatWasAtHand) {
  const auto loop = make_loop();
  std::string order;
  Last second([&] { order += '3'; });
  Last first([&] {
    order += '2';
    loop->defer(second);
    loop->stop();
  });
  loop->post([&] {
    loop->defer(first);
    order += '0';
  });
  loop->post([&] { order += '1'; });
  loop->run();
  EXPECT_EQ(order, "0123");
}

class Counter final : public Watcher {
 public:
  explicit Counter(std::function<void()> then) : then_(std::move(then)) {}
  void on_ready(uint32_t) override { then_(); }

 private:
  std::function<void()> then_;
};

TEST(Loop, ARetiredWatcherIsNotCalledForAnEventAtHand) {
  const auto loop = make_loop();
  const Descriptor one(eventfd(1, EFD_NONBLOCK));
  const Descriptor two(eventfd(1, EFD_NONBLOCK));
  std::unique_ptr<Counter> watchers[2];
  const int fds[2] = {one.get(), two.get()};
  int calls = 0;
  // Both are ready in one wait: whichever comes first retires the other.
  for (const int i : {0, 1}) {
    watchers[i] = std::make_unique<Counter>([&, i] {
      ++calls;
      loop->forget(fds[1 - i]);
      loop->retire(std::move(watchers[1 - i]));
      loop->stop();
    });
    ASSERT_TRUE(loop->watch(fds[i], EPOLLIN, *watchers[i]));
  }
  loop->run();
  EXPECT_EQ(calls, 1);
}

TEST(Loop, SeveralThatTakeTurnsAreAllToldWhetherItRestsOrNot) {
  const auto loop = make_loop();
  constexpr int kRounds = 2'000;
  const Descriptor asked[2] = {Descriptor(eventfd(0, EFD_NONBLOCK)), Descriptor(eventfd(0, EFD_NONBLOCK))};
  const Descriptor answered[2] = {Descriptor(eventfd(0, 0)), Descriptor(eventfd(0, 0))};
  std::unique_ptr<Counter> watchers[2];
  int answers = 0;
  for (const int i : {0, 1}) {
    watchers[i] = std::make_unique<Counter>([&, i] {
      eventfd_t count = 0;
      eventfd_read(asked[i].get(), &count);
      eventfd_write(answered[i].get(), 1);
      if (++answers == 2 * kRounds) loop->stop();
    });
    ASSERT_TRUE(loop->watch(asked[i].get(), EPOLLIN, *watchers[i]));
  }
  const auto ask = [&](int i) {
    eventfd_t count = 0;
    for (int round = 0; round < kRounds; ++round) {
      eventfd_write(asked[i].get(), 1);
      eventfd_read(answered[i].get(), &count);
    }
  };
  std::thread one(ask, 0);
  std::thread two(ask, 1);
  loop->run();
  one.join();
  two.join();
  EXPECT_EQ(answers, 2 * kRounds);
}

class Alarm final : public Timer {
 public:
  explicit Alarm(Loop& loop) : loop_(loop) {}

 private:
  void on_time(int64_t) override { loop_.stop(); }
  Loop& loop_;
};

TEST(Loop, WakesForATimer) {
  const auto loop = make_loop();
  Alarm alarm(*loop);
  const int64_t start = monotonic_ms();
  loop->timers().set(alarm, start + 100);
  loop->run();
  EXPECT_GE(monotonic_ms(), start + 100);
}

}  // namespace
}  // namespace sluice::net
