#include "stores/redis/peers.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "redis/client_testing.h"
#include "redis_servers/server.h"

namespace sluice::redis_store {
namespace {

using redis_testing::Server;
using redis_testing::wait_until;
using std::chrono::milliseconds;

class ServerOfAFleet {
 public:
  ServerOfAFleet(const Server& redis, const std::string& name) : client_(redis.url()) {
    client_.on_loop([&] {
      peers_ = std::make_unique<Peers>(client_.loop(), client_.client(), "test", name);
      peers_->start();
    });
  }
  ~ServerOfAFleet() {
    client_.on_loop([&] {
      client_.client().close();
      peers_.reset();
    });
  }

  void leave() {
    client_.on_loop([&] { peers_->leave(); });
  }
  bool comes_to_leave() {
    return wait_until([&] { return peers_->has_left(); });
  }
  bool comes_to_count(uint32_t count) {
    return wait_until([&] { return peers_->count() == count; }, milliseconds(60'000));
  }
  uint32_t count() const { return peers_->count(); }

 private:
  redis::ClientOnLoop client_;
  std::unique_ptr<Peers> peers_;
};

TEST(Peers, ServersThatShareAStoreKnowHowManyTheyAre) {
  Server redis;
  ServerOfAFleet first(redis, "first");
  EXPECT_EQ(first.count(), 1U);
  {
    ServerOfAFleet second(redis, "second"), third(redis, "third");
    EXPECT_TRUE(first.comes_to_count(3));
    EXPECT_TRUE(second.comes_to_count(3));
  }
  EXPECT_TRUE(first.comes_to_count(1)) << "those that have ended are forgotten";
}

TEST(Peers, OneThatWasHeardOfLessThanFiveSecondsAgoIsCounted) {
  Server redis;
  const std::string time = redis.ask({"TIME"});
  const int64_t now_ms = std::stoll(time) * 1000;
  redis.ask({"ZADD", "test{}servers", std::to_string(now_ms - 60'000), "long gone"});
  redis.ask({"ZADD", "test{}servers", std::to_string(now_ms + 60'000), "there"});
  ServerOfAFleet first(redis, "first");
  EXPECT_TRUE(first.comes_to_count(2));
  EXPECT_EQ(redis.ask({"ZCARD", "test{}servers"}), "2");
}

TEST(Peers, AServerThatStopsIsCountedNoMore) {
  Server redis;
  ServerOfAFleet first(redis, "first"), second(redis, "second");
  ASSERT_TRUE(first.comes_to_count(2) && second.comes_to_count(2));
  second.leave();
  EXPECT_TRUE(second.comes_to_leave());
  EXPECT_EQ(redis.ask({"ZCARD", "test{}servers"}), "1");
  EXPECT_FALSE(wait_until([&] { return redis.ask({"ZCARD", "test{}servers"}) != "1"; }, milliseconds(1'500)));
}

TEST(Peers, ARedisThatForgotAllServersDoesNotMakeThemFewerAtOnce) {
  Server redis;
  ServerOfAFleet first(redis, "first");
  ASSERT_TRUE(first.comes_to_count(1));
  const int64_t now_ms = std::stoll(redis.ask({"TIME"})) * 1000;
  redis.ask({"ZADD", "test{}servers", std::to_string(now_ms + 60'000), "second"});
  ASSERT_TRUE(first.comes_to_count(2));
  redis.ask({"FLUSHALL"});
  EXPECT_FALSE(wait_until([&] { return first.count() != 2; }, milliseconds(2'500)));
  EXPECT_TRUE(first.comes_to_count(1));
}

TEST(Peers, TheLastCountHoldsWhileRedisIsAway) {
  Server redis;
  ServerOfAFleet first(redis, "first"), second(redis, "second");
  ASSERT_TRUE(first.comes_to_count(2));
  redis.kill();
  EXPECT_FALSE(wait_until([&] { return first.count() != 2; }, milliseconds(2'500)));
  redis.start();
  EXPECT_TRUE(first.comes_to_count(2));
}

}  // namespace
}  // namespace sluice::redis_store
