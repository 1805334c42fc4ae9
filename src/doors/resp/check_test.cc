// SLUICE.CHECK, PEEK, REFUND and RESET: their arguments, and what they answer in both protocols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doors/resp/session_testing.h"
#include "limiter/limiter_testing.h"
#include "resp_client/reply_reader.h"

namespace sluice::doors::resp {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    auto rules =
        limiter::rule_set({limiter::rule("user", {"attr:user_id"}, limiter::per_second(0.5, 2.5)),
                           limiter::rule("path", {"path", "query:q", "header:h"}, limiter::per_second(1, 100))});
    rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kSkip;
    rules->policies[0].rules[1].on_missing_key = rules::OnMissingKey::kSkip;
    test_.limiter.set_rules(rules);
    test_.ask({"HELLO", "3"});
  }

  json ask(std::initializer_list<std::string_view> arguments) {
    const std::string bytes = test_.ask(arguments);
    std::string_view rest = bytes;
    const auto reply = resp_client::read_reply(rest);
    EXPECT_TRUE(reply && rest.empty()) << bytes;
    return reply.value_or(json());
  }
  std::string fault(std::initializer_list<std::string_view> arguments) { return ask(arguments).value("error", ""); }

  SessionUnderTest test_;
};

TEST_F(CheckTest, AnswersAMapOfTheFieldsThatADecisionHas) {
  EXPECT_EQ(ask({"SLUICE.CHECK", "METHOD", "GET", "PATH", "/", "ATTR", "user_id", "7"}), json::parse(R"({
    "allowed": true, "reason": null, "policy": "p", "rule": "user", "limit": 2.5, "remaining": 1.5,
    "retry_after_ms": 0, "reset_after_ms": 2000,
    "buckets": [{"policy": "p", "rule": "user", "limit": 2.5, "remaining": 1.5, "cost": 1, "allowed": true,
                 "retry_after_ms": 0, "reset_after_ms": 2000}]})"));
}

TEST_F(CheckTest, AnswersTheSameFlatInResp2) {
  test_.ask({"HELLO", "2"});
  const json flat = ask({"sluice.check", "attr", "user_id", "7"});
  EXPECT_EQ(flat, json::parse(R"(["allowed", 1, "reason", null, "policy", "p", "rule", "user", "limit", "2.5",
    "remaining", "1.5", "retry_after_ms", 0, "reset_after_ms", 2000, "buckets", [["policy", "p", "rule", "user",
    "limit", "2.5", "remaining", "1.5", "cost", 1, "allowed", 1, "retry_after_ms", 0, "reset_after_ms", 2000]]])"));
}

TEST_F(CheckTest, ARejectionIsAReplyAndNoError) {
  ask({"SLUICE.CHECK", "ATTR", "user_id", "7", "COST", "2.5"});
  const json rejected = ask({"SLUICE.CHECK", "ATTR", "user_id", "7", "COST", "0.000001"});
  EXPECT_EQ(rejected["allowed"], false);
  EXPECT_EQ(rejected["reason"], "token_bucket_exceeded");
  EXPECT_EQ(rejected["retry_after_ms"], 1);
  const json never = ask({"SLUICE.CHECK", "ATTR", "user_id", "7", "COST", "3"});
  EXPECT_EQ(never["reason"], "cost_exceeds_capacity");
  EXPECT_TRUE(never["retry_after_ms"].is_null());
}

TEST_F(CheckTest, RequestsThatNoRuleIsForPass) {
  const json reply = ask({"SLUICE.CHECK", "METHOD", "GET"});
  EXPECT_EQ(reply["allowed"], true);
  EXPECT_TRUE(reply["limit"].is_null());
  EXPECT_TRUE(reply["buckets"].empty());
}

TEST_F(CheckTest, TheQueryOfThePathCountsWhereNoneIsGiven) {
  EXPECT_EQ(ask({"SLUICE.CHECK", "PATH", "/a?q=1%202#x", "HEADER", "H", "v"})["remaining"], 99);
  EXPECT_EQ(ask({"SLUICE.CHECK", "QUERY", "q", "1 2", "HEADER", "h", "v", "PATH", "/a?q=other"})["remaining"], 98);
  EXPECT_EQ(ask({"SLUICE.CHECK", R"({"path": "/a?q=1+2", "headers": {"h": "v"}, "cost": 8})"})["remaining"], 90);
}

TEST_F(CheckTest, ABucketOfOnesOwnNeedsNoRules) {
  const json first = ask({"SLUICE.CHECK", "KEY", "user:42", "RATE", "10", "BURST", "50", "COST", "5"});
  EXPECT_EQ(first["remaining"], 45);
  EXPECT_TRUE(first["rule"].is_null());
  EXPECT_EQ(ask({"SLUICE.CHECK", "burst", "50", "rate", "10", "key", "user:42"})["remaining"], 44);
}

