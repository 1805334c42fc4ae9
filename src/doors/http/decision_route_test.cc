#include "doors/http/decision_route.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

using nlohmann::json;

// One rule for each thing that a proxy can say; the name of the rule that rejects says what was understood.
constexpr std::string_view kOneEach = R"({"trusted_proxies": ["203.0.113.7"], "policies": [
  {"id": "delete", "selector": {"methods": ["DELETE"]}, "rules": [
    {"name": "method", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}}]},
  {"id": "path", "selector": {"path": "/secret"}, "rules": [
    {"name": "path", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}}]},
  {"id": "host", "selector": {"hosts": ["slow.example.com"]}, "rules": [
    {"name": "host", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}}]},
  {"id": "others", "rules": [
    {"name": "query", "limit_keys": ["query:q"], "match": {"query:q": "a b"}, "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}},
    {"name": "ip", "limit_keys": ["ip:address"], "match": {"ip:address": "198.51.100.1"}, "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}},
    {"name": "original", "limit_keys": ["header:x-original-uri"], "on_missing_key": "skip", "algorithm_config": {"rps": 1, "burst": 1, "fixed_cost": 2}}
  ]}]})";

std::string rejecting_rule(std::string_view fields, std::string_view line = "GET /v1/decision HTTP/1.1") {
  DoorUnderTest door({}, "{}");
  EXPECT_EQ(door.load(kOneEach), "");
  const std::string got = door.send(std::string(line) + "\r\nHost: sluice\r\n" + std::string(fields) + "\r\n");
  if (status_of_text(got) == 200) return "";
  return json::parse(body_of(got)).value("rule", got);
}

TEST(DecisionRoute, BelievesAProxyOnAUnixSocketOnlyWhereTheRulesSaySo) {
  const auto passes = [](const net::Peer& peer, const std::string& proxies) {
    DoorUnderTest door({}, "{}");
    EXPECT_EQ(
        door.load(R"({"trusted_proxies": [)" + proxies + R"(], "rules": [{"name": "ip", "limit_keys": ["ip:address"],
      "algorithm_config": {"rps": 1, "burst": 1}}]})"),
        "");
    door.peer = peer;
    door.connect();
    int passed = 0;
    for (const char* address : {"198.51.100.1", "198.51.100.1", "198.51.100.2"}) {
      const std::string fields = "Host: x\r\nX-Forwarded-For: " + std::string(address) + "\r\n\r\n";
      passed += status_of_text(door.send("GET /v1/decision HTTP/1.1\r\n" + fields)) == 200 ? 1 : 0;
    }
    return passed;
  };
  const net::Peer local{.address = "", .is_local = true};
  const net::Peer unknown{.address = ""};  // gone before it was asked for
  EXPECT_EQ(passes(local, R"("unix")"), 2);
  EXPECT_EQ(passes(local, R"("10.0.0.0/8")"), 1) << "all share the bucket of those without an address";
  EXPECT_EQ(passes(local, ""), 1);
  EXPECT_EQ(passes(unknown, R"("unix")"), 1);
  EXPECT_EQ(passes({"203.0.113.7"}, R"("unix")"), 1);
}

TEST(DecisionRoute, AllowsWithHeadersAndNoBody) {
  DoorUnderTest door;
  const std::string got = door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: a\r\n\r\n");
  EXPECT_EQ(
      got,
      "HTTP/1.1 200 OK\r\nRateLimit-Policy: \"key\";q=2;w=1\r\nRateLimit: \"key\";r=1;t=1\r\nRateLimit-Limit: 2\r\n"
      "RateLimit-Remaining: 1\r\nRateLimit-Reset: 1\r\nContent-Length: 0\r\n\r\n");
}

TEST(DecisionRoute, RejectsWithHeadersAndAProblem) {
  DoorUnderTest door;
  constexpr std::string_view kRequest = "PATCH /v1/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: a\r\n\r\n";
  door.send(kRequest);
  door.send(kRequest);
  const std::string got = door.send(kRequest);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 429 Too Many Requests\r\n")) << got;
  EXPECT_EQ(field_of(got, "X-Sluice-Reason"), "token_bucket_exceeded");
  EXPECT_NE(field_of(got, "Retry-After"), "none");
  EXPECT_EQ(field_of(got, "Content-Type"), "application/problem+json");
  EXPECT_EQ(json::parse(body_of(got))["rule"], "key");
}

TEST(DecisionRoute, RejectsWithTheStatusThatIsSet) {
  DoorUnderTest door({.decision = {.rejected_status = 403}});
  constexpr std::string_view kRequest = "GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: a\r\n\r\n";
  door.send(kRequest);
  door.send(kRequest);
  const std::string got = door.send(kRequest);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 403 Forbidden\r\n")) << got;
  EXPECT_EQ(field_of(got, "X-Sluice-Reason"), "token_bucket_exceeded");
  EXPECT_EQ(json::parse(body_of(got))["status"], 403);
  EXPECT_EQ(json::parse(body_of(got))["title"], "Quota exceeded");
}

