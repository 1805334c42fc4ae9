#include "doors/http/check_routes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

using nlohmann::json;

constexpr std::string_view kAdHoc = R"({"key": "user:42", "rate": 10, "burst": 2})";
constexpr std::string_view kByRules = R"({"request": {"path": "/v1/x", "headers": {"X-Api-Key": "k"}}})";

std::string detail_of(DoorUnderTest& door, std::string_view body, std::string_view path = "/v1/check") {
  const std::string got = door.post(path, body);
  EXPECT_EQ(status_of_text(got), 400) << got;
  EXPECT_EQ(field_of(got, "Content-Type"), "application/problem+json");
  return json::parse(body_of(got)).value("detail", "");
}

TEST(CheckRoutes, TakeFromABucketThatTheCallerNames) {
  DoorUnderTest door;
  const std::string first = door.post("/v1/check", kAdHoc);
  EXPECT_EQ(status_of_text(first), 200);
  EXPECT_EQ(field_of(first, "Content-Type"), "application/json");
  EXPECT_EQ(field_of(first, "RateLimit"), R"("default";r=1;t=1)");
  EXPECT_EQ(json::parse(body_of(first)), json::parse(R"({"allowed": true, "reason": null, "policy": null, "rule": null,
    "limit": 2, "remaining": 1, "retry_after_ms": 0, "reset_after_ms": 100, "buckets": [{"policy": null, "rule": null,
    "limit": 2, "remaining": 1, "cost": 1, "allowed": true, "retry_after_ms": 0, "reset_after_ms": 100}]})"));
  EXPECT_EQ(status_of_text(door.post("/v1/check", kAdHoc)), 200);
}

TEST(CheckRoutes, RejectWithHeadersAndAProblemThatHoldsTheDecision) {
  DoorUnderTest door;
  door.post("/v1/check", kAdHoc);
  door.post("/v1/check", kAdHoc);
  const std::string got = door.post("/v1/check", kAdHoc);
  EXPECT_EQ(status_of_text(got), 429);
  EXPECT_EQ(field_of(got, "Content-Type"), "application/problem+json");
  EXPECT_EQ(field_of(got, "X-Sluice-Reason"), "token_bucket_exceeded");
  EXPECT_NE(field_of(got, "Retry-After"), "none");
  const json body = json::parse(body_of(got));
  EXPECT_EQ(body["status"], 429);
  EXPECT_EQ(body["title"], "Quota exceeded");
  EXPECT_EQ(body["allowed"], false);
  EXPECT_EQ(body["retry_after_ms"], 100);
  EXPECT_EQ(body["buckets"].size(), 1u);
  door.time.now = door.time.now + Duration::millis(99);
  EXPECT_EQ(status_of_text(door.post("/v1/check", kAdHoc)), 429);
  door.time.now = door.time.now + Duration::millis(1);
  EXPECT_EQ(status_of_text(door.post("/v1/check", kAdHoc)), 200);
}

