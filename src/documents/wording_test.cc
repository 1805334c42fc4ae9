#include "documents/wording.h"

#include <gtest/gtest.h>

namespace sluice::documents {
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

TEST(Quote, IsCutShortBetweenCharacters) {
  EXPECT_EQ(quote("a"), "'a'");
  EXPECT_EQ(quote(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(quote(std::string(59, 'a') + "\u00e9b"), "'" + std::string(59, 'a') + "...'");
}

TEST(Printable, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31m\u009b2J\u00e9\x7f\n"), "a?[31m?2J\u00e9??");
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(Listing, SaysOrBeforeTheLast) {
  EXPECT_EQ(listing({}), "");
  EXPECT_EQ(listing({"a"}), "a");
  EXPECT_EQ(listing({"a", "b", "c"}), "a, b or c");
}

TEST(Found, TellsKindAndValueInAFewWords) {
  Node node;
  EXPECT_EQ(found(node), "null");
  node.kind = Kind::kString;
  node.text = "ten";
  EXPECT_EQ(found(node), "the string 'ten'");
  node.kind = Kind::kNumber;
  node.text = std::string(1'000, '9');
  EXPECT_EQ(found(node), std::string(60, '9') + "...");
  node.kind = Kind::kBool;
  EXPECT_EQ(found(node), "false");
}

}  // namespace
}  // namespace sluice::documents
