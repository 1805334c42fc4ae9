#include <gmock/gmock.h>

#include "redis/client.h"
#include "redis/client_testing.h"
#include "redis_servers/sentinels.h"

namespace sluice::redis {
namespace {

using redis_testing::Sentinels;
using redis_testing::Server;

class Sentinel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { sentinels_ = new Sentinels(); }
  static void TearDownTestSuite() { delete sentinels_; }

  static bool comes_to_ask(ClientOnLoop& client, const Server& server) {
    return wait_until([&] {
      const Status status = client.client().status();
      return status.connections_up == 1 && to_text(status.servers.at(0).address) == server.address();
    });
  }

  static inline Sentinels* sentinels_ = nullptr;
};

TEST_F(Sentinel, AnUnknownMasterIsToldClearly) {
  std::string url = sentinels_->url();
  ClientOnLoop client(url.replace(url.rfind("main"), 4, "other"));
  EXPECT_TRUE(client.comes_to_complain_of("does not know the master 'other'"));
  EXPECT_EQ(client.ask({"GET", "k"}), "refused");
}

TEST_F(Sentinel, ASentinelThatIsAwayIsPassedOver) {
  std::string url = sentinels_->url();
  ClientOnLoop client(url.insert(url.find("127."), "127.0.0.1:1,"));
  ASSERT_TRUE(client.comes_up());
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
}

TEST_F(Sentinel, TheMasterIsFollowedWhenItStepsDown) {
  ClientOnLoop client(sentinels_->url());
  ASSERT_TRUE(comes_to_ask(client, sentinels_->server(0)));
  sentinels_->fail_over();
  ASSERT_TRUE(comes_to_ask(client, sentinels_->server(1)));
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "w"}));
  EXPECT_EQ(sentinels_->server(1).ask({"GET", "k"}), "w");
}

// With sentinels of its own: after one failover they take their time before the next.
TEST(SentinelFailover, TheMasterIsFollowedWhenItIsKilled) {
  Sentinels sentinels;
  ClientOnLoop client(sentinels.url());
  ASSERT_TRUE(client.comes_up());
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
  EXPECT_EQ(sentinels.server(0).ask({"WAIT", "1", "1000"}), "1");
  sentinels.server(0).kill();
  EXPECT_TRUE(client.comes_to_say("v", {"GET", "k"}));
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "w"}));
  EXPECT_EQ(sentinels.server(1).ask({"GET", "k"}), "w");
}

}  // namespace
}  // namespace sluice::redis
