#include "rules/language/nearest.h"

#include <gtest/gtest.h>

namespace sluice::rules::language {
namespace {

constexpr std::string_view kWords[] = {"burst", "burst_seconds", "limit", "limit_keys", "match"};

TEST(Nearest, ForgivesCaseSeparatorsAndFewLetters) {
  EXPECT_EQ(nearest("Burst", kWords), "burst");
  EXPECT_EQ(nearest("burts", kWords), "burst");
  EXPECT_EQ(nearest("limit-keys", kWords), "limit_keys");
  EXPECT_EQ(nearest("limitkeys", kWords), "limit_keys");
  EXPECT_EQ(nearest("mtach", kWords), "match");
  EXPECT_EQ(nearest("burstSeconds", kWords), "burst_seconds");
}

TEST(Nearest, DoesNotGuessWildly) {
  EXPECT_EQ(nearest("zzz", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(10'000, 'b'), kWords), std::nullopt);
  EXPECT_EQ(nearest("capacity", kWords), std::nullopt);
}

}  // namespace
}  // namespace sluice::rules::language
