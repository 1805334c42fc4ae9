#include "rules/language/build_condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/language/load_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Condition condition(const std::string& text) {
  const auto conditions = loaded(match(text)).policies.at(0).rules.at(0).match;
  return conditions.empty() ? Condition() : conditions[0];
}

std::vector<std::string> networks(const std::string& text) {
  std::vector<std::string> texts;
  for (const Network& network : condition(text).networks) texts.push_back(network.text());
  return texts;
}

TEST(BuildCondition, AValueAListAndTheOperatorsSayWhatFits) {
  EXPECT_THAT(condition(R"("attr:plan": "pro")").values, ElementsAre("pro"));
  EXPECT_THAT(condition(R"("attr:plan": ["pro", "free"])").values, ElementsAre("pro", "free"));
  EXPECT_THAT(condition(R"("attr:plan": {"equals": "pro"})").values, ElementsAre("pro"));
  EXPECT_THAT(condition(R"("attr:plan": {"one_of": ["a", "b"]})").values, ElementsAre("a", "b"));
  EXPECT_THAT(condition(R"("attr:plan": {"prefix": "pro-"})").prefixes, ElementsAre("pro-"));
  EXPECT_THAT(condition(R"("attr:plan": {"prefix": ["a", "b"]})").prefixes, ElementsAre("a", "b"));
  EXPECT_THAT(condition(R"("attr:plan": {"prefix": ["a", "b"]})").values, IsEmpty());
}

TEST(BuildCondition, NumbersAndBooleansCountAsTheirText) {
  EXPECT_THAT(condition(R"("jwt:tier": [1, 2.50, true])").values, ElementsAre("1", "2.50", "true"));
  EXPECT_THAT(condition(R"("jwt:tier": [1e400, -1e999])").values, ElementsAre("1e400", "-1e999"));
  const RuleSet rules =
      loaded("rules: [{name: r, limit_keys: [], match: {'jwt:admin': True}, algorithm_config: {rps: 1, burst: 1}}]",
             Format::kYaml);
  EXPECT_THAT(rules.policies[0].rules[0].match[0].values, ElementsAre("true"));
}

TEST(BuildCondition, AddressesAreNetworks) {
  EXPECT_THAT(networks(R"("ip:address": "10.0.0.0/8")"), ElementsAre("10.0.0.0/8"));
  EXPECT_EQ(condition(R"("ip:address": ["10.0.0.1", "2001:db8::/32"])").networks.size(), 2u);
  EXPECT_THAT(networks(R"("ip:address": {"cidr": ["192.0.2.0/24"]})"), ElementsAre("192.0.2.0/24"));
  EXPECT_EQ(condition(R"("ip:address": {"equals": "::1"})").networks[0].bits, 128);
}

TEST(BuildCondition, AddressesThatAreNoneAreRefused) {
  EXPECT_THAT(fault_of(match(R"("ip:address": "10.1.2.3/8")")), HasSubstr("did you mean '10.0.0.0/8'?"));
  EXPECT_THAT(fault_of(match(R"("ip:address": "10.0.0.0/33")")), HasSubstr("expected an address or a network"));
  EXPECT_THAT(fault_of(match(R"("ip:address": "localhost")")),
              HasSubstr("expected an address or a network, but found 'localhost'"));
  EXPECT_THAT(fault_of(match(R"("ip:address": {"prefix": "10."})")), HasSubstr("prefix is not for addresses"));
  EXPECT_THAT(fault_of(match(R"("ip:address/24": "10.0.0.0/24")")),
              HasSubstr("a condition is on the whole address, ip:address, but is on ip:address/24"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"cidr": "10.0.0.0/8"})")),
              HasSubstr("cidr is only for ip:address, but this is attr:plan"));
}