TEST(CheckRoutes, HideNothingBehindManyFieldsAndReadThemInTime) {
  constexpr std::string_view kRules = R"({"kill_switches": [{"key": "query:k", "value": "bad"},
    {"key": "cookie:k", "value": "bad"}, {"key": "header:x-k", "value": "bad"}], "rules": []})";
  std::string parameters;
  std::string cookies;
  std::string headers;
  for (int i = 0; i < 10'000; ++i) {
    parameters += "a&";
    cookies += "a=;";
    headers += R"("h)" + std::to_string(i) + R"(": "v", )";
  }
  DoorUnderTest door({}, kRules);
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& request :
       {R"("path": "/?)" + parameters + R"(k=bad")", R"("headers": {"cookie": ")" + cookies + R"(k=bad"})",
        R"("headers": {)" + headers + R"("x-k": "bad"})"}) {
    const std::string got = door.post("/v1/check", R"({"request": {)" + request + "}}");
    EXPECT_EQ(json::parse(body_of(got))["reason"], "kill_switch") << request.substr(0, 40);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(CheckRoutes, DecideByTheRules) {
  DoorUnderTest door;
  const json first = json::parse(body_of(door.post("/v1/check", kByRules)));
  EXPECT_EQ(first["rule"], "key");
  EXPECT_EQ(first["remaining"], 1);
  EXPECT_EQ(status_of_text(
                door.post("/v1/check", R"({"cost": 2, "request": {"path": "/v1/x", "headers": {"X-Api-Key": "k"}}})")),
            429);
  EXPECT_EQ(status_of_text(door.post("/v1/check", R"({"request": {"path": "/other"}})")), 200);
}

TEST(CheckRoutes, SayThatACostCanNeverPass) {
  DoorUnderTest door;
  const std::string got = door.post("/v1/check", R"({"key": "a", "rate": 1, "burst": 2, "cost": 3})");
  EXPECT_EQ(status_of_text(got), 429);
  EXPECT_EQ(field_of(got, "X-Sluice-Reason"), "cost_exceeds_capacity");
  EXPECT_EQ(field_of(got, "Retry-After"), "none");
}

TEST(CheckRoutes, PeekTakesNothing) {
  DoorUnderTest door;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(json::parse(body_of(door.post("/v1/peek", kAdHoc)))["remaining"], 2);
}

TEST(CheckRoutes, RefundGivesBack) {
  DoorUnderTest door;
  for (const std::string_view body : {kAdHoc, kByRules}) {
    door.post("/v1/check", body);
    door.post("/v1/check", body);
    EXPECT_EQ(status_of_text(door.post("/v1/check", body)), 429);
    const std::string got = door.post("/v1/refund", body);
    EXPECT_EQ(status_of_text(got), 200);
    EXPECT_EQ(body_of(got), R"({"refunded":true})");
    EXPECT_EQ(status_of_text(door.post("/v1/check", body)), 200);
    EXPECT_EQ(status_of_text(door.post("/v1/check", body)), 429);
  }
}

TEST(CheckRoutes, SayWhyNothingWasRefunded) {
  DoorUnderTest door({}, R"({"kill_switches": [{"key": "header:x-api-key", "value": "k"}],
    "rules": [{"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})");
  EXPECT_EQ(body_of(door.post("/v1/refund", kByRules)), R"({"refunded":false,"reason":"kill_switch"})");
}

TEST(CheckRoutes, SayWhatIsWrongWithABody) {
  DoorUnderTest door;
  EXPECT_EQ(detail_of(door, ""), "the body must be JSON, but is empty");
  EXPECT_EQ(detail_of(door, "{"),
            "line 1, column 2: expected a name in double quotes or '}', but found the end of the text");
  EXPECT_EQ(detail_of(door, "[]"), "the body must be an object, but is a list");
  EXPECT_EQ(detail_of(door, "{}"), "key is missing: a body has key, rate and burst, or request");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": 1})"),
            "burst is missing: a body has key, rate and burst, or request");
  EXPECT_EQ(detail_of(door, R"({"key": 1, "rate": 1, "burst": 1})"), "key must be a string, but is a number");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": "1", "burst": 1})"), "rate must be a number, but is a string");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": 0, "burst": 1})"),
            "rate must be tokens per second, from 1e-9 to 1e9, but is 0");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": 1, "burst": -5})"),
            "burst must be a number from 1e-6 to 1e9, but is -5");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": 1, "burst": 1, "cost": 0})"),
            "cost must be a number above 0 and at most 1e12, but is 0");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "rate": 1, "burst": 1, "cost": null})"),
            "cost must be a number, but is null");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "key": "b"})"), "field 'key' stands twice");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "window": 1})"),
            "there is no field 'window': a body has key, rate, burst and cost, or request and cost");
  EXPECT_EQ(detail_of(door, R"({"key": "a", "request": {}})"),
            "a body has either request or key, rate and burst, but this has request and key");
  EXPECT_EQ(detail_of(door, R"({"request": []})"), "request must be an object, but is a list");
  EXPECT_EQ(detail_of(door, R"({"request": {"path": 1}})"), "request: path must be a string, but is a number");
  EXPECT_EQ(detail_of(door, R"({"request": {"cost": 1}, "cost": 1})"),
            "cost must stand once, but stands beside request and in it");
  for (const char* path : {"/v1/peek", "/v1/refund"}) {
    EXPECT_EQ(detail_of(door, "{}", path), "key is missing: a body has key, rate and burst, or request");
  }
}

