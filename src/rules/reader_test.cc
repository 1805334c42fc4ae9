#include "rules/reader.h"

#include <gtest/gtest.h>

#include "rules/rules_testing.h"

namespace sluice::rules {
namespace {

using testing::source;
using testing::TestClaims;
using testing::TestRequest;

std::string read(std::string_view from, const TestRequest& request, ClaimSource* claims = nullptr) {
  ReadingPlan plan;
  const SourceId id = plan.sources.add(source(from));
  Reader reader;
  reader.begin(plan, request.view(), {}, claims);
  const std::string value(reader.value(id));
  EXPECT_EQ(reader.value(id), value) << "when read again";
  return value;
}

TEST(Reader, ReadsHeadersInAnyCaseWithoutBlanksAroundThem) {
  TestRequest request;
  request.header("x-API-key", " \tabc ").header("X-Api-Key", "second").header("X-Empty", " ");
  EXPECT_EQ(read("header:x-api-key", request), "abc");
  EXPECT_EQ(read("header:x-empty", request), "");
  EXPECT_EQ(read("header:x-api", request), "");
}

TEST(Reader, TakesTheFirstOfSeveralThatIsNotEmpty) {
  TestRequest request;
  request.header("x", " ").header("x", "second").header("x", "third").query("q", "").query("Q", "second");
  request.header("Cookie", "c=; c=\"\"; c=third").attribute("a", "first").attribute("a", "second");
  EXPECT_EQ(read("header:x", request), "second");
  EXPECT_EQ(read("query:q", request), "second");
  EXPECT_EQ(read("cookie:c", request), "third");
  EXPECT_EQ(read("attr:a", request), "first");
}

TEST(Reader, ReadsQueryParametersInAnyCaseAndAttributesAsTheyAre) {
  TestRequest request;
  request.query("API_Key", " k ").attribute("Plan", "pro");
  EXPECT_EQ(read("query:api_key", request), " k ");
  EXPECT_EQ(read("attr:Plan", request), "pro");
  EXPECT_EQ(read("attr:plan", request), "");
}

TEST(Reader, ReadsCookiesFromAllTheirHeaders) {
  TestRequest request;
  request.header("Cookie", "a=1; session = abc ;b").header("accept", "c=9").header("COOKIE", "c=\"x y\"; a=2; d==e;=f");
  EXPECT_EQ(read("cookie:a", request), "1");
  EXPECT_EQ(read("cookie:session", request), "abc");
  EXPECT_EQ(read("cookie:c", request), "x y");
  EXPECT_EQ(read("cookie:d", request), "=e");
  EXPECT_EQ(read("cookie:b", request), "");
  EXPECT_EQ(read("cookie:A", request), "");
}

TEST(Reader, ReadsHostsInLowerCaseWithoutPortAndDot) {
  const auto host = [](std::string_view text) {
    TestRequest request;
    return read("host", request.host(text));
  };
  EXPECT_EQ(host("API.Example.com:8080"), "api.example.com");
  EXPECT_EQ(host("example.com."), "example.com");
  EXPECT_EQ(host("example.com.:80"), "example.com");
  EXPECT_EQ(host("example.com:"), "example.com");
  EXPECT_EQ(host("[2001:DB8::1]:80"), "[2001:db8::1]");
  EXPECT_EQ(host("[::1]"), "[::1]");
  EXPECT_EQ(host("."), "");
  EXPECT_EQ(host(":80"), "");
  EXPECT_EQ(host(std::string(254, 'a')).size(), 254u);
  EXPECT_EQ(host(std::string(255, 'a')), "");
}

TEST(Reader, ReadsMethodsInUpperCaseAndPathsInOneSpelling) {
  TestRequest request;
  request.method("pOst").path("/a/./b//?x");
  EXPECT_EQ(read("method", request), "POST");
  EXPECT_EQ(read("path", request), "/a/b");
  TestRequest nothing;
  EXPECT_EQ(read("method", nothing), "");
  EXPECT_EQ(read("path", nothing), "/");
}

TEST(Reader, ReadsAddressesInOneSpellingAndAsMuchOfThemAsCounts) {
  TestRequest v4;
  v4.ip("::ffff:203.0.113.77");
  EXPECT_EQ(read("ip:address", v4), "203.0.113.77");
  EXPECT_EQ(read("ip:address/24", v4), "203.0.113.0/24");
  EXPECT_EQ(read("ip:address/56", v4), "203.0.113.77");
  EXPECT_EQ(read("ip:address/32", v4), "203.0.113.77");
  TestRequest v6;
  v6.ip("[2001:DB8:1:2:3:4:5:6]:99");
  EXPECT_EQ(read("ip:address", v6), "2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(read("ip:address/24", v6), "2001:db8:1:2::/64");
  EXPECT_EQ(read("ip:address/48", v6), "2001:db8:1::/48");
  TestRequest widest;
  widest.ip("1111:2222:3333:4444:5555:6666:7777:8889");
  EXPECT_EQ(read("ip:address/127", widest), "1111:2222:3333:4444:5555:6666:7777:8888/127");
  TestRequest none;
  EXPECT_EQ(read("ip:address", none.ip("nobody")), "");
}

TEST(Reader, ReadsClaimsOfTheBearerToken) {
  TestClaims claims;
  const auto plan = [&](std::string_view authorization) {
    TestRequest request;
    return read("jwt:plan", request.header("Authorization", authorization), &claims);
  };
  EXPECT_EQ(plan("Bearer good"), "pro");
  EXPECT_EQ(plan("bEARER   good "), "pro");
  EXPECT_EQ(plan("Bearer bad"), "");
  EXPECT_EQ(plan("Basic good"), "");
  EXPECT_EQ(plan("good"), "");
  EXPECT_EQ(plan("Bearergood"), "");
  EXPECT_EQ(plan(""), "");
  TestRequest request;
  EXPECT_EQ(read("jwt:plan", request.header("Authorization", "Bearer good"), nullptr), "");
}

TEST(Reader, AsksForClaimsOnceHoweverManyAreRead) {
  for (const std::string_view token : {"Bearer good", "Bearer bad"}) {
    ReadingPlan plan;
    const SourceId ids[] = {plan.sources.add(source("jwt:plan")), plan.sources.add(source("jwt:org.id")),
                            plan.sources.add(source("jwt:nothing"))};
    TestClaims claims;
    TestRequest request;
    Reader reader;
    reader.begin(plan, request.header("Authorization", token).view(), {}, &claims);
    EXPECT_EQ(claims.asked(), 0);
    for (int i = 0; i < 3; ++i) {
      for (const SourceId id : ids) reader.value(id);
    }
    EXPECT_EQ(claims.asked(), 1);
  }
}

TEST(Reader, TakesLongValuesForMissingInKeysAlone) {
  const std::string longest(kLongestValue, 'x');
  TestRequest request;
  request.header("fits", longest).header("long", longest + "x").query("long", longest + "x");
  request.attribute("long", longest + "x").method(longest + "x").path("/" + longest);
  ReadingPlan plan;
  Reader reader;
  const SourceId fits = plan.sources.add(source("header:fits"));
  reader.begin(plan, request.view(), {}, nullptr);
  EXPECT_EQ(reader.key_value(fits), longest);
  for (const std::string_view from : {"header:long", "query:long", "attr:long", "method", "path"}) {
    const SourceId id = plan.sources.add(source(from));
    reader.begin(plan, request.view(), {}, nullptr);
    EXPECT_EQ(reader.key_value(id), "") << from;
    EXPECT_EQ(reader.value(id).size(), kLongestValue + 1) << from;
  }
}

TEST(Reader, ForgetsTheRequestBefore) {
  ReadingPlan plan;
  const SourceId header = plan.sources.add(source("header:x"));
  TestRequest first;
  first.header("x", "1").path("/first").ip("1.1.1.1").method("get").host("A");
  TestRequest second;
  Reader reader;
  reader.begin(plan, first.view(), {}, nullptr);
  EXPECT_EQ(reader.value(header), "1");
  EXPECT_EQ(reader.value(kAddressSource), "1.1.1.1");
  reader.begin(plan, second.view(), {}, nullptr);
  for (const SourceId id : {header, kMethodSource, kHostSource, kAddressSource}) EXPECT_EQ(reader.value(id), "");
  EXPECT_EQ(reader.path(), "/");
  EXPECT_TRUE(reader.named().empty());
}

}  // namespace
}  // namespace sluice::rules
