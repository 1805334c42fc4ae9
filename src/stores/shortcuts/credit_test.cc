#include "stores/shortcuts/credit.h"

#include <gtest/gtest.h>

#include "stores/shortcuts/lease_size.h"
#include "stores/shortcuts/wheel.h"

namespace sluice::shortcuts {
namespace {

using stores::LeaseTerms;

Lot lot(int64_t tokens, int64_t since, int64_t until) {
  return {Tokens::whole(tokens), {}, Instant(since), Instant(until)};
}

TEST(Credit, SpendsTheOlderLotFirstAndNoneThatExpired) {
  Credit credit;
  EXPECT_TRUE(credit.add(lot(5, 1, 100)).is_empty());
  EXPECT_TRUE(credit.add(lot(7, 2, 200)).is_empty());
  EXPECT_EQ(credit.available(Instant(50)), Tokens::whole(12));
  const Credit::Lots parts = credit.spend(Tokens::whole(6), Instant(50));
  EXPECT_EQ(parts[0].tokens, Tokens::whole(5));
  EXPECT_EQ(parts[1].tokens, Tokens::whole(1));
  for (const Lot& part : parts) EXPECT_TRUE(credit.add(part).is_empty());
  EXPECT_EQ(credit.available(Instant(99)), Tokens::whole(12));
  EXPECT_EQ(credit.available(Instant(100)), Tokens::whole(7));
  credit.spend(Tokens::whole(7), Instant(100));
  EXPECT_EQ(credit.available(Instant(100)), Tokens());
  EXPECT_EQ(credit.lots()[0].tokens, Tokens::whole(5));
}

TEST(Credit, HandsOutTheOldestOfThreeLots) {
  for (const int64_t newest : {0, 1, 2}) {
    Credit credit;
    for (int64_t i = 0; i < 2; ++i) credit.add(lot(1, (newest + 1 + i) % 3, 100));
    const Lot oldest = credit.add(lot(1, newest, 100));
    EXPECT_EQ(oldest.since, Instant(0));
    EXPECT_EQ(credit.lots()[0].since, Instant(1));
    EXPECT_EQ(credit.lots()[1].since, Instant(2));
  }
}

TEST(Credit, KeepsLotsApartThatTheStoreDecidedApart) {
  Credit credit;
  Lot first = lot(1, 1, 100), second = lot(2, 1, 100);
  second.decided.given = 3'000'000;
  for (const Lot& each : {first, second, first}) EXPECT_TRUE(credit.add(each).is_empty());
  EXPECT_EQ(credit.lots()[0].tokens, Tokens::whole(2));
  EXPECT_EQ(credit.lots()[1].tokens, Tokens::whole(2));
}

TEST(LeaseSize, FollowsDemandButLeavesMostOfWhatRemains) {
  const LeaseTerms automatic{LeaseTerms::Kind::kAuto, {}, {}};
  const auto size = [&](int64_t cost, int64_t remaining, int64_t demand) {
    return lease_size(automatic,
                      {Tokens::whole(cost), Tokens::whole(1000), Tokens::whole(remaining), Tokens::whole(demand)})
        .floor();
  };
  EXPECT_EQ(size(1, 1000, 60), 30);
  EXPECT_EQ(size(1, 80, 60), 10);
  EXPECT_EQ(size(6, 80, 60), 0);  // 10 are not two of 6.
  EXPECT_EQ(size(7, 1000, 60), 28);
  EXPECT_EQ(size(1, 15, 60), 0);
  EXPECT_EQ(size(1, 16, 60), 2);
  EXPECT_EQ(size(1, 1000, 3), 0);
  EXPECT_EQ(size(1, 1000, 4), 2);
  EXPECT_EQ(size(1, 0, 0), 0);
}

TEST(LeaseSize, IsWhatTheRuleSaysIfItFits) {
  const LeaseTerms fixed{LeaseTerms::Kind::kFixed, Tokens::whole(50), {}};
  EXPECT_EQ(lease_size(fixed, {Tokens::whole(1), Tokens::whole(100), {}, {}}), Tokens::whole(50));
  EXPECT_EQ(lease_size(fixed, {Tokens::whole(1), Tokens::whole(20), {}, {}}), Tokens::whole(19));
  EXPECT_EQ(lease_size(fixed, {Tokens::whole(30), Tokens::whole(20), {}, {}}), Tokens());
}

TEST(Demand, FadesByHalfWithEachWindow) {
  Demand demand;
  const Duration window = Duration::millis(500);
  Instant now(10'000'000'000);
  demand.add(Tokens::whole(80), now, window);
  EXPECT_EQ(demand.in_a_window(now, window), Tokens::whole(80));
  now = now + window;
  EXPECT_EQ(demand.in_a_window(now, window), Tokens::whole(80));  // As the first window was.
  now = now + window;
  EXPECT_EQ(demand.in_a_window(now, window), Tokens::whole(40));
  now = now + Duration(window.ns * 3);
  EXPECT_EQ(demand.in_a_window(now, window), Tokens::whole(5));
  demand.add(Tokens::whole(20), now, window);
  EXPECT_EQ(demand.in_a_window(now, window), Tokens::whole(20));
  EXPECT_EQ(demand.in_a_window(now + Duration::seconds(1'000'000), window), Tokens());
}

TEST(Wheel, LooksAtEachPlaceOnceWhenItIsDue) {
  Wheel wheel(4);
  const Instant start(7'000'000'000);
  std::vector<size_t> seen;
  const auto note = [&](size_t place) -> std::optional<Instant> {
    seen.push_back(place);
    return std::nullopt;
  };
  wheel.turn(start, note);
  wheel.put(0, start + Duration::millis(10));
  wheel.put(1, start + Duration::millis(100));
  wheel.put(1, start);
  wheel.turn(start + Duration::millis(9), note);
  EXPECT_TRUE(seen.empty());
  wheel.turn(start + Duration::millis(20), note);
  EXPECT_EQ(seen, std::vector<size_t>{0});
  wheel.turn(start + Duration::seconds(100), note);
  EXPECT_EQ(seen, (std::vector<size_t>{0, 1}));
  wheel.turn(start + Duration::seconds(200), note);
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace sluice::shortcuts
