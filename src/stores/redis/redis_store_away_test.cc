// The store when Redis is silent, dead, or not what it should be, and at its own end.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "redis_servers/fake_server.h"
#include "redis_servers/server.h"
#include "stores/redis/store_on_loop_testing.h"

namespace sluice::redis_store {
namespace {

using redis_testing::FakeServer;
using redis_testing::Server;
using std::chrono::milliseconds;
using stores::Progress;

// What a busy machine may add.
constexpr milliseconds kSlack{300};

TEST(RedisStoreAway, ASilentServerCostsItsTimeOutAndThenNothing) {
  Server server;
  redis::Options options = StoreOnLoop::patient(server.url());
  options.request_ms = 100;
  StoreOnLoop store(options);
  ASSERT_TRUE(store.comes_up());
  server.freeze();
  const auto is_told_at_once = [&] {
    const Asked& one = store.take({{"a", &kTen}});
    EXPECT_EQ(one.progress, Progress::kUnavailable);
    EXPECT_LT(one.took(), milliseconds(100) + kSlack);
    return one.took() < milliseconds(50);
  };
  ASSERT_FALSE(is_told_at_once());
  EXPECT_TRUE(wait_until(is_told_at_once));
  server.thaw();
  EXPECT_TRUE(wait_until([&] { return store.take({{"b", &kTen}}).is_allowed(); }, milliseconds(5'000)));
}

TEST(RedisStoreAway, WhatIsGatheredDoesNotWaitForLongForWhatIsUnderWay) {
  Server server;
  redis::Options options = StoreOnLoop::patient(server.url());
  options.request_ms = 20'000;
  StoreOnLoop store(options);
  ASSERT_TRUE(store.comes_up());
  const auto sent = [&] { return store.client().client().counts().sent.value(); };
  server.freeze();
  const uint64_t before = sent();
  std::deque<Asked> first = takes_of(1, "first"), next = takes_of(3, "next");
  store.send(first);
  store.send(next);
  EXPECT_TRUE(wait_until([&] { return sent() == before + 2; }));
  EXPECT_FALSE(first[0].is_told);
  server.thaw();
  store.await(first);
  store.await(next);
  for (const Asked& one : next) EXPECT_TRUE(one.is_allowed());
}

TEST(RedisStoreAway, IsUnavailableWhileRedisIsDeadAndAnswersWhenItIsBack) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  EXPECT_TRUE(store.take({{"a", &kTen}}).is_allowed());
  server.kill();
  EXPECT_TRUE(wait_until([&] {
    const Asked& one = store.take({{"a", &kTen}});
    return one.progress == Progress::kUnavailable && one.took() < milliseconds(50);
  }));
  server.start();
  EXPECT_TRUE(wait_until([&] { return store.take({{"a", &kTen}}).is_allowed(); }, milliseconds(5'000)));
}

TEST(RedisStoreAway, AnswersThatTheScriptCannotHaveGivenAreNone) {
  const std::string greeting = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n+PONG\r\n";
  for (const std::string nonsense : {"$5\r\nhello\r\n", ":7\r\n", "-ERR no\r\n", "*0\r\n", "$-1\r\n",
                                     "$24\r\nxxxxxxxxxxxxxxxxxxxxxxxx\r\n", "-NOSCRIPT no\r\n", "!\r\n"}) {
    FakeServer server({greeting, nonsense, nonsense});
    // Without the script, which would come in many pieces: each is answered.
    StoreOnLoop store(redis::ClientOnLoop::patient(server.url()));
    ASSERT_TRUE(store.comes_up()) << store.client().client().status().why;
    EXPECT_EQ(store.take({{"a", &kTen}}).progress, Progress::kUnavailable) << nonsense;
  }
}

TEST(RedisStoreAway, WhenItClosesEverybodyIsTold) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  server.freeze();
  std::deque<Asked> sent = takes_of(300, "sent"), open = takes_of(300, "open");
  store.send(sent);
  store.client().on_loop([&] {
    for (Asked& one : open) store.ask_now(one);
    store.store().close();
  });
  for (const Asked& one : sent) EXPECT_TRUE(one.is_told && one.progress == Progress::kUnavailable);
  for (const Asked& one : open) EXPECT_TRUE(one.is_told && one.progress == Progress::kUnavailable);
  EXPECT_EQ(store.take({{"a", &kTen}}).progress, Progress::kUnavailable);
  server.thaw();
}

}  // namespace
}  // namespace sluice::redis_store