TEST_F(CheckTest, PeekTakesNothingRefundGivesBackResetFillsUp) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask({"SLUICE.PEEK", "ATTR", "user_id", "7"})["remaining"], 2.5);
    EXPECT_EQ(ask({"SLUICE.PEEK", "KEY", "k", "RATE", "1", "BURST", "5"})["remaining"], 5);
  }
  ask({"SLUICE.CHECK", "ATTR", "user_id", "7", "COST", "2"});
  ask({"SLUICE.CHECK", "KEY", "k", "RATE", "1", "BURST", "5", "COST", "4"});
  EXPECT_EQ(ask({"SLUICE.REFUND", "ATTR", "user_id", "7"}), "OK");
  EXPECT_EQ(ask({"SLUICE.REFUND", "KEY", "k", "RATE", "1", "BURST", "5", "COST", "2"}), "OK");
  EXPECT_EQ(ask({"SLUICE.PEEK", "ATTR", "user_id", "7"})["remaining"], 1.5);
  EXPECT_EQ(ask({"SLUICE.PEEK", "KEY", "k", "RATE", "1", "BURST", "5"})["remaining"], 3);
  EXPECT_EQ(ask({"SLUICE.RESET", "ATTR", "user_id", "7"}), "OK");
  EXPECT_EQ(ask({"SLUICE.RESET", "KEY", "k"}), "OK");
  EXPECT_EQ(ask({"SLUICE.PEEK", "ATTR", "user_id", "7"})["remaining"], 2.5);
  EXPECT_EQ(ask({"SLUICE.PEEK", "KEY", "k", "RATE", "1", "BURST", "5"})["remaining"], 5);
}

TEST_F(CheckTest, RefundAndResetSayOkOnlyForWhatTheyDid) {
  auto rules = limiter::rule_set({limiter::rule("user", {"attr:user_id"}, limiter::per_second(0.5, 2.5))});
  rules->policies[0].rules[0].on_missing_key = rules::OnMissingKey::kDeny;
  test_.limiter.set_rules(rules);
  EXPECT_EQ(fault({"SLUICE.REFUND", "PATH", "/"}), "ERR nothing was done: missing_key");
  EXPECT_EQ(fault({"SLUICE.RESET", "PATH", "/"}), "ERR nothing was done: missing_key");
}

TEST_F(CheckTest, ErrorsNameTheArgument) {
  EXPECT_THAT(fault({"SLUICE.CHECK", "VERB", "GET"}), HasSubstr("ERR 'VERB' is none of METHOD, PATH"));
  EXPECT_EQ(fault({"SLUICE.CHECK", "METHOD"}), "ERR METHOD needs a value");
  EXPECT_EQ(fault({"SLUICE.CHECK", "HEADER", "a"}), "ERR HEADER needs a name and a value");
  EXPECT_EQ(fault({"SLUICE.CHECK", "PATH", "/a", "path", "/b"}), "ERR PATH stands twice");
  EXPECT_EQ(fault({"SLUICE.CHECK", "KEY", "k", "RATE", "1", "BURST", "1", "IP", "::1"}),
            "ERR BURST is of a bucket beside the rules, and cannot stand with IP");
  EXPECT_THAT(fault({"SLUICE.CHECK", "RATE", "1", "BURST", "1"}), HasSubstr("ERR KEY is missing"));
  EXPECT_THAT(fault({"SLUICE.CHECK", "KEY", "k", "BURST", "1"}), HasSubstr("ERR RATE must be"));
  EXPECT_THAT(fault({"SLUICE.REFUND", "KEY", "k"}), HasSubstr("ERR RATE must be"));
  for (const char* const bad : {"0", "-1", "nan", "inf", "1e309", "0x10", "", "1 ", "1e13"}) {
    EXPECT_THAT(fault({"SLUICE.CHECK", "KEY", "k", "RATE", bad, "BURST", "1"}), HasSubstr("ERR RATE must be")) << bad;
    EXPECT_THAT(fault({"SLUICE.CHECK", "KEY", "k", "RATE", "1", "BURST", bad}), HasSubstr("ERR BURST must be")) << bad;
    EXPECT_THAT(fault({"SLUICE.CHECK", "PATH", "/", "COST", bad}), HasSubstr("ERR COST must be")) << bad;
  }
  EXPECT_THAT(fault({"SLUICE.CHECK", R"({"path": 1})"}), HasSubstr("ERR path must be a string, but is a number"));
  EXPECT_THAT(fault({"SLUICE.CHECK", R"({"path": )"}), HasSubstr("ERR JSON, character "));
  EXPECT_THAT(fault({"SLUICE.CHECK"}), HasSubstr("wrong number of arguments for 'sluice.check'"));
  EXPECT_EQ(test_.memory->stats().keys, 0u);
}

TEST_F(CheckTest, AnEstimateIsTakenAndSettledLater) {
  const json reserved =
      ask({"SLUICE.RESERVE", "KEY", "llm:7", "RATE", "1", "BURST", "100", "COST", "60", "TTL", "5000"});
  EXPECT_EQ(reserved["remaining"], 40);
  EXPECT_EQ(reserved["expires_in_ms"], 5000);
  const std::string handle = reserved["handle"];
  EXPECT_EQ(ask({"SLUICE.SETTLE", handle, "10"}), json::parse(R"({"settled": true, "lacked": 0})"));
  EXPECT_THAT(fault({"SLUICE.SETTLE", handle, "10"}), HasSubstr("no such reservation"));
  EXPECT_EQ(ask({"SLUICE.PEEK", "KEY", "llm:7", "RATE", "1", "BURST", "100"})["remaining"], 90);
}

TEST_F(CheckTest, SettlingSaysWhatIsWrong) {
  EXPECT_THAT(fault({"SLUICE.SETTLE", "x", "-1"}), HasSubstr("cost must be a number from 0 to 1e12"));
  EXPECT_THAT(fault({"SLUICE.CHECK", "KEY", "k", "RATE", "1", "BURST", "1", "TTL", "5"}), HasSubstr("TTL is of"));
  EXPECT_THAT(fault({"SLUICE.RESERVE", "KEY", "k", "RATE", "1", "BURST", "1", "TTL", "0"}), HasSubstr("TTL must be"));
}

}  // namespace
}  // namespace sluice::doors::resp
