// The store on one Redis server: what is asked, how it is sent, and what is told.
#include "stores/redis/redis_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "allocations/count.h"
#include "redis_servers/server.h"
#include "stores/memory/memory_store.h"
#include "stores/redis/store_on_loop_testing.h"

namespace sluice::redis_store {
namespace {

using redis_testing::Server;
using stores::Action;
using stores::Progress;

// As slow as kTen.
const Limit kHundred = *Limit::token_bucket(*Rate::per(1, Duration::seconds(86'400)), Tokens::whole(100));

// How often Redis was asked this.
uint64_t calls_of(const Server& server, const std::string& command) {
  const std::string line = server.ask({"INFO", "commandstats"});
  const std::string name = "cmdstat_" + command + ":calls=";
  const size_t at = line.find(name);
  return at == std::string::npos ? 0 : std::stoull(line.substr(at + name.size()));
}

Tokens whole_part(Tokens tokens) { return Tokens::whole(tokens.micros() / Tokens::whole(1).micros()); }

TEST(RedisStore, TakesFromAllBucketsOrFromNone) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  const Asked& first = store.take({{"a", &kTen, Tokens::whole(10)}, {"b", &kHundred, Tokens::whole(10)}});
  ASSERT_TRUE(first.is_allowed());
  EXPECT_EQ(first.remaining(0), Tokens());
  EXPECT_EQ(first.remaining(1), Tokens::whole(90));
  const Asked& second = store.take({{"a", &kTen}, {"b", &kHundred, Tokens::whole(10)}});
  ASSERT_TRUE(second.is_answered());
  EXPECT_EQ(second.results[0].decision.verdict, Verdict::kLimited);
  EXPECT_GT(second.results[0].decision.retry_after, Duration::seconds(86'000));
  EXPECT_TRUE(second.results[1].decision.allowed());
  EXPECT_EQ(whole_part(second.remaining(1)), Tokens::whole(90));
}

TEST(RedisStore, TakesFromThoseBehindOnlyIfTheFirstOnesPass) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  const std::vector<Take> takes = {{"a", &kTen, Tokens::whole(10)}, {"x", &kTen, Tokens::whole(11)}, {"y", &kHundred}};
  const Asked& first = store.ask(Action::kTake, takes, 1);
  EXPECT_TRUE(first.is_allowed());
  EXPECT_EQ(first.results[1].decision.verdict, Verdict::kCostExceedsCapacity);
  EXPECT_EQ(first.remaining(2), Tokens::whole(99));
  const Asked& second = store.ask(Action::kTake, {{"a", &kTen}, {"y", &kHundred}}, 1);
  EXPECT_FALSE(second.is_allowed());
  EXPECT_EQ(whole_part(store.peek({{"y", &kHundred}}).remaining()), Tokens::whole(99));
}

TEST(RedisStore, PeeksGivesBackAndFillsUp) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(store.peek({{"a", &kTen, Tokens::whole(10)}}).remaining(), Tokens::whole(10));
  store.take({{"a", &kTen, Tokens::whole(8)}, {"b", &kHundred, Tokens::whole(50)}});
  EXPECT_TRUE(store.ask(Action::kRefund, {{"a", &kTen}, {"b", &kHundred, Tokens::whole(20)}}, 2).is_answered());
  const Asked& peeked = store.peek({{"a", &kTen}, {"b", &kHundred}});
  EXPECT_EQ(whole_part(peeked.remaining(0)), Tokens::whole(3));
  EXPECT_EQ(whole_part(peeked.remaining(1)), Tokens::whole(70));
  EXPECT_TRUE(store.ask(Action::kReset, {{"b", &kHundred}}, 1).is_answered());
  EXPECT_EQ(store.peek({{"b", &kHundred}}).remaining(), Tokens::whole(100));
}

TEST(RedisStore, SaysOfRandomAsksWhatTheStoreInMemorySays) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  const auto memory = std::move(*memory::MemoryStore::create({}));
  const Limit window = *Limit::fixed_window(Tokens::whole(20), Duration::seconds(360'000'000));
  const Limit log = *Limit::sliding_window_log(Tokens::whole(20), Duration::seconds(86'400));
  const Limit* const limits[] = {&kTen, &kHundred, &window, &log};
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> keys;
    std::vector<Take> takes(1 + random() % 4);
    for (Take& take : takes) {
      const size_t bucket = random() % 8;
      take = {keys.emplace_back("k" + std::to_string(bucket)), limits[bucket % 4]};
      take.cost = Tokens::whole(static_cast<int64_t>(1 + random() % 6));
    }
    for (size_t i = 0; i < takes.size(); ++i) takes[i].key = keys[i];
    const auto action = static_cast<Action>(random() % 20 == 0 ? 3 : random() % 3);
    const size_t together = random() % 3 == 0 ? random() % (takes.size() + 1) : takes.size();
    const Asked& here = store.ask(action, takes, together);
    Asked there(action, takes, together);
    there.ask.now = Instant(1'700'000'000'000'000'000);
    ASSERT_TRUE(here.is_answered());
    ASSERT_EQ(memory->ask(there.ask), Progress::kAnswered);
    if (action == Action::kRefund || action == Action::kReset) continue;
    for (size_t i = 0; i < takes.size(); ++i) {
      ASSERT_EQ(here.results[i].decision.verdict, there.results[i].decision.verdict) << round << " " << i;
      ASSERT_EQ(whole_part(here.remaining(i)), whole_part(there.remaining(i))) << round << " " << i;
    }
  }
}

TEST(RedisStore, AsksOfOneTurnAreOneCall) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  std::deque<Asked> all = takes_of(200, "k");
  store.send(all);
  StoreOnLoop::await(all);
  for (const Asked& one : all) EXPECT_TRUE(one.is_allowed());
  EXPECT_EQ(calls_of(server, "evalsha"), 1U);
}

TEST(RedisStore, ABucketThatCannotBeReadLeavesTheOthersOfItsCallDecided) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  server.ask({"SET", "test{}0:bad", "what somebody else wrote"});
  std::deque<Asked> all = takes_of(3, "k");
  all.emplace_back(std::vector<Take>{{"bad", &kTen}});
  all.emplace_back(std::vector<Take>{{"shared", &kTen}, {"bad", &kTen}});
  all.emplace_back(Action::kTake, std::vector<Take>{{"first", &kTen}, {"bad", &kTen}, {"last", &kTen}}, 1);
  all.emplace_back(std::vector<Take>{{"shared", &kTen}, {"own", &kTen}});
  store.send(all);
  StoreOnLoop::await(all);
  EXPECT_EQ(calls_of(server, "evalsha"), 1U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(all[i].remaining(), Tokens::whole(9));
  EXPECT_EQ(all[3].progress, Progress::kUnavailable);
  EXPECT_EQ(all[4].progress, Progress::kUnavailable);
  EXPECT_TRUE(all[5].is_allowed());
  EXPECT_TRUE(all[5].was_asked(0) && !all[5].was_asked(1) && all[5].was_asked(2));
  EXPECT_TRUE(all[6].is_allowed());
  EXPECT_EQ(all[6].remaining(0), Tokens::whole(9)) << "what is asked together with it takes nothing";
  EXPECT_EQ(store.store().unreadable().count(), 1U);
  EXPECT_EQ(store.store().unreadable().last(), "test{}0:bad");
}

TEST(RedisStore, MoreAsksThanFitIntoOneCallAreSeveral) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  std::deque<Asked> all = takes_of(4 * Question::kMaxTakes + 1, "k");
  store.send(all);
  StoreOnLoop::await(all);
  for (const Asked& one : all) EXPECT_EQ(one.remaining(), Tokens::whole(9));
  EXPECT_EQ(calls_of(server, "evalsha"), 5U);
}

TEST(RedisStore, AServerThatForgotTheScriptIsGivenIt) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  for (int i = 1; i <= 3; ++i) {
    server.ask({"SCRIPT", "FLUSH"});
    EXPECT_EQ(whole_part(store.take({{"a", &kTen}}).remaining()), Tokens::whole(10 - i));
  }
  EXPECT_EQ(calls_of(server, "eval"), 3U);
  EXPECT_TRUE(store.take({{"a", &kTen}}).is_allowed());
  EXPECT_EQ(calls_of(server, "eval"), 3U);
}

// Asks again whenever it is told.
class Insistent final : public stores::Listener {
 public:
  Insistent(StoreOnLoop& on, std::string key) : on_(on), key_(std::move(key)) {}
  void begin() {
    ask_ = {Action::kTake, {&take_, 1}, 1, Instant(), {&result_, 1}, this};
    if (on_.store().ask(ask_) == Progress::kUnavailable) is_over = true;
  }

