#include "doors/headers.h"

#include <gtest/gtest.h>

#include <set>

#include "doors/answers_testing.h"

namespace sluice::doors {
namespace {

using limiter::Reason;

constexpr rules::HeaderSets kNone{.ietf = false, .legacy = false, .x = false};
constexpr rules::HeaderSets kIetf{.ietf = true, .legacy = false, .x = false};
constexpr rules::HeaderSets kLegacy{.ietf = false, .legacy = true, .x = false};
constexpr rules::HeaderSets kX{.ietf = false, .legacy = false, .x = true};
constexpr rules::HeaderSets kAll{.ietf = true, .legacy = true, .x = true};

std::string text_of(AnswerUnderTest& made, rules::HeaderSets sets, Duration since_epoch = Duration::seconds(1000)) {
  HeaderFields headers;
  headers.render(made.answer(), {sets, since_epoch});
  std::string text;
  for (const HeaderField& field : headers.fields()) {
    text += std::string(field.name) + ": " + std::string(field.value) + "\n";
  }
  return text;
}

AnswerUnderTest allowed() {
  AnswerUnderTest made;
  made.bucket({});
  return made;
}

AnswerUnderTest rejected() {
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens(),
               .reset_after = Duration::seconds(2),
               .allowed = false,
               .retry_after = Duration::millis(100)});
  made.reject(Reason::kExceeded, Duration::millis(100));
  return made;
}

TEST(Headers, TheIetfSetTellsThePolicyAndWhereTheCallerStands) {
  auto made = allowed();
  EXPECT_EQ(text_of(made, kIetf), "RateLimit-Policy: \"free\";q=20;w=2\nRateLimit: \"free\";r=7;t=1\n");
}

TEST(Headers, TheLegacySetTellsSecondsUntilTheBucketIsFull) {
  auto made = allowed();
  EXPECT_EQ(text_of(made, kLegacy), "RateLimit-Limit: 20\nRateLimit-Remaining: 7\nRateLimit-Reset: 2\n");
}

TEST(Headers, TheXSetTellsTheFirstWholeSecondOfTheCalendarAtWhichItIs) {
  auto made = allowed();  // full in 1.3 s
  EXPECT_EQ(text_of(made, kX, Duration::millis(1'700'000'000'600)),
            "X-RateLimit-Limit: 20\nX-RateLimit-Remaining: 7\nX-RateLimit-Reset: 1700000002\n");
  EXPECT_NE(text_of(made, kX, Duration::millis(1'700'000'000'701)).find("1700000003"), std::string::npos);
}

TEST(Headers, AllSetsTogetherHaveNoNameTwice) {
  auto made = rejected();
  HeaderFields headers;
  headers.render(made.answer(), {kAll, Duration()});
  std::set<std::string_view> names;
  for (const HeaderField& field : headers.fields()) names.insert(field.name);
  EXPECT_EQ(names.size(), HeaderFields::kMostFields);
  EXPECT_EQ(headers.fields().size(), HeaderFields::kMostFields);
}

TEST(Headers, ARejectionIsToldWithItsReasonAndWaitWhicheverSetsAreChosen) {
  auto made = rejected();
  const std::string text = text_of(made, kNone);
  EXPECT_TRUE(text == "Retry-After: 1\nX-Sluice-Reason: token_bucket_exceeded\n" ||
              text == "Retry-After: 2\nX-Sluice-Reason: token_bucket_exceeded\n")
      << text;
  EXPECT_NE(text_of(made, kIetf).find("RateLimit: \"free\";r=0;t=1\n"), std::string::npos);
}

TEST(Headers, WhereNoWaitHelpsThereIsNoRetryAfter) {
  AnswerUnderTest made;
  made.bucket({.cost = Tokens::whole(21), .allowed = false, .retry_after = kForever});
  made.reject(Reason::kCostExceedsCapacity, kForever);
  EXPECT_EQ(text_of(made, kNone), "X-Sluice-Reason: cost_exceeds_capacity\n");
}

TEST(Headers, AnAnswerOfNoBucketHasNoneOfTheSets) {
  AnswerUnderTest made;
  EXPECT_EQ(text_of(made, kAll), "");
  made.reject(Reason::kKillSwitch, kForever);
  EXPECT_EQ(text_of(made, kAll), "X-Sluice-Reason: kill_switch\n");
}

TEST(Headers, ShadowRulesDoNotShow) {
  auto made = allowed();
  const std::string before = text_of(made, kAll);
  made.shadow({.rule = "dry-run", .remaining = Tokens(), .allowed = false, .retry_after = Duration::seconds(9)});
  EXPECT_EQ(text_of(made, kAll), before);
}

TEST(Headers, EveryPolicyIsListedOnceAndTheTightestIsSpokenOf) {
  const Limit per_day = *Limit::token_bucket(Rate::per(1000, Duration::seconds(86'400)).value(), Tokens::whole(1000));
  AnswerUnderTest made;
  made.bucket({.rule = "global", .limit = *Limit::token_bucket(50'000, 100'000)});
  made.bucket({.remaining = Tokens::whole(3)});
  made.bucket({.limit = per_day, .remaining = Tokens::micros(2'999'999), .reset_after = Duration::seconds(86'141)});
  made.bucket({.policy = "other"});
  HeaderFields headers;
  limiter::Answer answer = made.answer();
  answer.tightest = &answer.buckets[2];
  headers.render(answer, {kIetf, Duration()});
  EXPECT_EQ(headers.fields()[0].value, "\"global\";q=100000;w=2, \"free\";q=20;w=2, \"free-2\";q=1000;w=86400");
  EXPECT_EQ(headers.fields()[1].value, "\"free-2\";r=2;t=1");
}

TEST(Headers, AFullBucketIsToldWithoutATime) {
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens::whole(20), .reset_after = Duration()});
  EXPECT_NE(text_of(made, kIetf).find("RateLimit: \"free\";r=20\n"), std::string::npos);
  EXPECT_NE(text_of(made, kLegacy).find("RateLimit-Reset: 0\n"), std::string::npos);
}

TEST(Headers, AnAdmittedRequestThatMustBeHeldIsToldForHowLong) {
  auto made = allowed();
  made.answer().delay = Duration(250'000'001);
  EXPECT_EQ(text_of(made, kNone), "X-Sluice-Delay-Ms: 251\n");
  made.answer().delay = Duration();
  EXPECT_EQ(text_of(made, kNone), "");
}

TEST(Headers, ANameWithQuotesIsEscapedAndOneWithLineEndsAddsNoLine) {
  AnswerUnderTest made;
  made.bucket({.rule = "a\"b\\c\r\nSet-Cookie: d", .key = "\r\nX: y"});
  EXPECT_EQ(text_of(made, kIetf),
            "RateLimit-Policy: \"a\\\"b\\\\c__Set-Cookie: d\";q=20;w=2\n"
            "RateLimit: \"a\\\"b\\\\c__Set-Cookie: d\";r=7;t=1\n");
}

TEST(Headers, OneRenderedAnewHasNothingOfWhatWasThere) {
  HeaderFields headers;
  headers.render(rejected().answer(), {kAll, Duration()});
  headers.render(allowed().answer(), {kLegacy, Duration()});
  ASSERT_EQ(headers.fields().size(), 3u);
  EXPECT_EQ(headers.fields()[1].value, "7");
}

}  // namespace
}  // namespace sluice::doors
