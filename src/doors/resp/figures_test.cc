// What a RESP connection leaves in the figures of its loop.
#include <gtest/gtest.h>

#include <map>

#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

// By key: how often it was decided, and how often rejected.
std::map<std::string, std::pair<int, int>> fed(SessionUnderTest& test) {
  std::map<std::string, std::pair<int, int>> keys;
  test.desk.figures.keys.drain(1000, [&](const telemetry::FedKey& key) {
    auto& [decided, rejected] = keys[std::string(key.name.bytes)];
    decided += static_cast<int>(key.weight);
    rejected += key.is_rejected ? static_cast<int>(key.weight) : 0;
  });
  return keys;
}

TEST(RespFigures, APipelineIsMeasuredOnceAndCountedByItsCommands) {
  SessionUnderTest test;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += command({"CL.THROTTLE", "k", "5", "1", "3600"});
  test.send(bytes);
  EXPECT_EQ(test.time.readings, 2);
  EXPECT_EQ(test.desk.figures.resp.values().count(), 100U);
  EXPECT_EQ(test.desk.figures.http.values().count(), 0U);
}

TEST(RespFigures, WhatNeedsNoTimeIsNotMeasured) {
  SessionUnderTest test;
  test.ask({"PING"});
  EXPECT_EQ(test.time.readings, 0);
  EXPECT_EQ(test.desk.figures.resp.values().count(), 0U);
}

TEST(RespFigures, EveryKeyThatWasTakenFromIsHandedOn) {
  SessionUnderTest test;
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += command({"CL.THROTTLE", "loud", "1", "1", "3600"});
  bytes += command({"CL.THROTTLE", "quiet", "1", "1", "3600"});
  bytes += command({"SLUICE.CHECK", "KEY", "named", "RATE", "1", "BURST", "1"});
  test.send(bytes);
  const std::map<std::string, std::pair<int, int>> expected{{"loud", {5, 3}}, {"quiet", {1, 0}}, {"named", {1, 0}}};
  EXPECT_EQ(fed(test), expected);
}

TEST(RespFigures, InfoCountsWhatEveryLoopDecidedAtEveryDoor) {
  SessionUnderTest test;
  test.ask({"CL.THROTTLE", "k", "0", "1", "3600"});
  {
    LoopDesk other_loop(test.limiter, test.time);
    SessionMaker maker(other_loop, {});
    net::Output output;
    maker.make(test.peer)->on_bytes(command({"CL.THROTTLE", "k", "0", "1", "3600"}), output);
    limiter::PlainCheck check;
    other_loop.worker.decide(check, rules::Request(), {test.time.now, 0});
    EXPECT_NE(test.ask({"INFO"}).find("\r\nallowed:2\r\nrejected:1\r\n"), std::string::npos);
  }
  EXPECT_NE(test.ask({"INFO"}).find("\r\nallowed:2\r\nrejected:1\r\n"), std::string::npos);
}

TEST(RespFigures, WhoOnlyLooksIsNotCounted) {
  SessionUnderTest test;
  test.ask({"CL.THROTTLE", "k", "1", "1", "3600", "0"});
  test.ask({"SLUICE.PEEK", "KEY", "k", "RATE", "1", "BURST", "1"});
  EXPECT_TRUE(fed(test).empty());
}

}  // namespace
}  // namespace sluice::doors::resp