  std::atomic<int> answers{0};
  std::atomic<int> allowed{0};
  std::atomic<bool> is_over{false};

 private:
  void on_answer(Progress progress) override {
    if (progress == Progress::kAnswered) {
      ++answers;
      allowed += result_.decision.allowed() ? 1 : 0;
    }
    begin();
  }

  StoreOnLoop& on_;
  const std::string key_;
  const Take take_{key_, &kTen};
  stores::BucketResult result_;
  stores::Ask ask_;
};

TEST(RedisStore, WhoIsToldMayAskAgainUntilItCloses) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  std::deque<Insistent> all;
  for (int i = 0; i < 300; ++i) all.emplace_back(store, "k" + std::to_string(i % 30));
  store.client().on_loop([&] {
    for (Insistent& one : all) one.begin();
  });
  EXPECT_TRUE(wait_until(
      [&] { return std::all_of(all.begin(), all.end(), [](const Insistent& one) { return one.answers >= 20; }); }));
  store.close();
  int allowed = 0;
  for (const Insistent& one : all) {
    EXPECT_TRUE(one.is_over);
    allowed += one.allowed;
  }
  EXPECT_EQ(allowed, 300);
}

TEST(RedisStore, WhatIsAskedAllTheTimeAllocatesNothing) {
  Server server;
  StoreOnLoop store(server.url());
  ASSERT_TRUE(store.comes_up());
  std::deque<Asked> all = takes_of(100, "k");
  uint64_t before = 0, after = 0;
  for (int round = 0; round < 60; ++round) {
    for (Asked& one : all) one.is_told = false;
    store.client().on_loop([&] {
      if (round == 30) before = testing::allocations();
      for (Asked& one : all) store.ask_now(one);
      after = testing::allocations();
    });
    StoreOnLoop::await(all);
  }
  EXPECT_EQ(after - before, 0U);
}

}  // namespace
}  // namespace sluice::redis_store
