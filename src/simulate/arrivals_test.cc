#include "simulate/arrivals.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice::simulate {
namespace {

Schedule parsed(std::string_view text) {
  auto result = parse_arrivals(text, kOneToken);
  if (const auto* error = std::get_if<SyntaxError>(&result)) {
    ADD_FAILURE() << text << ": at character " << error->character << ": " << error->message;
    return {};
  }
  return std::get<Schedule>(std::move(result));
}

std::string refusal(std::string_view text) {
  const auto result = parse_arrivals(text, kOneToken);
  const auto* error = std::get_if<SyntaxError>(&result);
  return error == nullptr ? "accepted" : std::to_string(error->character) + ": " + error->message;
}

std::vector<int64_t> times_ns(const Schedule& schedule) {
  std::vector<int64_t> times;
  each_arrival(schedule, [&](const Arrival& arrival) {
    times.push_back(arrival.at.ns);
    return true;
  });
  return times;
}

TEST(Arrivals, TheKthOfNPerSecondComesAfterKthsOfASecondRoundedDown) {
  const auto times = times_ns(parsed("3/s for 2s"));
  EXPECT_EQ(times, (std::vector<int64_t>{0, 333'333'333, 666'666'666, 1'000'000'000, 1'333'333'333, 1'666'666'666}));
}

TEST(Arrivals, NeverDriftEvenAfterMillionsOfRequests) {
  const Schedule schedule = parsed("7/s for 1000000s");
  EXPECT_EQ(schedule.requests(), 7'000'000);
  EXPECT_EQ(schedule.phases[0].tick(6'999'993).ns, 999'999'000'000'000);
  EXPECT_EQ(schedule.phases[0].tick(6'999'994).ns, 999'999'142'857'142);
}

TEST(Arrivals, PhasesFollowOneAnother) {
  const Schedule schedule = parsed("2/s for 1s, idle 5s, 2 at once, 1 every 250ms for 0.5s");
  EXPECT_EQ(times_ns(schedule),
            (std::vector<int64_t>{0, 500'000'000, 6'000'000'000, 6'000'000'000, 6'000'000'000, 6'250'000'000}));
  EXPECT_EQ(schedule.end().ns, 6'500'000'000);
}

TEST(Arrivals, ARequestThatWouldComeWhenThePhaseEndsBelongsToTheNextPhase) {
  EXPECT_EQ(parsed("60/s for 2s").requests(), 120);
  EXPECT_EQ(parsed("1 every 1s for 3s").requests(), 3);
  EXPECT_EQ(parsed("1 every 1s for 3.000000001s").requests(), 4);
  EXPECT_EQ(parsed("1/d for 1s").requests(), 1);
}

TEST(Arrivals, SeveralEveryTickComeTogether) {
  EXPECT_EQ(times_ns(parsed("2 every 1ms for 2ms")), (std::vector<int64_t>{0, 0, 1'000'000, 1'000'000}));
}

TEST(Arrivals, AFractionOfANanosecondBetweenTicksIsNotLost) {
  const Schedule schedule = parsed("1 every 0.3333us for 3.333us");
  EXPECT_EQ(schedule.phases[0].tick(9).ns, 2'999);
  EXPECT_EQ(schedule.requests(), 10);
}

TEST(Arrivals, KnowEveryUnit) {
  const std::pair<const char*, int64_t> lengths[] = {
      {"idle 7ns", 7},
      {"idle 7us", 7'000},
      {"idle 7ms", 7'000'000},
      {"idle 7s", 7'000'000'000},
      {"idle 7m", 420'000'000'000},
      {"idle 7min", 420'000'000'000},
      {"idle 1.5h", 5'400'000'000'000},
      {"idle for 2d", 172'800'000'000'000},
  };
  for (const auto& [text, ns] : lengths) EXPECT_EQ(parsed(text).end().ns, ns) << text;
  EXPECT_EQ(parsed("5/min for 2h").requests(), 600);
  EXPECT_EQ(parsed("2.5/h for 2d").requests(), 120);
}

TEST(Arrivals, WhiteSpaceIsFree) {
  const Schedule schedule = parsed("60/sfor2scosting0.5,idle5s,100atonce");
  EXPECT_EQ(schedule.requests(), 220);
  EXPECT_EQ(times_ns(schedule), times_ns(parsed("  60 / s\tfor 2 s costing 0.5 ,\n idle 5 s , 100 at once ")));
}

TEST(Arrivals, CostTheDefaultUnlessThePhaseSaysOtherwise) {
  const auto result =
      parse_arrivals("1 at once, 1 at once costing 0.5, 1/s for 1s costing 0.0000001", Tokens::whole(3));
  const auto& phases = std::get<Schedule>(result).phases;
  EXPECT_EQ(phases[0].cost, Tokens::whole(3));
  EXPECT_EQ(phases[1].cost, Tokens::micros(500'000));
  EXPECT_EQ(phases[2].cost, Tokens::micros(1));
}

TEST(ArrivalsError, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(refusal("60/x for 2s"), "4: expected 's', 'min', 'h' or 'd' after '60/', but found 'x'");
  EXPECT_EQ(refusal("   60/x"), "7: expected 's', 'min', 'h' or 'd' after '60/', but found 'x'");
  EXPECT_EQ(refusal("60/s fro 2s"), "6: expected 'for' after '60/s', but found 'fro'");
  EXPECT_EQ(refusal("60/s for"), "9: expected a duration such as '2s' after '60/s for', but the text ends there");
  EXPECT_EQ(refusal("60/s  for 2"),
            "12: expected 'ns', 'us', 'ms', 's', 'm', 'min', 'h' or 'd' after '60/s for 2', but the text ends there");
  EXPECT_EQ(refusal("60"), "3: expected '/s', 'at once' or 'every' after '60', but the text ends there");
  EXPECT_EQ(refusal("60 at twice"), "7: expected 'once' after '60 at', but found 'twice'");
  EXPECT_EQ(refusal("1e3/s for 1s"), "2: expected '/s', 'at once' or 'every' after '1', but found 'e'");
  EXPECT_EQ(refusal("60/s for 2s idle 5s"),
            "13: expected 'costing', ',' or the end after '60/s for 2s', but found 'idle'");
  EXPECT_EQ(refusal("idle 5s costing 2"), "9: expected ',' or the end after 'idle 5s', but found 'costing'");
}

TEST(ArrivalsError, QuotesOnlyThePhaseItIsIn) {
  EXPECT_EQ(refusal("60/s for 2s, idle x"), "19: expected a duration such as '2s' after 'idle', but found 'x'");
  EXPECT_EQ(refusal("60/s for 2s,"), "13: expected a number or 'idle', but the text ends there");
  EXPECT_EQ(refusal(""), "1: expected a number or 'idle', but the text ends there");
  EXPECT_EQ(refusal(" , "), "2: expected a number or 'idle', but found ','");
}

TEST(ArrivalsError, CountsCharactersNotBytes) {
  EXPECT_EQ(refusal("5 \xc3\xa9t\xc3\xa9"), "3: expected '/s', 'at once' or 'every' after '5', but found '\xc3\xa9'");
  EXPECT_EQ(refusal(std::string_view("5\0", 2)),
            "2: expected '/s', 'at once' or 'every' after '5', but found a control character");
}

TEST(ArrivalsError, RefusesNumbersThatMeanNothing) {
  EXPECT_EQ(refusal("0/s for 2s"), "1: expected a number greater than 0, but found '0'");
  EXPECT_EQ(refusal("-1/s for 2s"), "1: expected a number or 'idle', but found '-'");
  EXPECT_EQ(refusal("nan/s for 2s"), "1: expected a number or 'idle', but found 'nan'");
  EXPECT_EQ(refusal("1.5 at once"), "1: expected a whole number of requests, but found '1.5 at once'");
  EXPECT_EQ(refusal("0.5 every 1s for 2s"), "1: expected a whole number of requests, but found '0.5 every'");
  EXPECT_EQ(refusal("idle 0s"), "6: expected a number greater than 0, but found '0'");
  EXPECT_EQ(refusal("idle 0.1ns"), "6: expected a duration of at least 1ns, but found '0.1ns'");
  EXPECT_EQ(refusal("1234567890123456 at once"),
            "1: expected a number of at most 15 digits, 9 of them decimals, but found '1234567890123456'");
  EXPECT_EQ(refusal("1 at once costing 2000000000000"),
            "19: expected a cost of at most 1e12 tokens, but found '2000000000000'");
}

TEST(ArrivalsError, RefusesMoreThanCanBeSimulated) {
  EXPECT_EQ(refusal("10000000 at once"), "accepted");
  const std::string too_many = ": more than 10000000 requests in all; lower this rate or shorten the phase";
  EXPECT_EQ(refusal("10000001 at once"), "1" + too_many);
  EXPECT_EQ(refusal("1 at once, 10000000 at once"), "12" + too_many);
  EXPECT_EQ(refusal("999999999999999/s for 36600d"), "1" + too_many);
  EXPECT_EQ(refusal("999999999999999 every 1ns for 36600d"), "1" + too_many);
  EXPECT_EQ(refusal("999999999999999 every 1s for 10s"), "1" + too_many);
  EXPECT_EQ(refusal("idle 36600d"), "accepted");
  EXPECT_EQ(refusal("idle 36601d"), "6: expected a duration of at most 36600d, but found '36601d'");
  EXPECT_EQ(refusal("idle 36600d, idle 1ns"), "14: all phases together may last at most 36600d; shorten this one");
}

TEST(DurationText, IsOneNumberAndOneUnit) {
  const auto read = parse_duration(" 1.5s ");
  ASSERT_TRUE(std::holds_alternative<Duration>(read));
  EXPECT_EQ(std::get<Duration>(read), Duration::millis(1500));
  const auto refused = parse_duration(" 5s6");
  ASSERT_TRUE(std::holds_alternative<SyntaxError>(refused));
  EXPECT_EQ(std::get<SyntaxError>(refused).message, "expected nothing more after '5s', but found '6'");
  EXPECT_EQ(std::get<SyntaxError>(refused).character, 4u);
}

}  // namespace
}  // namespace sluice::simulate
