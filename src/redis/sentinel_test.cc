#include <gmock/gmock.h>

#include "redis/client.h"
#include "redis/client_testing.h"
#include "redis_servers/sentinels.h"

namespace sluice::redis {
namespace {

using redis_testing::Sentinels;
using redis_testing::Server;

TEST(Sentinel, TheMasterIsFollowedWhenItIsKilled) {
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

TEST(Sentinel, TheMasterIsFollowedWhenItStepsDown) {
  Sentinels sentinels;
  // The first one is not there: the next is asked.
  std::string url = sentinels.url();
  url.insert(url.find("127."), "127.0.0.1:1,");
  ClientOnLoop client(url);
  ASSERT_TRUE(client.comes_up());
  EXPECT_EQ(client.ask({"SET", "k", "v"}), "OK");
  sentinels.fail_over();
  ASSERT_TRUE(wait_until([&] { return sentinels.master() == sentinels.server(1).address(); }));
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "w"}));
  EXPECT_EQ(sentinels.server(1).ask({"GET", "k"}), "w");
  EXPECT_EQ(to_text(client.client().status().servers.at(0).address), sentinels.server(1).address());
}

TEST(Sentinel, AnUnknownMasterIsToldClearly) {
  Sentinels sentinels;
  std::string url = sentinels.url();
  ClientOnLoop client(url.replace(url.rfind("main"), 4, "other"));
  EXPECT_TRUE(client.comes_to_complain_of("does not know the master 'other'"));
  EXPECT_EQ(client.ask({"GET", "k"}), "refused");
}

}  // namespace
}  // namespace sluice::redis
