#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "sluice/limit.h"

namespace sluice {
namespace {

TEST(Describe, NamesTheFieldAndWhatWouldBeRight) {
  EXPECT_EQ(describe({ErrorCode::kNotPositive, "rate"}), "rate must be greater than 0");
  EXPECT_EQ(describe({ErrorCode::kNotFinite, "cost"}), "cost must be a finite number");
}

TEST(Describe, SpeaksOfTheBoundsOfTheFieldItself) {
  EXPECT_EQ(describe({ErrorCode::kTooLarge, "rate"}), "rate must be at most 1e9 tokens per second");
  EXPECT_EQ(describe({ErrorCode::kTooLarge, "burst"}), "burst must be at most 1e9 tokens");
  EXPECT_EQ(describe({ErrorCode::kTooLarge, "cost"}), "cost must be at most 1e12 tokens");
}

TEST(Describe, HasADifferentSentenceForEveryCodeOfAnUnknownField) {
  std::set<std::string> sentences;
  for (const ErrorCode code : {ErrorCode::kNotFinite, ErrorCode::kNotPositive, ErrorCode::kTooSmall,
                               ErrorCode::kTooLarge, ErrorCode::kTooMany, ErrorCode::kOutOfMemory}) {
    const std::string sentence = describe({code, "keys"});
    EXPECT_EQ(sentence.rfind("keys ", 0), 0u) << sentence;
    EXPECT_EQ(sentence.find("not valid"), std::string::npos) << sentence;
    sentences.insert(sentence);
  }
  EXPECT_EQ(sentences.size(), 6u);
}

TEST(Describe, AFieldWithoutANameIsTheValue) {
  EXPECT_EQ(describe({ErrorCode::kNotPositive, ""}), "the value must be greater than 0");
}

// The bounds are written once in the arithmetic and once in words: each sentence must hold at its edge.
TEST(Describe, QuotesTheBoundsThatTheArithmeticKeeps) {
  EXPECT_TRUE(Rate::per_second(1e9).ok());
  EXPECT_EQ(Rate::per_second(1.000001e9).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(Rate::per_second(1e-9).ok());
  EXPECT_EQ(Rate::per_second(0.999e-9).error().code, ErrorCode::kTooSmall);
  EXPECT_TRUE(capacity_of(1e9).ok());
  EXPECT_EQ(capacity_of(1.000001e9).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(capacity_of(0.000001).ok());
  EXPECT_EQ(capacity_of(0.0000009).error().code, ErrorCode::kTooSmall);
  EXPECT_TRUE(cost_of(1e12).ok());
  EXPECT_EQ(cost_of(1.000001e12).error().code, ErrorCode::kTooLarge);
  const Duration day = Duration::seconds(86'400);
  EXPECT_TRUE(Limit::fixed_window(kOneToken, Duration::millis(1)).ok());
  EXPECT_FALSE(Limit::fixed_window(kOneToken, Duration(Duration::millis(1).ns - 1)).ok());
  EXPECT_TRUE(Limit::fixed_window(Tokens::whole(100), Duration(36'600 * day.ns)).ok());
  EXPECT_FALSE(Limit::fixed_window(Tokens::whole(100), Duration(36'600 * day.ns + 1)).ok());
}

}  // namespace
}  // namespace sluice