TEST(BuildCondition, PathsMethodsAndHostsAreSpeltAsTheMatcherComparesThem) {
  EXPECT_THAT(condition(R"("path": "//a/./b/../%7ec/")").values, ElementsAre("/a/~c"));
  EXPECT_THAT(condition(R"("path": {"prefix": ["/v1/", "/V2//x"]})").prefixes, ElementsAre("/v1/", "/V2/x"));
  EXPECT_THAT(condition(R"("path": {"prefix": "/"})").prefixes, ElementsAre("/"));
  EXPECT_THAT(condition(R"("method": ["get", "Post"])").values, ElementsAre("GET", "POST"));
  EXPECT_THAT(condition(R"("host": "API.Example.com.")").values, ElementsAre("api.example.com"));
  EXPECT_THAT(condition(R"("host": {"prefix": "API."})").prefixes, ElementsAre("api."));
}

TEST(BuildCondition, ValuesThatNoRequestCanHaveAreRefused) {
  EXPECT_THAT(fault_of(match(R"("path": "v1")")),
              HasSubstr("a path must begin with /, but is 'v1' (did you mean '/v1'?)"));
  EXPECT_THAT(fault_of(match(R"("path": "/a?b=1")")), HasSubstr("a path has no query"));
  EXPECT_THAT(fault_of(match(R"("path": "/a/*")")), HasSubstr("a path has no wildcards"));
  EXPECT_THAT(fault_of(match(R"("method": "GET /")")), HasSubstr("a method is a word such as GET"));
  EXPECT_THAT(fault_of(match(R"("host": "example.com:8080")")), HasSubstr("leave out the port"));
  EXPECT_THAT(fault_of(match(R"("host": "*.example.com")")), HasSubstr("expected the name of a host"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": "")")), HasSubstr("an empty value counts as missing"));
  EXPECT_THAT(fault_of(match("\"attr:plan\": \"" + std::string(4097, 'x') + "\"")),
              HasSubstr("a value has at most 4096 bytes, but this has 4097"));
  EXPECT_THAT(fault_of(match(R"("header:x": " a")")), HasSubstr("no blanks at its ends"));
}

TEST(BuildCondition, ConditionsThatCannotBeUnderstoodAreRefused) {
  EXPECT_THAT(fault_of(match(R"("plan": "pro")")), HasSubstr("rules[0].match.plan: 'plan' is no source of a value"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": null)")),
              HasSubstr("rules[0].match['attr:plan']: expected a string, a number or a boolean, but found null"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": [["a"]])")), HasSubstr("but found a list"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": [])")), HasSubstr("nothing would ever match"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"one_of": []})")), HasSubstr("nothing would ever match"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {})")),
              HasSubstr("exactly one of equals, one_of, prefix and cidr, but has 0"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"equals": "a", "prefix": "b"})")), HasSubstr("but has 2"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"equal": "a"})")),
              HasSubstr("'equal' is no field of a condition (did you mean 'equals'?)"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"equals": ["a"]})")),
              HasSubstr("equals must be one value, but is a list (for several: one_of)"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": {"one_of": "a"})")), HasSubstr("one_of must be a list"));
  EXPECT_THAT(fault_of(match(R"("attr:plan": ["a", "a"])")), HasSubstr("'a' is in this list twice"));
  EXPECT_THAT(fault_of(match(R"("method": ["get", "GET"])")), HasSubstr("'GET' is in this list twice"));
  EXPECT_THAT(fault_of(match(R"("header:X": "a", "header:x": "b")")), HasSubstr("'header:x' is given twice"));
}

TEST(BuildCondition, BeginningsThatNoValueHasAreRefused) {
  for (const char* host : {"https://", "api.example.com:80", ".a", "a..", "a b", "*.", "a/"}) {
    EXPECT_THAT(fault_of(match(R"("host": {"prefix": ")" + std::string(host) + "\"}")),
                HasSubstr(host[0] == '*' ? "wildcards are only for" : "expected the beginning of the name of a host"))
        << host;
  }
  EXPECT_THAT(fault_of(match(R"("host": {"prefix": "api.example.com:80"})")), HasSubstr("leave out the port"));
  EXPECT_THAT(fault_of(match(R"("method": {"prefix": "get post"})")), HasSubstr("a method is a word such as GET"));
  EXPECT_THAT(fault_of(match(R"("header:x": {"prefix": " a"})")), HasSubstr("no blanks at its ends"));
  EXPECT_THAT(fault_of(match(R"("cookie:c": {"prefix": "a;"})")), HasSubstr("ends at a semicolon"));
  for (const char* from : {"attr:a", "header:x", "path"}) {
    EXPECT_THAT(fault_of(match("\"" + std::string(from) + "\": {\"prefix\": \"/" + std::string(4096, 'x') + "\"}")),
                HasSubstr("a value has at most 4096 bytes, but this has 4097"))
        << from;
  }
  EXPECT_THAT(condition(R"("host": {"prefix": ["API-", "b.", "[2001:DB8:", "a.b.c"]})").prefixes,
              ElementsAre("api-", "b.", "[2001:db8:", "a.b.c"));
  EXPECT_THAT(condition(R"("method": {"prefix": "pro"})").prefixes, ElementsAre("PRO"));
  EXPECT_THAT(condition(R"("header:x": {"prefix": "Bearer "})").prefixes, ElementsAre("Bearer "));
}

TEST(BuildCondition, WhatHeadersAndCookiesCannotSayIsRefused) {
  EXPECT_THAT(fault_of(match(R"("header:x": "a\nb")")), HasSubstr("a header's value has no line breaks"));
  EXPECT_THAT(fault_of(match(R"("cookie:c": "\"abc\"")")),
              HasSubstr("the quotation marks around a cookie's value are no part of it"));
  EXPECT_THAT(fault_of(match(R"("cookie:c": "a;b")")), HasSubstr("a cookie's value ends at a semicolon"));
  EXPECT_THAT(fault_of(match(R"("cookie:c": " a")")), HasSubstr("a cookie's value has no blanks at its ends"));
  EXPECT_THAT(fault_of(match(R"("cookie:c": "a ")")), HasSubstr("but this is 'a '"));
  EXPECT_THAT(condition(R"("attr:a": [" a;b", "\"c\"", "d\te"])").values, ElementsAre(" a;b", "\"c\"", "d\te"));
}

TEST(BuildCondition, AWildcardIsSaidToBelongToSelectors) {
  EXPECT_EQ(fault_of(match(R"("host": "*.example.com")")),
            "rules[0].match.host: expected the name of a host, but found '*.example.com' (wildcards are only for a "
            "policy's selector.hosts)");
}

TEST(BuildCondition, AllThatIsWrongIsToldAtOnce) {
  EXPECT_THAT(faults_of(match(R"("attr:plan": {"equals": "", "prefix": "a", "equal": "b"})")).size(), 2u);
  EXPECT_THAT(faults_of(match(R"("attr:plan": {"equals": "", "prefix": [[]]})")).size(), 3u);
  EXPECT_THAT(faults_of(match(R"("plan": ["", "a", "a"])")).size(), 3u);
  EXPECT_THAT(faults_of(match(R"("plan": {"cidr": "10.0.0.0/8"})")).size(), 1u);
  EXPECT_THAT(faults_of(match(R"("ip:address/24": "localhost")")).size(), 2u);
}

}  // namespace
}  // namespace sluice::rules