TEST(DecisionRoute, AProblemThatSaysNoMoreThanItsStatusHasThePhraseOfTheOneThatIsSet) {
  constexpr std::string_view kRules = R"({"kill_switches": [{"key": "header:x-api-key", "value": "a"}],
    "rules": [{"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]})";
  DoorUnderTest door({.decision = {.rejected_status = 403}}, kRules);
  const json told = json::parse(body_of(door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: a\r\n\r\n")));
  EXPECT_EQ(told["type"], "about:blank");
  EXPECT_EQ(told["status"], 403);
  EXPECT_EQ(told["title"], "Forbidden");
}

TEST(DecisionRoute, ReadsWhatTheProxySaysInEitherSetOfFields) {
  EXPECT_EQ(rejecting_rule(""), "");
  EXPECT_EQ(rejecting_rule("X-Original-Method: DELETE\r\n"), "method");
  EXPECT_EQ(rejecting_rule("X-Forwarded-Method: DELETE\r\n"), "method");
  EXPECT_EQ(rejecting_rule("X-Original-URI: /secret\r\n"), "path");
  EXPECT_EQ(rejecting_rule("X-Forwarded-Uri: /secret\r\n"), "path");
  EXPECT_EQ(rejecting_rule("X-Original-Host: slow.example.com\r\n"), "host");
  EXPECT_EQ(rejecting_rule("X-Forwarded-Host: slow.example.com\r\n"), "host");
  EXPECT_EQ(rejecting_rule("x-original-uri: https://slow.example.com/x\r\n"), "host");
}

TEST(DecisionRoute, TakesItsOwnRequestWhereTheProxySaysNothing) {
  EXPECT_EQ(rejecting_rule("", "DELETE /v1/decision HTTP/1.1"), "method");
  EXPECT_EQ(rejecting_rule("", "GET /v1/decision?q=a%20b HTTP/1.1"), "query");
  EXPECT_EQ(rejecting_rule("", "GET http://slow.example.com/v1/decision HTTP/1.1"), "host");
}

TEST(DecisionRoute, LetsTheOriginalFieldsWin) {
  EXPECT_EQ(rejecting_rule("X-Forwarded-Uri: /free\r\nX-Original-URI: /secret\r\n"), "path");
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free\r\nX-Forwarded-Uri: /secret\r\n"), "");
}

TEST(DecisionRoute, TheQueryCountsButNeverChangesThePath) {
  EXPECT_EQ(rejecting_rule("X-Original-URI: /secret?x=/free\r\n"), "path");
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free?x=/secret\r\n"), "");
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free?q=a+b\r\n"), "query");
}

TEST(DecisionRoute, AThousandParametersHideNoneBehindThem) {
  std::string junk;
  for (int i = 0; i < 1000; ++i) junk += "a&";
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free?" + junk + "q=a+b\r\n"), "query");
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free?" + junk + "q=b\r\n"), "");
}

TEST(DecisionRoute, BelievesForwardedAddressesOnlyAsTheRulesSay) {
  EXPECT_EQ(rejecting_rule("X-Forwarded-For: 198.51.100.1\r\n"), "ip");
  DoorUnderTest door({}, kOneEach);
  door.peer.address = "203.0.113.8";
  EXPECT_EQ(status_of_text(door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n")),
            200);
}

TEST(DecisionRoute, WhatTheProxySaysToUsIsNoHeaderOfTheRequest) {
  EXPECT_EQ(rejecting_rule("X-Original-URI: /free\r\n"), "");
}

TEST(DecisionRoute, RefusesWhatTheProxyAndItsClientBothSay) {
  DoorUnderTest door;
  const std::string got =
      door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Original-URI: /free\r\nX-Original-URI: /secret\r\n\r\n");
  EXPECT_EQ(status_of_text(got), 400);
  EXPECT_EQ(json::parse(body_of(got))["detail"],
            "X-Original-URI must stand at most once: the proxy must replace what its client sent");
}

TEST(DecisionRoute, RefusesWhatIsSaidTwiceAlsoWhereNothingIsSaidOnce) {
  DoorUnderTest door;
  for (const char* const fields :
       {"X-Original-URI:\r\nX-Original-URI: /free\r\n", "X-Forwarded-Host: h\r\nX-Forwarded-Host: \r\n"}) {
    EXPECT_EQ(status_of_text(door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n")),
              400);
  }
}

}  // namespace
}  // namespace sluice::doors::http
