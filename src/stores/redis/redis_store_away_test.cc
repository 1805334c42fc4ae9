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

// Asks until the server counts as away, for the reason it gave.
bool comes_to_be_away(StoreOnLoop& store, const std::vector<Take>& takes, const std::string& why) {
  return wait_until([&] {
    EXPECT_EQ(store.take(takes).progress, Progress::kUnavailable);
    const redis::Status status = store.client().client().status();
    return !status.is_available && status.why.find("the server says " + why) != std::string::npos;
  });
}

TEST(RedisStoreAway, AServerThatDoesNotLetUsHaveTheBucketsIsAwayUntilItDoes) {
  Server server;
  server.ask({"ACL", "SETUSER", "u", "on", ">p", "+@all", "~elsewhere*", "&*"});
  StoreOnLoop store("redis://u:p@" + server.address());
  ASSERT_TRUE(store.comes_up());
  EXPECT_TRUE(comes_to_be_away(store, {{"a", &kTen}}, "NOPERM"));
  const Asked& next = store.take({{"a", &kTen}});
  EXPECT_LT(next.took(), milliseconds(50) + kSlack);
  server.ask({"ACL", "SETUSER", "u", "~*"});
  EXPECT_TRUE(wait_until([&] { return store.take({{"a", &kTen}}).is_allowed(); }, milliseconds(5'000)));
  EXPECT_TRUE(wait_until([&] {
    store.take({{"a", &kTen}});
    return store.client().client().status().is_available;
  }));
}

TEST(RedisStoreAway, ANodeOfAClusterThatIsTakenForAServerOfItsOwnIsAway) {
  Server node({"--cluster-enabled", "yes"});
  node.ask({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  ASSERT_TRUE(wait_until([&] { return node.ask({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos; }));
  StoreOnLoop store(node.url());
  ASSERT_TRUE(store.comes_up());
  EXPECT_TRUE(comes_to_be_away(store, {{"a", &kTen}, {"b", &kTen}}, "CROSSSLOT"));
}

TEST(RedisStoreAway, ForgettingTheScriptIsNoReasonToBeAway) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  for (int i = 0; i < 20; ++i) {
    server.ask({"SCRIPT", "FLUSH"});
    EXPECT_TRUE(store.take({{"k" + std::to_string(i), &kTen}}).is_allowed());
  }
  EXPECT_EQ(store.client().client().counts().lost.value(), 0U);
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
