#include "rules/jwt/payload.h"

#include <gmock/gmock.h>

namespace sluice::rules::jwt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

Payload read(std::string_view json) {
  auto found = read_payload(json);
  const auto* refused = std::get_if<Refused>(&found);
  EXPECT_EQ(refused, nullptr) << json << ": " << refused->detail;
  return refused == nullptr ? std::get<Payload>(std::move(found)) : Payload();
}

std::string refusal_of(std::string_view json) {
  const auto found = read_payload(json);
  const auto* refused = std::get_if<Refused>(&found);
  if (refused == nullptr) return "(taken)";
  EXPECT_EQ(refused->why, Refusal::kPayload);
  return refused->detail;
}

std::string object_of(size_t claims) {
  std::string json = "{";
  for (size_t i = 0; i < claims; ++i) json += (i > 0 ? ",\"c" : "\"c") + std::to_string(i) + "\":1";
  return json + "}";
}

std::string nested(size_t depth) {
  std::string json = "1";
  for (size_t i = 0; i < depth; ++i) json = R"({"a":)" + json + "}";
  return json;
}

TEST(JwtPayload, PlainValuesAreFlattenedUnderDottedNamesInOrder) {
  EXPECT_THAT(read(R"({"plan":"pro","org":{"id":7,"name":"A","deep":{"on":true}},"b":false})").claims.values,
              ElementsAre(Pair("b", "false"), Pair("org.deep.on", "true"), Pair("org.id", "7"), Pair("org.name", "A"),
                          Pair("plan", "pro")));
}

TEST(JwtPayload, NumbersStayAsTheyWereWritten) {
  EXPECT_THAT(read(R"({"a":1.50,"b":-0,"c":1e3,"d":12345678901234567890123})").claims.values,
              ElementsAre(Pair("a", "1.50"), Pair("b", "-0"), Pair("c", "1e3"), Pair("d", "12345678901234567890123")));
}

TEST(JwtPayload, NullsListsAndEmptyObjectsAreNoClaims) {
  EXPECT_THAT(read(R"({"a":null,"b":[1,2],"c":{},"d":[{"e":1}]})").claims.values, IsEmpty());
}

TEST(JwtPayload, ANameOfItsOwnGoesBeforeANestedOne) {
  EXPECT_THAT(read(R"({"a":{"b":"nested"},"a.b":"own"})").claims.values, ElementsAre(Pair("a.b", "own")));
  EXPECT_THAT(read(R"({"a.b":"own","a":{"b":"nested"}})").claims.values, ElementsAre(Pair("a.b", "own")));
}

TEST(JwtPayload, EscapesAndOtherScriptsAreReadAsText) {
  EXPECT_THAT(read(R"({"a":"\u00e9\n","\u0062":"é"})").claims.values,
              ElementsAre(Pair("a", "\xc3\xa9\n"), Pair("b", "\xc3\xa9")));
}

TEST(JwtPayload, AFieldTwiceIsRefusedAtAnyDepthAndInAnySpelling) {
  for (const char* json : {R"({"a":1,"a":1})", R"({"a":1,"b":2,"\u0061":3})", R"({"x":{"a":1,"a":2}})",
                           R"({"x":[{"a":1,"a":2}]})", R"({"exp":1,"exp":99999999999})"}) {
    EXPECT_THAT(refusal_of(json), HasSubstr("twice")) << json;
  }
}

TEST(JwtPayload, OneClaimAboveTheBoundIsRefused) {
  EXPECT_THAT(read(object_of(kMostClaims)).claims.values, SizeIs(kMostClaims));
  EXPECT_THAT(refusal_of(object_of(kMostClaims + 1)), HasSubstr("more than 64"));
}

TEST(JwtPayload, OneLevelAboveTheBoundIsRefused) {
  EXPECT_THAT(read(nested(kDeepestClaim)).claims.values, ElementsAre(Pair("a.a.a.a.a.a.a.a", "1")));
  EXPECT_THAT(refusal_of(nested(kDeepestClaim + 1)), HasSubstr("8 deep"));
  EXPECT_NE(refusal_of(std::string(4000, '[')), "(taken)");
}

TEST(JwtPayload, WhatIsNotOneObjectOfJsonIsRefused) {
  for (const char* json : {"", "null", "[]", "\"a\"", "1", "{", "{}x", "{'a':1}", R"({"a":1,})", R"({"a":01})",
                           R"({"a":NaN})", "{\"a\":\"\xff\"}", "{\"a\":\"\n\"}", R"({"a":1}{"b":2})"}) {
    EXPECT_NE(refusal_of(json), "(taken)") << json;
  }
}

TEST(JwtPayload, TimesAreSecondsRoundedUp) {
  const Validity validity = read(R"({"nbf":100.5,"exp":200.000001})").validity;
  EXPECT_FALSE(validity.holds_at(100));
  EXPECT_TRUE(validity.holds_at(101));
  EXPECT_TRUE(validity.holds_at(200));
  EXPECT_FALSE(validity.holds_at(201));
}

TEST(JwtPayload, AtItsExpiryATokenHoldsNoMore) {
  const Validity validity = read(R"({"nbf":100,"exp":2e2})").validity;
  EXPECT_FALSE(validity.holds_at(99));
  EXPECT_TRUE(validity.holds_at(100));
  EXPECT_TRUE(validity.holds_at(199));
  EXPECT_FALSE(validity.holds_at(200));
}

TEST(JwtPayload, WithoutTimesATokenAlwaysHolds) {
  const Validity validity = read("{}").validity;
  EXPECT_TRUE(validity.holds_at(0));
  EXPECT_TRUE(validity.holds_at(std::numeric_limits<int64_t>::max() - 1));
  EXPECT_TRUE(validity.holds_at(std::numeric_limits<int64_t>::min()));
}

TEST(JwtPayload, TimesBeyondAllReasonAreJustVeryFar) {
  EXPECT_TRUE(read(R"({"exp":1e300})").validity.holds_at(4'000'000'000'000));
  EXPECT_FALSE(read(R"({"exp":-1e300})").validity.holds_at(0));
  EXPECT_FALSE(read(R"({"nbf":1e300})").validity.holds_at(4'000'000'000'000));
}

TEST(JwtPayload, TimesThatAreNoNumbersAreRefused) {
  for (const char* json : {R"({"exp":"200"})", R"({"exp":null})", R"({"exp":true})", R"({"exp":[200]})",
                           R"({"nbf":"1"})", R"({"nbf":{}})"}) {
    EXPECT_THAT(refusal_of(json), HasSubstr("is not a number of seconds")) << json;
  }
  EXPECT_NE(refusal_of(R"({"exp":1e999})"), "(taken)");
}

TEST(JwtPayload, AudiencesComeAloneOrInAList) {
  EXPECT_THAT(read(R"({"aud":"a"})").audience, ElementsAre("a"));
  EXPECT_THAT(read(R"({"aud":["a","b",7,null]})").audience, ElementsAre("a", "b"));
  EXPECT_THAT(read(R"({"aud":7})").audience, IsEmpty());
}

TEST(JwtPayload, AnIssuerThatIsNoStringIsNone) {
  EXPECT_EQ(read(R"({"iss":"me"})").issuer, "me");
  EXPECT_EQ(read(R"({"iss":7})").issuer, std::nullopt);
  EXPECT_EQ(read("{}").issuer, std::nullopt);
}

}  // namespace
}  // namespace sluice::rules::jwt
