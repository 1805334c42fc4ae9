#include "doors/problem.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/answers_testing.h"
#include "doors/headers.h"
#include "doors/status.h"
#include "structured_fields/parser.h"

namespace sluice::doors {
namespace {

using limiter::Reason;
using nlohmann::json;

std::string text_of(AnswerUnderTest& made) {
  std::string out;
  JsonWriter writer(out);
  write_problem(writer, made.answer());
  return out;
}

json body(AnswerUnderTest& made) { return json::parse(text_of(made)); }

TEST(Problem, ALimitThatIsExceededIsAQuotaExceeded) {
  AnswerUnderTest made;
  made.bucket({.remaining = Tokens::micros(400'000), .allowed = false, .retry_after = Duration::millis(60)});
  made.reject(Reason::kExceeded, Duration::millis(60));
  EXPECT_EQ(text_of(made),
            R"({"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded",)"
            R"("status":429,"detail":"Of 20 tokens 0.4 are left, and this request takes 1. It passes in 60 ms, )"
            R"(if no other comes first.","violated-policies":["free"],"reason":"token_bucket_exceeded",)"
            R"("policy":"public-api","rule":"free","retry_after_ms":60})");
}

TEST(Problem, ViolatedAreThoseBucketsThatReject) {
  AnswerUnderTest made;
  made.bucket({.rule = "global"});
  made.bucket({.allowed = false, .retry_after = Duration(1)});
  made.bucket({.limit = *Limit::token_bucket(1, 1000)});
  made.bucket({.limit = *Limit::token_bucket(1, 2000), .allowed = false, .retry_after = Duration(1)});
  made.reject(Reason::kExceeded, Duration(1));
  EXPECT_EQ(body(made)["violated-policies"], json({"free", "free-3"}));
}

TEST(Problem, WhatCanNeverPassIsSaidToAndHasNoWait) {
  AnswerUnderTest made;
  made.bucket({.cost = Tokens::whole(50), .allowed = false, .retry_after = kForever});
  made.reject(Reason::kCostExceedsCapacity, kForever);
  const json told = body(made);
  EXPECT_FALSE(told.contains("retry_after_ms"));
  EXPECT_EQ(told["reason"], "cost_exceeds_capacity");
  EXPECT_EQ(told["detail"], "This request takes 50 tokens, and there are never more than 20: waiting does not help.");
}

TEST(Problem, AKillSwitchSpeaksInItsOwnWords) {
  AnswerUnderTest made;
  made.reject(Reason::kKillSwitch, kForever);
  EXPECT_EQ(body(made)["detail"], "Such requests are refused until further notice.");
  made.answer().detail = "key \"leaked\"\n";
  const json told = body(made);
  EXPECT_EQ(told["detail"], "key \"leaked\"\n");
  EXPECT_EQ(told["type"], "about:blank");
  EXPECT_EQ(told["title"], "Too Many Requests");
  EXPECT_EQ(told["status"], 429);
  for (const char* name : {"violated-policies", "policy", "rule", "retry_after_ms"}) {
    EXPECT_FALSE(told.contains(name)) << name;
  }
}

TEST(Problem, AStoreThatIsAwayIsNotTheCallersQuota) {
  AnswerUnderTest made;
  made.reject(Reason::kStoreUnavailable, kForever);
  EXPECT_EQ(body(made)["status"], 503);
  EXPECT_EQ(body(made)["type"], "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
}

RC_GTEST_PROP(Problem, WhateverIsInARejectionTheBodyParsesAndNamesOnlyPoliciesThatTheHeadersList, ()) {
  auto made = any_answer();
  const limiter::Answer& answer = made.answer();
  RC_PRE(!answer.allowed);
  const json told = json::parse(text_of(made), nullptr, false);
  RC_ASSERT(!told.is_discarded());
  RC_ASSERT(told["status"] == http_status(answer));
  RC_ASSERT(!told["detail"].get<std::string>().empty());
  RC_ASSERT(told.contains("retry_after_ms") == (answer.retry_after < kForever));
  HeaderFields headers;
  headers.render(answer, {{.ietf = true, .legacy = false, .x = false}, Duration()});
  std::set<std::string> listed;
  if (answer.tightest != nullptr) {
    const auto policies = structured_fields::parse_list(headers.fields()[0].value);
    for (const auto& item : policies.value()) {
      listed.insert(std::get<std::string>(item.value));
    }
  }
  const json violated = told.value("violated-policies", json::array());
  for (const auto& name : violated) RC_ASSERT(listed.count(name) == 1);
}

}  // namespace
}  // namespace sluice::doors
