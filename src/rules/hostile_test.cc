// Requests that nobody sends by mistake: any bytes, any number of fields. Each has a clear outcome, in bounded time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using testing::is;
using testing::policy;
using testing::rule;
using testing::TestMatcher;
using testing::TestRequest;

// Rules that read everything, a hundred of each named kind.
TestMatcher greedy_matcher() {
  RuleSet rules;
  rules.trusted_proxies = {*Network::parse("10.0.0.0/8")};
  rules.policies = {policy("p", {})};
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    for (const std::string kind : {"header:h", "query:q", "cookie:c", "jwt:j", "attr:a"}) {
      rules.policies[0].rules.push_back(rule(kind + n, {"ip:address", kind + n}, {is(kind + n, {"1", "2"})}));
      rules.policies[0].rules.back().cost.source = testing::source("query:q" + n);
    }
  }
  rules.policies[0].rules.push_back(rule("last", {"query:last", "cookie:last", "header:last"}));
  return TestMatcher(std::move(rules));
}

std::vector<std::string> keys_in_time(const TestRequest& request) {
  auto matcher = greedy_matcher();
  const auto begin = std::chrono::steady_clock::now();
  auto keys = matcher.keys(request);
  // Milliseconds are expected; work that grows with the square of the request would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  return keys;
}

TEST(Hostile, TenThousandQueryParametersHideNone) {
  TestRequest request;
  for (int i = 0; i < 10'000; ++i) request.query("junk" + std::to_string(i), "x");
  request.query("LAST", "found");
  EXPECT_THAT(keys_in_time(request), ElementsAre("p|last|found|%-|%-"));
}

TEST(Hostile, ThousandsOfCookiesHideNone) {
  TestRequest request;
  std::string cookies;
  for (int i = 0; i < 100'000; ++i) cookies += "c" + std::to_string(1000 + i) + "=x;";
  for (int i = 0; i < 5'000; ++i) request.header("Cookie", ";;=;a;" + std::to_string(i) + "=1");
  request.header("Cookie", cookies + " last=found");
  EXPECT_THAT(keys_in_time(request), ElementsAre("p|last|%-|found|%-"));
}

TEST(Hostile, ValuesOfAMegabyteAreMissing) {
  const std::string megabyte(1 << 20, 'x');
  TestRequest request;
  request.header("last", megabyte).query("last", megabyte).header("Cookie", "last=" + megabyte).path("/" + megabyte);
  request.host(megabyte).method(megabyte).ip(megabyte).header("X-Forwarded-For", megabyte).attribute("a1", megabyte);
  request.header("Authorization", "Bearer " + megabyte).header(megabyte, megabyte).query(megabyte, megabyte);
  EXPECT_THAT(keys_in_time(request), ElementsAre("p|last|%-|%-|%-"));
}

TEST(Hostile, MegabytesOfHopsAndDotsAreWalkedOnce) {
  std::string hops;
  for (int i = 0; i < 100'000; ++i) hops += "10.0.0.1, ";
  TestRequest request;
  request.ip("10.0.0.1")
      .header("X-Forwarded-For", hops)
      .path(std::string(1 << 20, '/'))
      .host(std::string(1 << 20, '.'));
  EXPECT_THAT(keys_in_time(request), ElementsAre("p|last|%-|%-|%-"));
}

TEST(Hostile, BytesThatAreNoTextAreKeysAllTheSame) {
  TestRequest request;
  request.query("last", std::string_view("a\0b", 3)).header("last", "\xff\xfe|%");
  request.header(std::string_view("h1\0", 3), "1").path(std::string_view("/\0\xc3\x28", 4));
  EXPECT_THAT(keys_in_time(request), ElementsAre(std::string("p|last|a\0b|%-|\xff\xfe%7C%25", 22)));
}

}  // namespace
}  // namespace sluice::rules
