#include "redis_servers/cluster.h"

#include <gmock/gmock.h>

#include "redis/client.h"
#include "redis/client_testing.h"
#include "redis/subscriber_testing.h"

namespace sluice::redis {
namespace {

using redis_testing::Cluster;
using redis_testing::Server;

class ThreeMasters : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new Cluster(Cluster::Replicas::kNone); }
  static void TearDownTestSuite() { delete cluster_; }

  // A master other than this one.
  static Server& other_than(const Server& server) {
    return cluster_->node(cluster_->node(0).port() == server.port() ? 1 : 0);
  }
  static void begin_migration(uint16_t slot, Server& from, Server& to) {
    const std::string number = std::to_string(slot);
    to.ask({"CLUSTER", "SETSLOT", number, "IMPORTING", cluster_->id_of(from)});
    from.ask({"CLUSTER", "SETSLOT", number, "MIGRATING", cluster_->id_of(to)});
  }
  static void move_key(const std::string& key, Server& from, Server& to) {
    EXPECT_EQ(from.ask({"MIGRATE", "127.0.0.1", std::to_string(to.port()), key, "0", "1000"}), "OK");
  }
  static void end_migration(uint16_t slot, Server& to) {
    for (size_t i = 0; i < cluster_->size(); ++i) {
      cluster_->node(i).ask({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", cluster_->id_of(to)});
    }
  }

  static inline Cluster* cluster_ = nullptr;
};

TEST_F(ThreeMasters, EachKeyGoesWhereItsSlotIs) {
  ClientOnLoop client(cluster_->url());
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(client.ask({"SET", "key" + std::to_string(i), std::to_string(i)}), "OK");
  }
  EXPECT_EQ(client.client().status().connections_up, 3U);
  const uint64_t redirected = client.client().counts().redirected.value();
  for (int i = 0; i < 300; ++i) EXPECT_EQ(client.ask({"GET", "key" + std::to_string(i)}), std::to_string(i));
  EXPECT_EQ(client.client().counts().redirected.value(), redirected) << "the map is known by now";
}

TEST_F(ThreeMasters, AMovedSlotIsFollowedAndRemembered) {
  ClientOnLoop client(cluster_->url());
  const uint16_t slot = slot_of("{moving}");
  ASSERT_TRUE(wait_until([&] { return client.client().status().connections_up == 3; }));
  EXPECT_EQ(client.ask({"SET", "{moving}k", "v"}), "OK");
  Server& from = cluster_->owner_of(slot);
  Server& to = other_than(from);
  begin_migration(slot, from, to);
  move_key("{moving}k", from, to);
  end_migration(slot, to);
  const uint64_t before = client.client().counts().redirected.value();
  EXPECT_EQ(client.ask({"GET", "{moving}k"}), "v");
  EXPECT_EQ(client.client().counts().redirected.value(), before + 1);
  EXPECT_EQ(client.ask({"GET", "{moving}k"}), "v");
  EXPECT_EQ(client.client().counts().redirected.value(), before + 1);
}

TEST_F(ThreeMasters, DuringAMigrationBothNodesAreAsked) {
  ClientOnLoop client(cluster_->url());
  const uint16_t slot = slot_of("{asking}");
  EXPECT_EQ(client.ask({"SET", "{asking}old", "1"}), "OK");
  EXPECT_EQ(client.ask({"SET", "{asking}gone", "2"}), "OK");
  Server& from = cluster_->owner_of(slot);
  Server& to = other_than(from);
  begin_migration(slot, from, to);
  move_key("{asking}gone", from, to);
  // In one pipeline: those sent on do not disturb those that stay.
  Question old({"GET", "{asking}old"}), gone({"GET", "{asking}gone"}), fresh({"SET", "{asking}new", "3"});
  Question there({"INCR", "{asking}gone"}), here({"INCR", "{asking}old"});
  client.send({&old, &gone, &fresh, &there, &here});
  for (Question* const question : {&old, &gone, &fresh, &there, &here}) {
    ASSERT_TRUE(wait_until([&] { return question->is_told.load(); }));
  }
  EXPECT_EQ(old.answer, "1");
  EXPECT_EQ(gone.answer, "2");
  EXPECT_EQ(fresh.answer, "OK");
  EXPECT_EQ(there.answer, "3");
  EXPECT_EQ(here.answer, "2");
  EXPECT_EQ(to.ask({"CLUSTER", "COUNTKEYSINSLOT", std::to_string(slot)}), "2");
  move_key("{asking}old", from, to);
  end_migration(slot, to);
  EXPECT_EQ(client.ask({"GET", "{asking}old"}), "2");
}

TEST_F(ThreeMasters, KeysThatAreHalfWayAreAskedForAgain) {
  Options options = ClientOnLoop::patient(cluster_->url());
  options.request_ms = 3000;
  ClientOnLoop client(options);
  const uint16_t slot = slot_of("{half}");
  EXPECT_EQ(client.ask({"MSET", "{half}a", "1", "{half}b", "2"}), "OK");
  Server& from = cluster_->owner_of(slot);
  Server& to = other_than(from);
  begin_migration(slot, from, to);
  move_key("{half}a", from, to);
  Question both({"MGET", "{half}a", "{half}b"});
  client.send({&both});
  EXPECT_TRUE(wait_until([&] { return client.client().counts().retried.value() > 0; }));
  EXPECT_FALSE(both.is_told);
  move_key("{half}b", from, to);
  end_migration(slot, to);
  EXPECT_TRUE(wait_until([&] { return both.is_told.load(); }));
  EXPECT_EQ(both.answer, "[1 2]");
}

TEST_F(ThreeMasters, AnyNodeTellsWhatIsPublishedAtAnother) {
  ClientOnLoop client(cluster_->url());
  Listening listening(client, "news");
  ASSERT_TRUE(listening.comes_to(true));
  for (size_t i = 0; i < cluster_->size(); ++i) {
    const std::string message = "from " + std::to_string(i);
    cluster_->node(i).ask({"PUBLISH", "news", message});
    EXPECT_TRUE(listening.hears(message));
  }
}

TEST(NoCluster, IsToldClearly) {
  Server server;
  ClientOnLoop client("redis+cluster://" + server.address());
  EXPECT_TRUE(client.comes_to_complain_of("does not know a Cluster: ERR This instance has cluster support disabled"));
  EXPECT_FALSE(client.client().status().is_available);
  EXPECT_EQ(client.ask({"GET", "k"}), "refused");
}

TEST(ClusterFailover, APromotedReplicaIsFollowed) {
  Cluster cluster(Cluster::Replicas::kOne);
  ClientOnLoop client(cluster.url());
  ASSERT_TRUE(wait_until([&] { return client.client().status().connections_up >= 3; }));
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "v"}));
  Server& master = cluster.owner_of(slot_of("k"));
  ASSERT_TRUE(wait_until([&] { return master.ask({"WAIT", "1", "1000"}) == "1"; }));
  master.kill();
  EXPECT_TRUE(client.comes_to_say("v", {"GET", "k"}));
  // And back again, without waiting for the others' consent.
  Server& promoted = cluster.owner_of(slot_of("k"));
  master.start();
  ASSERT_TRUE(wait_until([&] { return master.info("master_link_status") == "up"; }));
  EXPECT_EQ(master.ask({"CLUSTER", "FAILOVER", "TAKEOVER"}), "OK");
  ASSERT_TRUE(wait_until([&] { return promoted.info("role") == "slave"; }));
  EXPECT_TRUE(client.comes_to_say("OK", {"SET", "k", "w"}));
  EXPECT_TRUE(client.comes_to_say("w", {"GET", "k"}));
}

}  // namespace
}  // namespace sluice::redis
