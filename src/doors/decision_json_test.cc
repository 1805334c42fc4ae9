#include "doors/decision_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/answers_testing.h"

namespace sluice::doors {
namespace {

using limiter::Reason;
using nlohmann::json;

std::string text_of(AnswerUnderTest& made, DecisionDetails details = {}) {
  std::string out;
  JsonWriter writer(out);
  write_decision(writer, made.answer(), details);
  return out;
}

json body(AnswerUnderTest& made, DecisionDetails details = {}) { return json::parse(text_of(made, details)); }

TEST(DecisionJson, AnAllowedRequestIsToldWhereItStandsUnderItsTightestRule) {
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens::micros(7'250'000), .reset_after = Duration(1'275'000'000)});
  EXPECT_EQ(text_of(made),
            R"({"allowed":true,"reason":null,"policy":"public-api","rule":"free","limit":20,"remaining":7.25,)"
            R"("retry_after_ms":0,"reset_after_ms":1275,"buckets":[{"policy":"public-api","rule":"free","limit":20,)"
            R"("remaining":7.25,"cost":1,"allowed":true,"retry_after_ms":0,"reset_after_ms":1275}]})");
}

TEST(DecisionJson, ARejectionNamesItsRuleAndItsExactWaitRoundedUpToAMillisecond) {
  AnswerUnderTest made;
  made.bucket({.rule = "global"});
  made.bucket({.remaining = Tokens(), .allowed = false, .retry_after = Duration(100'000'001)});
  made.reject(Reason::kExceeded, Duration(100'000'001));
  const json told = body(made);
  EXPECT_EQ(told["allowed"], false);
  EXPECT_EQ(told["reason"], "token_bucket_exceeded");
  EXPECT_EQ(told["rule"], "free");
  EXPECT_EQ(told["retry_after_ms"], 101);
  EXPECT_EQ(told["remaining"], 0);
  EXPECT_EQ(told["buckets"][0]["allowed"], true);
  EXPECT_EQ(told["buckets"][0]["retry_after_ms"], 0);
  EXPECT_EQ(told["buckets"][1]["retry_after_ms"], 101);
}

TEST(DecisionJson, WhereNoWaitHelpsItIsNull) {
  AnswerUnderTest made;
  made.bucket({.cost = Tokens::whole(21), .allowed = false, .retry_after = kForever});
  made.reject(Reason::kCostExceedsCapacity, kForever);
  EXPECT_TRUE(body(made)["retry_after_ms"].is_null());
  EXPECT_TRUE(body(made)["buckets"][0]["retry_after_ms"].is_null());
}

TEST(DecisionJson, AnAnswerOfNoBucketHasAllFieldsAndNoNumbers) {
  AnswerUnderTest made;
  EXPECT_EQ(text_of(made), R"({"allowed":true,"reason":null,"policy":null,"rule":null,"limit":null,"remaining":null,)"
                           R"("retry_after_ms":0,"reset_after_ms":null,"buckets":[]})");
}

TEST(DecisionJson, KeysAreToldOnlyToThoseWhoAskForThem) {
  AnswerUnderTest made;
  made.bucket({.key = "secret"}).shadow({.key = "secret"});
  EXPECT_EQ(text_of(made).find("secret"), std::string::npos);
  EXPECT_EQ(body(made, {.keys = true})["buckets"][0]["key"], "secret");
}

TEST(DecisionJson, ShadowDegradedAndDelayAreThereOnlyWhenThereIsSomethingToTell) {
  AnswerUnderTest made;
  made.bucket({});
  for (const char* name : {"shadow", "degraded", "delay_ms"}) EXPECT_FALSE(body(made).contains(name)) << name;
  made.shadow({.rule = "dry-run", .allowed = false, .retry_after = Duration::millis(5)});
  made.answer().degraded = true;
  made.answer().delay = Duration(1);
  EXPECT_EQ(body(made)["shadow"][0]["rule"], "dry-run");
  EXPECT_EQ(body(made)["shadow"][0]["retry_after_ms"], 5);
  EXPECT_EQ(body(made)["degraded"], true);
  EXPECT_EQ(body(made)["delay_ms"], 1);
}

RC_GTEST_PROP(DecisionJson, WhateverIsInAnAnswerTheBodyParsesAndSaysIt, ()) {
  auto made = any_answer();
  const limiter::Answer& answer = made.answer();
  const json told = json::parse(text_of(made, {.keys = true}), nullptr, false);
  RC_ASSERT(!told.is_discarded());
  RC_ASSERT(told["allowed"] == answer.allowed);
  RC_ASSERT(told["reason"].is_null() == answer.allowed);
  RC_ASSERT(told["buckets"].size() == answer.buckets.size());
  RC_ASSERT(told.contains("shadow") == !answer.shadow.empty());
  for (size_t i = 0; i < answer.buckets.size(); ++i) {
    const double remaining = told["buckets"][i]["remaining"];
    RC_ASSERT(static_cast<int64_t>(std::llround(remaining * 1e6)) == answer.buckets[i].remaining.micros());
  }
}

}  // namespace
}  // namespace sluice::doors
