#include "net/timer_wheel.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace sluice::net {
namespace {

class Alarm final : public Timer {
 public:
  std::vector<int64_t> rang;
  std::function<void()> then;

 private:
  void on_time(int64_t now_ms) override {
    rang.push_back(now_ms);
    if (then) then();
  }
};

TEST(TimerWheel, CallsNobodyBeforeTheTime) {
  TimerWheel wheel(1'000);
  Alarm alarm;
  wheel.set(alarm, 1'500);
  wheel.advance(1'499);
  EXPECT_TRUE(alarm.rang.empty());
  wheel.advance(1'500 + TimerWheel::kTickMs);
  EXPECT_EQ(alarm.rang.size(), 1U);
  EXPECT_FALSE(alarm.is_set());
}

TEST(TimerWheel, KeepsTimesBeyondOneTurn) {
  constexpr int64_t kTurn = TimerWheel::kTickMs * static_cast<int64_t>(TimerWheel::kSlots);
  TimerWheel wheel(0);
  Alarm alarm;
  wheel.set(alarm, 3 * kTurn);
  for (int64_t now = 0; now < 3 * kTurn; now += 100) wheel.advance(now);
  EXPECT_TRUE(alarm.rang.empty());
  wheel.advance(3 * kTurn + TimerWheel::kTickMs);
  EXPECT_EQ(alarm.rang.size(), 1U);
}

TEST(TimerWheel, AfterALongSleepCallsAllThatWereDue) {
  TimerWheel wheel(0);
  Alarm early;
  Alarm late;
  wheel.set(early, 10);
  wheel.set(late, 20'000);
  wheel.advance(10'000'000);
  EXPECT_EQ(early.rang.size(), 1U);
  EXPECT_EQ(late.rang.size(), 1U);
}

TEST(TimerWheel, ACancelledOrDestroyedTimerIsNotCalled) {
  TimerWheel wheel(0);
  Alarm cancelled;
  wheel.set(cancelled, 100);
  wheel.cancel(cancelled);
  {
    Alarm destroyed;
    wheel.set(destroyed, 100);
  }
  wheel.advance(1'000);
  EXPECT_TRUE(cancelled.rang.empty());
  EXPECT_EQ(wheel.idle_ms(1'000), -1);
}

TEST(TimerWheel, OneThatIsCalledMayTakeOthersBackAndSetItselfAgain) {
  TimerWheel wheel(0);
  Alarm first;
  Alarm second;
  first.then = [&] {
    wheel.cancel(second);
    wheel.set(first, 5'000);
  };
  wheel.set(first, 100);
  wheel.set(second, 100);
  wheel.advance(200);
  EXPECT_EQ(first.rang.size(), 1U);
  EXPECT_TRUE(second.rang.empty());
  EXPECT_TRUE(first.is_set());
}

TEST(TimerWheel, AnEarlierOneThatIsSetLaterIsNotSleptPast) {
  TimerWheel wheel(0);
  Alarm late;
  Alarm early;
  wheel.set(late, 10'000);
  EXPECT_GT(wheel.idle_ms(0), 9'000);
  wheel.set(early, 1'000);
  EXPECT_LE(wheel.idle_ms(0), 1'000 + TimerWheel::kTickMs);
  wheel.cancel(early);
  EXPECT_GT(wheel.idle_ms(0), 9'000);
}

TEST(TimerWheel, NeverSleepsPastATimer) {
  std::mt19937_64 random(7);
  TimerWheel wheel(0);
  std::deque<Alarm> alarms(200);
  std::vector<int64_t> due;
  for (Alarm& alarm : alarms) {
    due.push_back(static_cast<int64_t>(random() % 100'000));
    wheel.set(alarm, due.back());
  }
  int64_t now = 0;
  for (int64_t wait = 0; (wait = wheel.idle_ms(now)) >= 0;) {
    now += std::max<int64_t>(wait, 1);
    wheel.advance(now);
  }
  for (size_t i = 0; i < alarms.size(); ++i) {
    ASSERT_EQ(alarms[i].rang.size(), 1U);
    EXPECT_GE(alarms[i].rang[0], due[i]);
    EXPECT_LE(alarms[i].rang[0], due[i] + 2 * TimerWheel::kTickMs);
  }
}

}  // namespace
}  // namespace sluice::net
