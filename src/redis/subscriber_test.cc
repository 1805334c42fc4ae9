#include "redis/subscriber.h"

#include <gmock/gmock.h>

#include <mutex>

#include "redis/client_testing.h"
#include "redis_servers/cluster.h"
#include "redis_servers/server.h"

namespace sluice::redis {
namespace {

using redis_testing::Cluster;
using redis_testing::Server;

class Listening final : public ChannelListener {
 public:
  Listening(ClientOnLoop& client, const std::string& channel) : client_(client) {
    client_.on_loop([&] { subscriber_ = std::make_unique<Subscriber>(client_.client(), channel, *this); });
  }
  ~Listening() {
    client_.on_loop([&] { subscriber_.reset(); });
  }

  bool comes_to(bool live) {
    return wait_until([&] { return is_live == live; });
  }
  bool hears(const std::string& message) {
    return wait_until([&] {
      const std::lock_guard lock(mutex_);
      return last_ == message;
    });
  }

  std::atomic<bool> is_live{false};

 private:
  void on_message(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    last_ = message;
  }
  void on_live(bool live) override { is_live = live; }

  ClientOnLoop& client_;
  std::mutex mutex_;
  std::string last_;
  std::unique_ptr<Subscriber> subscriber_;
};

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

TEST(Subscriber, InAClusterAnyNodeWillDo) {
  Cluster cluster(Cluster::Replicas::kNone);
  ClientOnLoop client(cluster.url());
  Listening listening(client, "news");
  ASSERT_TRUE(listening.comes_to(true));
  for (size_t i = 0; i < cluster.size(); ++i) {
    const std::string message = "from " + std::to_string(i);
    cluster.node(i).ask({"PUBLISH", "news", message});
    EXPECT_TRUE(listening.hears(message));
  }
}

}  // namespace
}  // namespace sluice::redis
