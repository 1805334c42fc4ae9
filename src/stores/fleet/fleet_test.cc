#include "stores/fleet/fleet.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <future>
#include <string>

#include "allocations/count.h"
#include "redis_servers/server.h"
#include "stores/fleet/fleet_server_testing.h"

namespace sluice::fleet {
namespace {

using redis_testing::Server;
using stores::Action;
using stores::LeaseTerms;
using stores::Progress;

// So slow that nothing comes back during a test.
const Limit kTen = *Limit::token_bucket(*Rate::per(1, Duration::seconds(86'400)), Tokens::whole(10));
const Limit kHundred = *Limit::token_bucket(*Rate::per(1, Duration::seconds(86'400)), Tokens::whole(100));
// They do not lie idle for long enough to go back by themselves.
const LeaseTerms kTwenty{LeaseTerms::Kind::kFixed, Tokens::whole(20), Duration::seconds(600)};

TEST(Fleet, ServersShareTheirBuckets) {
  Server redis;
  FleetServer first(redis.url(), 2), second(redis.url());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  EXPECT_EQ(first.ask(Action::kTake, {"k", &kTen, Tokens::whole(3)}, {}, 0).whole_left(), 7);
  EXPECT_EQ(first.ask(Action::kTake, {"k", &kTen, Tokens::whole(3)}, {}, 1).whole_left(), 4);
  EXPECT_EQ(second.take({"k", &kTen, Tokens::whole(3)}).whole_left(), 1);
  EXPECT_FALSE(first.take({"k", &kTen, Tokens::whole(3)}).is_allowed());
  EXPECT_TRUE(wait_until([&] { return first.fleet().peers() == 2 && second.fleet().peers() == 2; }));
}

TEST(Fleet, ARejectionIsRememberedUntilAnotherServerGivesTokensBack) {
  Server redis;
  FleetServer first(redis.url()), second(redis.url());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  first.take({"k", &kTen, Tokens::whole(10)});
  for (const Action action : {Action::kRefund, Action::kReset}) {
    const uint64_t denied_before = second.fleet().figures().denied_here;
    ASSERT_TRUE(wait_until([&] {
      EXPECT_FALSE(second.take({"k", &kTen}).is_allowed());
      return second.fleet().figures().denied_here > denied_before;
    }));
    EXPECT_EQ(first.ask(action, {"k", &kTen}).progress, Progress::kAnswered);
    EXPECT_TRUE(wait_until([&] { return second.take({"k", &kTen}).is_allowed(); }));
  }
}

TEST(Fleet, WhileNewsCannotComeNothingIsRemembered) {
  Server redis;
  FleetServer first(redis.url()), second(redis.url());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  first.take({"k", &kTen, Tokens::whole(10)});
  const auto denied_here = [&] { return second.fleet().figures().denied_here; };
  ASSERT_TRUE(wait_until([&] { return !second.take({"k", &kTen}).is_allowed() && denied_here() > 0; }));
  redis.kill();
  ASSERT_TRUE(wait_until([&] {
    return second.take({"k", &kTen}).progress == Progress::kUnavailable;
  })) << "what was known is forgotten with the connection";
  redis.start();
  EXPECT_TRUE(wait_until([&] { return second.take({"k", &kTen}).is_allowed(); }));
}

// As while the rules of servers differ, since they are reloaded one by one.
TEST(Fleet, ABucketThatGoesOnAtAnotherServersFasterRateIsAskedForAgain) {
  Server redis;
  FleetServer first(redis.url()), second(redis.url());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  const Limit slow = *Limit::token_bucket(0.001, 1), fast = *Limit::token_bucket(1'000'000, 1);
  const auto denied_here = [&] { return first.fleet().figures().denied_here; };
  // Within less than the second for which it would be remembered, but on a machine that is very busy.
  const auto passes_soon = [&](const std::string& key) {
    const uint64_t before = denied_here();
    EXPECT_TRUE(wait_until([&] { return !first.take({key, &slow}).is_allowed() && denied_here() > before; }));
    second.take({key, &fast});
    return wait_until([&] { return first.take({key, &slow}).is_allowed(); }, std::chrono::milliseconds(300));
  };
  EXPECT_TRUE(passes_soon("a") || passes_soon("b") || passes_soon("c"));
}

TEST(Fleet, LeasesAreSpentWithoutAskingAndGivenBackByAServerThatLeaves) {
  Server redis;
  FleetServer first(redis.url()), second(redis.url());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(first.ask(Action::kTake, {"k", &kHundred}, kTwenty).is_allowed());
  EXPECT_EQ(first.fleet().figures().leased_micros, 20'000'000U);
  EXPECT_EQ(first.fleet().figures().spent_micros, 4'000'000U);
  EXPECT_EQ(first.fleet().figures().outstanding_micros, 16'000'000U);
  EXPECT_EQ(second.ask(Action::kPeek, {"k", &kHundred}).whole_left(), 79);
  const auto counted = [&] { return redis.ask({"ZCARD", "sluice{}servers"}); };
  EXPECT_TRUE(wait_until([&] { return counted() == "2"; }));
  first.fleet().give_back(10'000);
  EXPECT_EQ(first.fleet().figures().outstanding_micros, 0U);
  EXPECT_EQ(counted(), "1") << "it is on its way out";
  // The bucket has regained a little.
  EXPECT_TRUE(wait_until([&] {
    const FleetAsk& peeked = second.ask(Action::kPeek, {"k", &kHundred});
    return std::abs(peeked.result.decision.remaining.micros() - 95'000'000) < 100'000;
  }));
  EXPECT_TRUE(first.ask(Action::kTake, {"k", &kHundred}, kTwenty).is_allowed());
  EXPECT_EQ(first.fleet().figures().leased_micros, 20'000'000U) << "it leases no more";
}

class FleetWithLeases : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(WithAndWithoutDenyCache, FleetWithLeases, ::testing::Bool());

TEST_P(FleetWithLeases, AResetThroughAnotherServerDropsThem) {
  Server redis;
  FleetServer first(redis.url(), 1, GetParam()), second(redis.url(), 1, GetParam());
  ASSERT_TRUE(first.comes_up() && second.comes_up());
  const auto outstanding = [&] { return first.fleet().figures().outstanding_micros; };
  first.ask(Action::kTake, {"k", &kHundred}, kTwenty);
  ASSERT_EQ(outstanding(), 20'000'000U);
  // News may not come yet.
  EXPECT_TRUE(wait_until([&] {
    EXPECT_EQ(second.ask(Action::kReset, {"k", &kHundred}).progress, Progress::kAnswered);
    return outstanding() == 0;
  }));
  EXPECT_EQ(second.ask(Action::kPeek, {"k", &kHundred}).whole_left(), 100);
}

TEST_P(FleetWithLeases, TheyAreDroppedWhenNewsCameToAnEndAndComeAgain) {
  Server redis;
  FleetServer server(redis.url(), 1, GetParam());
  ASSERT_TRUE(server.comes_up());
  ASSERT_TRUE(wait_until([&] { return redis.ask({"PUBSUB", "NUMSUB", "sluice:forget"}).ends_with("1"); }));
  server.ask(Action::kTake, {"k", &kHundred}, kTwenty);
  const auto outstanding = [&] { return server.fleet().figures().outstanding_micros; };
  ASSERT_EQ(outstanding(), 20'000'000U);
  redis.ask({"CLIENT", "KILL", "TYPE", "pubsub"});
  EXPECT_TRUE(wait_until([&] { return outstanding() == 0; }));
}

TEST(Fleet, WithoutADenyCacheEveryRejectionIsRediss) {
  Server redis;
  FleetServer server(redis.url(), 1, false);
  ASSERT_TRUE(server.comes_up());
  ASSERT_TRUE(wait_until([&] { return redis.ask({"PUBSUB", "NUMSUB", "sluice:forget"}).ends_with("1"); }));
  server.take({"k", &kTen, Tokens::whole(10)});
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(server.take({"k", &kTen}).is_allowed());
  EXPECT_EQ(server.fleet().figures().denied_here, 0U);
}

TEST(Fleet, AServerThatWasNeverReachedIsNotUp) {
  Server redis;
  redis.freeze();
  FleetServer server(redis.url());
  server.fleet().await(50);
  EXPECT_FALSE(server.fleet().figures().is_up);
  EXPECT_EQ(server.fleet().figures().loops, 0U) << "nothing is known yet";
  redis.thaw();
  server.fleet().await(10'000);
  EXPECT_TRUE(server.fleet().figures().is_up);
  EXPECT_EQ(server.fleet().figures().loops, 1U);
}

TEST(Fleet, FiguresOfLoopsThatHaveEndedAreKept) {
  Server redis;
  FleetServer server(redis.url(), 2);
  ASSERT_TRUE(server.comes_up());
  EXPECT_TRUE(server.fleet().figures().is_up);
  EXPECT_EQ(server.fleet().place(), redis.url());
  for (int i = 0; i < 5; ++i) server.ask(Action::kTake, {"k", &kHundred}, kTwenty, i % 2);
  ASSERT_TRUE(wait_until([&] {
    server.take({"k", &kHundred, Tokens::whole(90)});
    return server.fleet().figures().denied_here > 0;
  }));
  const Figures before = server.fleet().figures();
  EXPECT_GE(before.commands, 3U);
  EXPECT_EQ(before.leased_micros, 40'000'000U);
  server.stop();
  const Figures after = server.fleet().figures();
  EXPECT_GE(after.commands, before.commands);
  EXPECT_LE(after.commands, before.commands + 4) << "servers are counted every second";
  EXPECT_EQ(after.leased_micros, before.leased_micros);
  EXPECT_EQ(after.spent_micros, before.spent_micros);
  EXPECT_EQ(after.denied_here, before.denied_here);
  EXPECT_EQ(after.connections, 0U);
  EXPECT_FALSE(after.is_up);
}

TEST(Fleet, WhoWaitsWhenTheLoopsEndIsToldSo) {
  Server redis;
  FleetServer server(redis.url(), 2);
  ASSERT_TRUE(server.comes_up());
  redis.freeze();
  std::deque<FleetAsk> all;
  for (size_t i = 0; i < 2000; ++i) {
    const std::string key = "k" + std::to_string(i);
    all.emplace_back(server.fleet().of_loop(i % 2), Action::kTake, Take{key, &kTen},
                     i % 4 == 0 ? kTwenty : LeaseTerms());
    all.back().times = 3;  // also in the midst of the end
    server.run(all.back(), i % 2);
  }
  server.stop();
  for (FleetAsk& one : all) EXPECT_NE(one.progress, Progress::kAnswered);
  redis.thaw();
}

TEST(Fleet, OtherThreadsAskThroughTheFirstLoop) {
  Server redis;
  FleetServer server(redis.url(), 2);
  ASSERT_TRUE(server.comes_up());
  const Take take{"k", &kTen};
  stores::BucketResult result;
  stores::Ask ask{Action::kTake, {&take, 1}, 1, Instant(), {&result, 1}, nullptr};
  EXPECT_EQ(server.fleet().of_others().ask(ask), Progress::kAnswered);
  EXPECT_EQ(result.decision.remaining, Tokens::whole(9));
  server.stop();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(server.fleet().of_others().ask(ask), Progress::kUnavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(900)) << "nobody is waited for";
}

// Counts what its thread allocates for many asks, once all has been as large as it gets.
class Measure final : public net::Task {
 public:
  Measure(stores::Store& store, stores::Action action) : store_(store), action_(action) {}
  void run(size_t) override {
    for (int i = 0; i < 500; ++i) ask();
    const uint64_t before = ::sluice::testing::allocations();
    for (int i = 0; i < 500; ++i) ask();
    allocated = ::sluice::testing::allocations() - before;
  }
  void on_end() override { done.set_value(); }

  uint64_t allocated = 0;
  std::promise<void> done;

 private:
  void ask() {
    const Take take{"k", &kHundred};
    stores::BucketResult result;
    stores::Ask ask{action_, {&take, 1}, 1, Instant(), {&result, 1}, nullptr};
    EXPECT_EQ(store_.ask(ask), Progress::kAnswered);
  }

  stores::Store& store_;
  const stores::Action action_;
};

TEST(Fleet, AnAskAllocatesNothing) {
  Server redis;
  FleetServer server(redis.url());
  ASSERT_TRUE(server.comes_up());
  for (const Action action : {Action::kTake, Action::kPeek, Action::kRefund}) {
    Measure measure(server.fleet().of_loop(0), action);
    server.run(measure);
    measure.done.get_future().wait();
    // The count of servers that is asked for every second is beside the point.
    EXPECT_LE(measure.allocated, 3U);
  }
}

}  // namespace
}  // namespace sluice::fleet
