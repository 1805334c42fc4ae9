#include "doors/policy_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "doors/answers_testing.h"

namespace sluice::doors {
namespace {

using ::testing::ElementsAre;

const Limit kPerSecond = *Limit::token_bucket(10, 20);
const Limit kPerHour = *Limit::token_bucket(Rate::per(1000, Duration::seconds(3600)).value(), Tokens::whole(1000));

std::vector<std::string> names(AnswerUnderTest& made) {
  const PolicyList list(made.answer());
  std::vector<std::string> found;
  for (const QuotaPolicy& policy : list.policies()) found.emplace_back(policy.name());
  return found;
}

std::vector<std::string> names_of(const std::vector<std::string>& rules) {
  AnswerUnderTest made;
  double burst = 1;
  for (const std::string& rule : rules) made.bucket({.rule = rule, .limit = *Limit::token_bucket(1, burst++)});
  return names(made);
}

TEST(PolicyList, LimitsAreNamedAfterTheirRules) {
  EXPECT_THAT(names_of({"free", "global"}), ElementsAre("free", "global"));
}

TEST(PolicyList, TheSecondLimitOfARuleIsNumberedTwo) {
  EXPECT_THAT(names_of({"free", "free", "free"}), ElementsAre("free", "free-2", "free-3"));
}

TEST(PolicyList, ANumberNeverMakesTheNameOfAnotherRule) {
  EXPECT_THAT(names_of({"free-2", "free", "free"}), ElementsAre("free-2", "free", "free-3"));
  EXPECT_THAT(names_of({"free", "free", "free-2"}), ElementsAre("free", "free-2", "free-2-2"));
}

TEST(PolicyList, RulesOfOneNameInTwoPoliciesAreToldApartUnlessTheirLimitsAreTheSame) {
  AnswerUnderTest made;
  made.bucket({.limit = kPerSecond, .policy = "a"}).bucket({.limit = kPerHour, .policy = "b"});
  made.bucket({.limit = kPerSecond, .policy = "c"});
  EXPECT_THAT(names(made), ElementsAre("free", "free-2"));
  const PolicyList list(made.answer());
  EXPECT_EQ(list.find(made.answer().buckets[2]), &list.policies()[0]);
  EXPECT_EQ(list.find(made.answer().buckets[1])->name(), "free-2");
}

TEST(PolicyList, WhatAStringCannotCarryIsShownAsOneSignForEachCharacter) {
  EXPECT_THAT(names_of({"über", "名前", "a\r\nb", std::string("a\0b", 3), "\xff\xfe", "\x80\x80", "\x7f"}),
              ElementsAre("_ber", "__", "a__b", "a_b", "__-2", "_", "_-2"));
}

TEST(PolicyList, QuotesAndBackslashesStay) { EXPECT_THAT(names_of({R"(a"b\c)"}), ElementsAre(R"(a"b\c)")); }

TEST(PolicyList, ABucketWithoutARuleIsCalledDefault) { EXPECT_THAT(names_of({""}), ElementsAre("default")); }

TEST(PolicyList, LongNamesAreCutAndStillDiffer) {
  const std::string name(1000, 'n');
  const auto found = names_of({name + "a", name + "b"});
  EXPECT_EQ(found[0], std::string(QuotaPolicy::kLongestName, 'n'));
  EXPECT_EQ(found[1], std::string(QuotaPolicy::kLongestName - 4, 'n') + "-2");
}

TEST(PolicyList, EvenTheMostBucketsOfOneLongNameAreAllToldApart) {
  const auto found = names_of(std::vector<std::string>(PolicyList::kMost, std::string(200, 'n')));
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), PolicyList::kMost);
  EXPECT_EQ(found.back().substr(QuotaPolicy::kLongestName - 4), "-32");
}

TEST(PolicyList, WithMoreBucketsThanFitTheTightestIsAmongThem) {
  AnswerUnderTest made;
  for (int i = 0; i < 40; ++i) made.bucket({.rule = "r" + std::to_string(i)});
  made.bucket({.rule = "last", .allowed = false});
  const PolicyList list(made.answer());
  EXPECT_EQ(list.policies().size(), PolicyList::kMost);
  ASSERT_NE(list.find(*made.answer().tightest), nullptr);
  EXPECT_EQ(list.find(*made.answer().tightest)->name(), "last");
  EXPECT_EQ(list.find(made.answer().buckets[39]), nullptr);
}

}  // namespace
}  // namespace sluice::doors
