#include "simulate/simulation.h"

#include <gtest/gtest.h>

#include <vector>

#include "simulate/arrivals.h"
#include "simulate/limits.h"

namespace sluice::simulate {
namespace {

Schedule schedule_of(std::string_view text) { return std::get<Schedule>(parse_arrivals(text, kOneToken)); }

Limit limit_of(Algorithm algorithm, double rate, double burst) {
  return *limit_for(algorithm, {*Rate::per_second(rate), *capacity_of(burst), {}});
}

std::vector<Decision> decisions_of(const Limit& limit, std::string_view arrivals) {
  std::vector<Decision> decisions;
  simulate(limit, schedule_of(arrivals), [&](const Arrival&, const Decision& decision) {
    decisions.push_back(decision);
    return true;
  });
  return decisions;
}

// 60 requests a second on a full bucket of 50 that refills at 10 a second: while the 50 are spent, 9 more come back.
TEST(WorkedExample, FiftyNineRequestsPassBeforeTheFirstRejection) {
  const auto decisions = decisions_of(limit_of(Algorithm::kTokenBucket, 10, 50), "60/s for 2s");
  ASSERT_EQ(decisions.size(), 120u);
  for (size_t k = 0; k < 59; ++k) EXPECT_TRUE(decisions[k].allowed()) << k;
  EXPECT_FALSE(decisions[59].allowed());
  EXPECT_EQ(decisions[0].remaining, Tokens::whole(49));
  EXPECT_EQ(decisions[59].remaining, Tokens::micros(833'333));
  EXPECT_EQ(decisions[59].retry_after, Duration(16'666'667));
}

TEST(WorkedExample, ThenExactlyOneInSixPasses) {
  const auto decisions = decisions_of(limit_of(Algorithm::kTokenBucket, 10, 50), "60/s for 100s");
  for (size_t k = 59; k < decisions.size(); ++k) EXPECT_EQ(decisions[k].allowed(), k % 6 == 0) << k;
}

TEST(WorkedExample, FiveSecondsOfRestBuyTheWholeBurstBack) {
  const Summary summary =
      summarize(limit_of(Algorithm::kTokenBucket, 10, 50), schedule_of("60/s for 2s, idle 5s, 100 at once"));
  EXPECT_EQ(summary.requests, 220);
  EXPECT_EQ(summary.allowed, 59 + 10 + 50);
  EXPECT_EQ(summary.rejected, 101);
  EXPECT_EQ(summary.first_rejection, Instant(983'333'333));
  EXPECT_EQ(summary.longest_wait, Duration::millis(100));
}

TEST(Simulation, ALeakyBucketDecidesAsATokenBucketDoes) {
  const Schedule schedule = schedule_of("60/s for 2s, idle 5s, 100 at once");
  const Summary leaky = summarize(limit_of(Algorithm::kLeakyBucket, 10, 50), schedule);
  EXPECT_EQ(leaky.allowed, 119);
  EXPECT_EQ(leaky.longest_delay, Duration());
}

TEST(Simulation, ALeakyQueueDelaysTheLastOfABurstUntilTheOthersAreOut) {
  const Summary queue = summarize(limit_of(Algorithm::kLeakyQueue, 10, 50), schedule_of("100 at once"));
  EXPECT_EQ(queue.allowed, 50);
  EXPECT_EQ(queue.longest_delay, Duration::millis(4900));
}

TEST(Simulation, AFixedWindowLetsTwoBurstsPassAroundItsEdge) {
  const auto decisions =
      decisions_of(limit_of(Algorithm::kFixedWindow, 10, 50), "idle 4.999s, 50 at once, idle 1ms, 51 at once");
  for (size_t k = 0; k < 100; ++k) EXPECT_TRUE(decisions[k].allowed()) << k;
  EXPECT_FALSE(decisions[100].allowed());
  EXPECT_EQ(decisions[100].retry_after, Duration::seconds(5));
}

TEST(Simulation, ASlidingWindowLogForgetsNothingWithinItsWindow) {
  // 1000 admissions at different times must all be remembered one by one, or the first could not return on time.
  const auto decisions =
      decisions_of(limit_of(Algorithm::kSlidingWindowLog, 1000, 1000), "2000/s for 0.5s, idle 0.5s, 2000/s for 0.5s");
  ASSERT_EQ(decisions.size(), 2000u);
  for (size_t k = 0; k < decisions.size(); ++k) EXPECT_TRUE(decisions[k].allowed()) << k;
}

TEST(Simulation, ACostAboveTheCapacityIsImpossibleAndTakesNothing) {
  const Limit limit = limit_of(Algorithm::kTokenBucket, 10, 50);
  const Summary summary = summarize(limit, schedule_of("3 at once costing 51, 50 at once"));
  EXPECT_EQ(summary.rejected, 3);
  EXPECT_EQ(summary.impossible, 3);
  EXPECT_EQ(summary.allowed, 50);
  EXPECT_EQ(summary.longest_wait, Duration());
}

TEST(Simulation, TellsTheTokensBetweenRequestsWithoutTakingAny) {
  const Schedule schedule = schedule_of("50 at once");
  for (const Algorithm algorithm : kAlgorithms) {
    SimulatedBucket bucket(limit_of(algorithm, 10, 50), schedule);
    EXPECT_EQ(bucket.remaining_at(Instant()), Tokens::whole(50)) << name_of(algorithm);
    each_arrival(schedule, [&](const Arrival& arrival) { return bucket.take(arrival).allowed(); });
    EXPECT_EQ(bucket.remaining_at(Instant()), Tokens()) << name_of(algorithm);
    EXPECT_EQ(bucket.remaining_at(Instant(10'000'000'000)), Tokens::whole(50)) << name_of(algorithm);
    EXPECT_EQ(bucket.remaining_at(Instant()), Tokens()) << name_of(algorithm);
  }
}

TEST(Simulation, EndsWhenTheVisitorHasSeenEnough) {
  int seen = 0;
  simulate(limit_of(Algorithm::kTokenBucket, 1, 1), schedule_of("100 at once"),
           [&](const Arrival&, const Decision&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace sluice::simulate
