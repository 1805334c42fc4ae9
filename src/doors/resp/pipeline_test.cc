// Many commands in one read: the order of replies, the clock, back-pressure, and what none of it may cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string throttle(const std::string& key, const std::string& burst = "999") {
  return command({"CL.THROTTLE", key, burst, "1", "1"});
}

// Every kind of command, with limits that push one another out of the cache, and keys that come again.
std::string mixture() {
  std::string bytes;
  for (int i = 0; i < 400; ++i) {
    bytes += throttle("k" + std::to_string(i % 7), std::to_string(5 + i * 37 % 211));
    if (i % 5 == 0) bytes += command({"ECHO", std::to_string(i)});
    if (i % 11 == 0) bytes += command({"THROTTLE", "k1", "9", "1", "1", "2"});
    if (i % 13 == 0) bytes += command({"CL.THROTTLE", "k2", "9", "1", "1", "0"});
    if (i % 17 == 0) bytes += command({"CL.THROTTLE", "k3", "x", "1", "1"});
    if (i % 19 == 0) bytes += "CL.THROTTLE \"k4\" 9 1 1\r\n\r\n*0\r\n";
    if (i % 23 == 0) bytes += command({"SLUICE.CHECK", "KEY", "k5", "RATE", "0.5", "BURST", "40.5"});
    if (i % 29 == 0) bytes += command({"HELLO", i % 2 == 0 ? "3" : "2"});
    if (i % 31 == 0) bytes += command({"NONE"});
    if (i % 37 == 0) bytes += command({"THROTTLE", "k"});
  }
  return bytes;
}

TEST(Pipeline, RepliesAreTheSameAndInOrderHoweverTheBytesCome) {
  const std::string bytes = mixture();
  SessionUnderTest whole;
  const std::string expected = whole.send(bytes);
  EXPECT_TRUE(whole.waiting.empty());
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{64}, size_t{1000}}) {
    SessionUnderTest test;
    std::string got;
    for (size_t at = 0; at < bytes.size(); at += piece) got += test.send(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(got, expected) << piece;
  }
}

TEST(Pipeline, OneKeyManyTimesIsTakenFromInOrder) {
  SessionUnderTest test;
  std::string bytes;
  std::string expected;
  for (int i = 1; i <= 100; ++i) {
    bytes += throttle("k");
    expected += "*5\r\n:0\r\n:1000\r\n:" + std::to_string(1000 - i) + "\r\n:-1\r\n:" + std::to_string(i) + "\r\n";
  }
  EXPECT_EQ(test.send(bytes), expected);
}

TEST(Pipeline, TheClockIsReadOnceForAllThatCameTogetherAndOnceBehind) {
  SessionUnderTest test;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += throttle("k" + std::to_string(i)) + command({"SLUICE.CHECK", "PATH", "/"});
  test.send(bytes);
  EXPECT_EQ(test.time.readings, 2);
  test.send(command({"PING"}));
  EXPECT_EQ(test.time.readings, 2);
}

TEST(Pipeline, StopsWhenTheOutputIsFullAndGoesOnWhenItWasSent) {
  const size_t most = net::Output::kHighWater;
  SessionUnderTest test;
  std::string bytes;
  constexpr int kCommands = 20'000;
  for (int i = 0; i < kCommands; ++i) bytes += command({"ECHO", "0123456789012345678901234567890123456789"});
  size_t calls = 0;
  size_t answered = 0;
  std::string_view rest = bytes;
  net::Output output;
  while (!rest.empty()) {
    rest.remove_prefix(test.session->on_bytes(rest, output).bytes);
    ASSERT_LT(output.size(), most + 100);
    answered += output.size();
    output.clear();
    ASSERT_LT(++calls, 100u);
  }
  EXPECT_EQ(answered, kCommands * 47u);
  EXPECT_GE(calls, kCommands * 47 / most);
  // One that is full already takes nothing.
  output.append(std::string(most, 'x'));
  EXPECT_EQ(test.session->on_bytes(command({"PING"}), output).bytes, 0u);
}

TEST(Pipeline, WhatIsHereIsAnsweredWhileTheRestIsOnItsWay) {
  SessionUnderTest test;
  const std::string next = throttle("b");
  EXPECT_THAT(test.send(throttle("a") + next.substr(0, 30)), StartsWith("*5\r\n:0\r\n"));
  EXPECT_EQ(test.waiting, next.substr(0, 30));
  EXPECT_THAT(test.send(next.substr(30)), StartsWith("*5\r\n:0\r\n"));
}

TEST(Pipeline, LimitsThatShareAPlaceInTheCacheAreNotMixedUp) {
  SessionUnderTest test;
  for (int round = 0; round < 3; ++round) {
    std::string bytes;
    std::string expected;
    for (int i = 0; i < 1000; ++i) {
      bytes += throttle("r" + std::to_string(round) + "-" + std::to_string(i), std::to_string(i));
      expected += "*5\r\n:0\r\n:" + std::to_string(i + 1) + "\r\n:" + std::to_string(i) + "\r\n:-1\r\n:1\r\n";
    }
    EXPECT_EQ(test.send(bytes), expected);
  }
}

TEST(Pipeline, AllocatesNothingOnceItIsWarm) {
  SessionUnderTest test;
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += throttle("k" + std::to_string(i % 50));
  net::Output output;
  for (int i = 0; i < 2; ++i) {
    test.session->on_bytes(bytes, output);
    output.clear();
  }
  const auto before = sluice::testing::allocations();
  test.session->on_bytes(bytes, output);
  EXPECT_EQ(sluice::testing::allocations(), before);
  EXPECT_GT(output.size(), 200 * 20u);
}

// Is away whenever it is asked.
class NoStore final : public stores::Store {
  stores::Progress ask(stores::Ask&) override { return stores::Progress::kUnavailable; }
};

// Nothing says what to do with a bucket that has no rule: it passes, as by default. What is left nobody knows.
TEST(Pipeline, WhileTheStoreIsAwayBucketsWithoutRulesPass) {
  NoStore store;
  SessionUnderTest test({}, &store);
  const std::string passes = "*5\r\n:0\r\n:1000\r\n:0\r\n:-1\r\n:0\r\n";
  EXPECT_EQ(test.send(throttle("a") + throttle("b") + command({"PING"})), passes + passes + "+PONG\r\n");
  EXPECT_EQ(test.limiter.degraded_counts().allowed, 2U);
  EXPECT_EQ(test.ask({"CL.THROTTLE", "a", "1", "1", "1", "0"}), "*5\r\n:0\r\n:2\r\n:0\r\n:-1\r\n:0\r\n");
  EXPECT_THAT(test.ask({"SLUICE.CHECK", "KEY", "a", "RATE", "1", "BURST", "1"}), HasSubstr("degraded\r\n:1\r\n"));
}

TEST(Pipeline, WhileTheStoreIsAwayWhatCanNeverPassDoesNot) {
  NoStore store;
  SessionUnderTest test({}, &store);
  EXPECT_EQ(test.ask({"CL.THROTTLE", "a", "4", "30", "60", "9"}), "*5\r\n:1\r\n:5\r\n:0\r\n:-1\r\n:0\r\n");
  EXPECT_THAT(test.ask({"SLUICE.CHECK", "KEY", "a", "RATE", "1", "BURST", "5", "COST", "9"}),
              HasSubstr("cost_exceeds_capacity"));
}

}  // namespace
}  // namespace sluice::doors::resp
