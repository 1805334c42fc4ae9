// The store on a Redis Cluster: buckets are spread over its slots, and requests over several of them hold together.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "redis_servers/cluster.h"
#include "stores/redis/bucket_name.h"
#include "stores/redis/store_on_loop_testing.h"

namespace sluice::redis_store {
namespace {

using redis_testing::Cluster;
using redis_testing::Server;
using stores::Action;
using stores::Progress;

uint16_t slot_of_bucket(const std::string& key) {
  std::string name;
  append_bucket_name(name, "test", key, 0);
  return redis::slot_of(name);
}

// Three masters, without replicas; a test may kill one.
class StoreOnCluster : public ::testing::Test {
 protected:
  StoreOnCluster() {
    EXPECT_TRUE(store_.comes_up(3));
    // Its map is whole then.
    EXPECT_TRUE(wait_until([&] { return store_.take({{"any", &kTen}}).is_answered(); }));
  }

  int64_t left_in(const std::string& key) {
    const Asked& peeked = store_.peek({{key, &kTen}});
    EXPECT_TRUE(peeked.is_answered());
    return peeked.remaining().micros() / 1'000'000;
  }
  // A key whose bucket that node has.
  std::string key_on(size_t node, const std::string& stem) {
    for (int i = 0;; ++i) {
      const std::string key = stem + std::to_string(i);
      if (cluster_.owner_of(slot_of_bucket(key)).port() == cluster_.node(node).port()) return key;
    }
  }

  Cluster cluster_{Cluster::Replicas::kNone};
  StoreOnLoop store_{cluster_.url()};
};

TEST_F(StoreOnCluster, TakesFromBucketsInSeveralSlotsOrFromNone) {
  const std::string a = key_on(0, "a"), b = key_on(1, "b"), c = key_on(2, "c");
  EXPECT_TRUE(store_.take({{a, &kTen, Tokens::whole(4)}, {b, &kTen, Tokens::whole(7)}, {c, &kTen}}).is_allowed());
  const Asked& refused = store_.take({{a, &kTen, Tokens::whole(4)}, {b, &kTen, Tokens::whole(4)}, {c, &kTen}});
  EXPECT_TRUE(refused.is_answered());
  EXPECT_EQ(refused.results[1].decision.verdict, Verdict::kLimited);
  EXPECT_EQ(refused.remaining(0).micros() / 1'000'000, 6);
  EXPECT_TRUE(wait_until([&] { return left_in(a) == 6 && left_in(c) == 9; })) << "what was given back is there again";
  EXPECT_EQ(left_in(b), 3);
}

TEST_F(StoreOnCluster, NeverAdmitsMoreThanEachBucketHasAndLosesNothing) {
  constexpr size_t kBuckets = 12;
  std::vector<std::string> keys;
  for (size_t i = 0; i < kBuckets; ++i) keys.push_back("bucket" + std::to_string(i));
  std::mt19937_64 random(11);
  std::deque<Asked> all;
  std::map<std::string_view, int64_t> taken;
  for (int round = 0; round < 40; ++round) {
    const size_t first = all.size();
    for (int i = 0; i < 10; ++i) {
      std::shuffle(keys.begin(), keys.end(), random);
      std::vector<Take> takes;
      const size_t count = 1 + random() % 5;
      for (size_t k = 0; k < count; ++k) takes.push_back({keys[k], &kTen});
      all.emplace_back(takes);
    }
    // Ten in one turn, and the next ten while what these give back may still be under way.
    store_.client().on_loop([&] {
      for (size_t i = first; i < all.size(); ++i) store_.ask_now(all[i]);
    });
    if (round % 4 == 3) StoreOnLoop::await(all);
  }
  StoreOnLoop::await(all);
  for (const Asked& one : all) {
    ASSERT_TRUE(one.is_answered());
    if (!one.is_allowed()) continue;
    for (const Take& take : one.ask.takes) ++taken[take.key];
  }
  EXPECT_GT(taken.size(), 0U);
  for (const std::string& key : keys) {
    EXPECT_LE(taken[key], 10) << key;
    EXPECT_TRUE(wait_until([&] { return left_in(key) == 10 - taken[key]; })) << key << ": " << left_in(key);
  }
}

TEST_F(StoreOnCluster, WhatIsGivenBackNeedsNothingOfWhoeverWasToldEvenIfTheScriptWasForgottenMeanwhile) {
  const std::string a = key_on(0, "a"), b = key_on(1, "b");
  auto limit = std::make_unique<Limit>(kTen);
  Asked refused({{a, limit.get(), Tokens::whole(4)}, {b, limit.get(), Tokens::whole(11)}});
  // What is given back leaves at the end of this turn.
  refused.when_told = [&] {
    cluster_.node(0).ask({"SCRIPT", "FLUSH"});
    limit.reset();
  };
  EXPECT_FALSE(store_.ask(refused).is_allowed());
  EXPECT_TRUE(refused.is_answered());
  EXPECT_TRUE(wait_until([&] { return left_in(a) == 10; }));
}

TEST_F(StoreOnCluster, OneMasterLessMakesOnlyItsOwnBucketsUnavailable) {
  const std::string a = key_on(0, "a"), dead = key_on(1, "b"), c = key_on(2, "c");
  // Else the two others refuse all.
  for (size_t i = 0; i < 3; ++i) cluster_.node(i).ask({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  cluster_.node(1).kill();
  EXPECT_TRUE(wait_until([&] { return store_.take({{dead, &kTen}}).progress == Progress::kUnavailable; }));
  EXPECT_EQ(store_.take({{a, &kTen}, {dead, &kTen}}).progress, Progress::kUnavailable);
  EXPECT_TRUE(wait_until([&] { return left_in(a) == 10; })) << "nothing was taken, or it was given back";
  EXPECT_TRUE(store_.take({{a, &kTen}, {c, &kTen}}).is_allowed());
  const Asked& shadowed = store_.ask(Action::kTake, {{a, &kTen}, {dead, &kTen}, {c, &kTen}}, 1);
  EXPECT_TRUE(shadowed.is_allowed()) << "those behind have no say";
  EXPECT_FALSE(shadowed.was_asked(1));
  EXPECT_TRUE(shadowed.was_asked(2));
}

TEST_F(StoreOnCluster, WhenItClosesEverybodyIsTold) {
  const std::string a = key_on(0, "a"), b = key_on(1, "b"), c = key_on(2, "c");
  cluster_.node(1).freeze();
  std::deque<Asked> all;
  for (int i = 0; i < 100; ++i) all.emplace_back(std::vector<Take>{{a, &kTen}, {b, &kTen}, {c, &kTen}});
  store_.client().on_loop([&] {
    for (size_t i = 0; i < 50; ++i) store_.ask_now(all[i]);
  });
  store_.client().on_loop([&] {
    for (size_t i = 50; i < 100; ++i) store_.ask_now(all[i]);
    store_.store().close();
  });
  for (const Asked& one : all) EXPECT_TRUE(one.is_told && one.progress == Progress::kUnavailable);
  cluster_.node(1).thaw();
}

}  // namespace
}  // namespace sluice::redis_store