TEST(CheckRoutes, TellOfANamedBucketInTheHeadersThatTheRulesInForceWant) {
  DoorUnderTest door;
  EXPECT_EQ(field_of(door.post("/v1/check", kAdHoc), "X-RateLimit-Limit"), "none");
  ASSERT_EQ(door.load(R"({"headers": ["x"], "rules": [
    {"name": "a", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})"),
            "");
  const std::string got = door.post("/v1/check", kAdHoc);
  EXPECT_EQ(field_of(got, "X-RateLimit-Limit"), "2");
  EXPECT_EQ(field_of(got, "X-RateLimit-Reset"), "1800000001");
  EXPECT_EQ(field_of(got, "RateLimit"), "none");
}

TEST(CheckRoutes, ABatchDecidesWhatItCanAndTellsEachFaultInItsPlace) {
  DoorUnderTest door;
  const std::string body = "[" + std::string(kAdHoc) + ", {}, " + std::string(kAdHoc) + "," + std::string(kAdHoc) +
                           "," + std::string(kByRules) + ", 7]";
  const std::string got = door.post("/v1/check/batch", body);
  EXPECT_EQ(status_of_text(got), 200);
  EXPECT_EQ(field_of(got, "RateLimit"), "none");
  const json items = json::parse(body_of(got));
  ASSERT_EQ(items.size(), 6u);
  EXPECT_EQ(items[0]["status"], 200);
  EXPECT_EQ(items[0]["remaining"], 1);
  EXPECT_EQ(items[1],
            json::parse(R"({"status": 400, "detail": "key is missing: a body has key, rate and burst, or request"})"));
  EXPECT_EQ(items[2]["remaining"], 0);
  EXPECT_EQ(items[3]["status"], 429);
  EXPECT_EQ(items[3]["reason"], "token_bucket_exceeded");
  EXPECT_EQ(items[4]["rule"], "key");
  EXPECT_EQ(items[5]["detail"], "the body must be an object, but is a number");
}

TEST(CheckRoutes, ABatchHasAtMostAThousandItems) {
  DoorUnderTest door;
  json items = json::array();
  for (int i = 0; i < 1000; ++i) items.push_back({{"key", "k" + std::to_string(i)}, {"rate", 1}, {"burst", 1}});
  const json answers = json::parse(body_of(door.post("/v1/check/batch", items.dump())));
  ASSERT_EQ(answers.size(), 1000u);
  for (const json& answer : answers) EXPECT_EQ(answer["status"], 200);
  items.push_back(items[0]);
  EXPECT_EQ(detail_of(door, items.dump(), "/v1/check/batch"),
            "a batch must have at most 1000 items, but this has more");
  EXPECT_EQ(detail_of(door, "{}", "/v1/check/batch"), "the body must be a list, but is an object");
  EXPECT_EQ(body_of(door.post("/v1/check/batch", "[]")), "[]");
}

TEST(PublicDoor, SaysWhatItIsEvenWithoutTheToken) {
  DoorUnderTest door({.access = Access("secret")});
  const std::string got = door.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of_text(got), 200);
  EXPECT_EQ(json::parse(body_of(got))["name"], "Sluice");
  for (const char* path : {"/v1/check", "/v1/check/batch", "/v1/peek", "/v1/refund", "/v1/decision"}) {
    door.connect();
    EXPECT_EQ(status_of_text(door.post(path, kAdHoc)), 401) << path;
  }
}

TEST(PublicDoor, TakesOnlyPostWhereABodyIsWanted) {
  DoorUnderTest door;
  const std::string got = door.send("GET /v1/check HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of_text(got), 405);
  EXPECT_EQ(field_of(got, "Allow"), "POST");
}

TEST(PublicDoor, MeasuresEveryRequestAndHandsOnTheKeysThatWereTakenFrom) {
  DoorUnderTest door;
  const std::string body = R"({"key": "k", "rate": 1, "burst": 1})";
  door.post("/v1/check", body);
  door.post("/v1/check", body);
  door.post("/v1/peek", body);
  door.post("/v1/check/batch", "[" + body + "," + body + "]");
  door.post("/v1/check", "{");
  EXPECT_EQ(door.desk.figures.http.values().count(), 5U);
  int taken = 0;
  int rejected = 0;
  door.desk.figures.keys.drain(100, [&](const telemetry::FedKey& key) {
    EXPECT_EQ(key.name.bytes, "k");
    ++taken;
    rejected += key.is_rejected;
  });
  EXPECT_EQ(taken, 4);
  EXPECT_EQ(rejected, 3);
}

}  // namespace
}  // namespace sluice::doors::http
