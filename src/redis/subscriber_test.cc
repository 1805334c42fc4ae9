#include "redis/subscriber.h"

#include <gmock/gmock.h>

#include "redis/client_testing.h"
#include "redis/subscriber_testing.h"
#include "redis_servers/server.h"

namespace sluice::redis {
namespace {

using redis_testing::Server;

TEST(Subscriber, HearsWhatIsPublishedAndComesBack) {
  Server server;
  ClientOnLoop client(server.url());
  Listening listening(client, "news");
  ASSERT_TRUE(listening.comes_to(true));
  EXPECT_EQ(client.ask({"PUBLISH", "news", "first"}), "1");
  EXPECT_TRUE(listening.hears("first"));
  server.kill();
  EXPECT_TRUE(listening.comes_to(false));
  server.start();
  ASSERT_TRUE(listening.comes_to(true));
  server.ask({"PUBLISH", "news", "second"});
  EXPECT_TRUE(listening.hears("second"));
}

TEST(Subscriber, SaysWhyItHearsNothing) {
  Server server;
  server.ask({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "+@all", "-subscribe"});
  ClientOnLoop client("redis://deaf:pw@" + server.address());
  Listening listening(client, "news");
  EXPECT_TRUE(wait_until([&] { return listening.why().find("refuses the channel: 'NOPERM") != std::string::npos; }));
}

TEST(Subscriber, ASilentServerIsNoticed) {
  Server server;
  ClientOnLoop client(server.url());
  Listening listening(client, "news");
  ASSERT_TRUE(listening.comes_to(true));
  server.freeze();
  EXPECT_TRUE(listening.comes_to(false));
  server.thaw();
  EXPECT_TRUE(listening.comes_to(true));
}

}  // namespace
}  // namespace sluice::redis
