#include "rules/cost.h"

#include <gtest/gtest.h>

namespace sluice::rules {
namespace {

int64_t micros(std::string_view text) {
  const auto cost = parse_cost(text);
  return cost ? cost->micros() : -1;
}

TEST(Cost, IsADecimalNumberAboveZero) {
  EXPECT_EQ(micros("1"), 1'000'000);
  EXPECT_EQ(micros("2.5"), 2'500'000);
  EXPECT_EQ(micros(".5"), 500'000);
  EXPECT_EQ(micros("5."), 5'000'000);
  EXPECT_EQ(micros("007"), 7'000'000);
  EXPECT_EQ(micros("1e3"), 1'000'000'000);
  EXPECT_EQ(micros(" 5\t"), 5'000'000);
}

TEST(Cost, IsRoundedUpToAMillionth) {
  EXPECT_EQ(micros("0.0000001"), 1);
  EXPECT_EQ(micros("1e-300"), 1);
  EXPECT_EQ(micros("1.0000001"), 1'000'001);
}

TEST(Cost, IsAtMostAMillionMillion) {
  EXPECT_EQ(micros("1e12"), 1'000'000'000'000'000'000);
  EXPECT_EQ(micros("1e13"), 1'000'000'000'000'000'000);
  EXPECT_EQ(micros("1e308"), 1'000'000'000'000'000'000);
}

TEST(Cost, IsNothingElse) {
  for (const std::string_view text : {"",
                                      " ",
                                      "nan",
                                      "NaN",
                                      "inf",
                                      "infinity",
                                      "-inf",
                                      "1e309",
                                      "1e-400",
                                      "-5",
                                      "-0",
                                      "0",
                                      "0.0",
                                      "0x10",
                                      "1_000",
                                      "1,000",
                                      "+5",
                                      "5 5",
                                      "5a",
                                      "1e",
                                      "e5",
                                      ".",
                                      "--1",
                                      "5\n",
                                      "\xc2\xa0"
                                      "5",
                                      "١"}) {
    EXPECT_EQ(micros(text), -1) << text;
  }
  EXPECT_EQ(micros(std::string_view("5\0", 2)), -1);
  EXPECT_EQ(micros(std::string(4096, '0')), -1);
  EXPECT_EQ(micros("0." + std::string(4000, '0') + "1"), -1);
}

TEST(Cost, FromASourceIsCutToTheMostAndFallsBack) {
  Cost cost;
  cost.fallback = Tokens::whole(3);
  cost.most = Tokens::whole(10);
  EXPECT_EQ(cost_from_source(cost, Tokens::whole(9)), Tokens::whole(9));
  EXPECT_EQ(cost_from_source(cost, Tokens::whole(11)), Tokens::whole(10));
  EXPECT_EQ(cost_from_source(cost, std::nullopt), Tokens::whole(3));
}

}  // namespace
}  // namespace sluice::rules
