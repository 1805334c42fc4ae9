#include "doors/admin/bucket_routes.h"

#include <gmock/gmock.h>

#include "doors/admin/admin_testing.h"

namespace sluice::doors::admin {
namespace {

using http::body_of;
using http::status_of_text;
using nlohmann::json;
using testing::HasSubstr;

constexpr std::string_view kSeveral = R"({"policies": [
  {"id": "a.b", "rules": [
    {"name": "user/{id}", "limit_keys": ["attr:user", "path"], "limits": [
      {"algorithm": "token_bucket", "rps": 1, "burst": 4},
      {"algorithm": "fixed_window", "limit": 100, "window_seconds": 60}]},
    {"name": "all", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 9}}]}]})";

class BucketRoutesTest : public testing::Test {
 protected:
  BucketRoutesTest() { test.set({.token = Access("secret")}); }

  std::string reset(const std::string& target) { return test.ask("DELETE", target, bearer("secret")); }
  json remaining(const std::string& target) { return test.get_json(target)["buckets"][0]["remaining"]; }

  AdminUnderTest test;
};

TEST_F(BucketRoutesTest, ABucketOfARuleIsShownWithItsLimitAndNothingTakenFromIt) {
  test.take("abc");
  for (int i = 0; i < 3; ++i) {
    const json bucket{
        {"algorithm", "token_bucket"}, {"limit", 2}, {"window_ms", 200}, {"remaining", 1}, {"reset_after_ms", 100}};
    EXPECT_EQ(test.get_json("/admin/v1/buckets/api%7Ckey%7Cabc"),
              (json{{"key", "api|key|abc"}, {"policy", "api"}, {"rule", "key"}, {"buckets", json::array({bucket})}}));
  }
}

TEST_F(BucketRoutesTest, ABucketThatIsNotRememberedIsFull) {
  EXPECT_EQ(remaining("/admin/v1/buckets/api%7Ckey%7Cnever"), 2);
}

TEST_F(BucketRoutesTest, AKeyIsTheOneThatExplainShows) {
  ASSERT_EQ(test.served.load(kSeveral), "");
  const std::string request = R"({"path": "/x|y", "attributes": {"user": "a/b c?d+e"}})";
  test.served.post("/v1/check", R"({"request": )" + request + "}");
  const json explained = json::parse(body_of(test.ask("POST", "/admin/v1/explain", "", request)));
  const std::string key = explained["explain"]["rules"][0]["key"];
  std::string encoded;
  for (const char c : key) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    encoded += {'%', kHex[static_cast<uint8_t>(c) >> 4], kHex[c & 15]};
  }
  const json got = test.get_json("/admin/v1/buckets/" + encoded);
  EXPECT_EQ(got["key"], key);
  EXPECT_EQ(got["policy"], "a.b");
  EXPECT_EQ(got["rule"], "user/{id}");
  ASSERT_EQ(got["buckets"].size(), 2U);
  EXPECT_EQ(got["buckets"][0]["remaining"], 3);
  EXPECT_EQ(got["buckets"][1]["algorithm"], "fixed_window");
  EXPECT_EQ(got["buckets"][1]["remaining"], 99);
  EXPECT_EQ(got["buckets"][1]["window_ms"], 60000);
}

TEST_F(BucketRoutesTest, AKeyThatNoRuleHasIsNotFound) {
  ASSERT_EQ(test.served.load(kSeveral), "");
  for (const char* key : {"nobody", "a%7Cb%7Call", "a.b%257Call", "a.b%7Cuser/%7Bid%7D%7Cone", "a.b%7Call%7Cx",
                          "a.b%7Call2", "a.b%7Calle"}) {
    const std::string response = test.get(std::string("/admin/v1/buckets/") + key);
    EXPECT_EQ(status_of_text(response), 404) << key << response;
  }
  EXPECT_EQ(status_of_text(test.get("/admin/v1/buckets/a.b%7Call")), 200);
  EXPECT_EQ(status_of_text(test.get("/admin/v1/buckets/")), 400);
}

TEST_F(BucketRoutesTest, ABucketBesideTheRulesIsTheOneThatCallersTakeFrom) {
  test.served.post("/v1/check", R"({"key": "api|key|abc", "rate": 10, "burst": 50, "cost": 20})");
  const json got = test.get_json("/admin/v1/buckets/api%7Ckey%7Cabc?named=1&rate=10&burst=50");
  EXPECT_EQ(got["policy"], nullptr);
  EXPECT_EQ(got["buckets"][0]["remaining"], 30);
  EXPECT_EQ(got["buckets"][0]["reset_after_ms"], 2000);
  EXPECT_EQ(remaining("/admin/v1/buckets/api%7Ckey%7Cabc"), 2) << "the rule's bucket is another";
}

TEST_F(BucketRoutesTest, ABucketBesideTheRulesNeedsItsLimit) {
  for (const char* query : {"named=1", "named=1&rate=10", "named=1&rate=x&burst=1", "named=1&rate=1&burst=0",
                            "named=1&rate=-1&burst=1", "rate=1&burst=1", "named=2", "nmed=1"}) {
    EXPECT_EQ(status_of_text(test.get(std::string("/admin/v1/buckets/k?") + query)), 400) << query;
  }
}

TEST_F(BucketRoutesTest, AResetMakesEveryBucketOfTheKeyFullAndNoOther) {
  ASSERT_EQ(test.served.load(kSeveral), "");
  for (const char* user : {"ann", "bob"}) {
    test.served.post("/v1/check",
                     R"({"request": {"path": "/x", "attributes": {"user": ")" + std::string(user) + R"("}}})");
  }
  const std::string response = reset("/admin/v1/buckets/a.b%7Cuser/%7Bid%7D%7Cann%7C/x");
  EXPECT_EQ(json::parse(body_of(response)),
            (json{{"key", "a.b|user/{id}|ann|/x"}, {"policy", "a.b"}, {"rule", "user/{id}"}, {"reset", true}}));
  const json ann = test.get_json("/admin/v1/buckets/a.b%7Cuser/%7Bid%7D%7Cann%7C/x")["buckets"];
  EXPECT_EQ(ann[0]["remaining"], 4);
  EXPECT_EQ(ann[1]["remaining"], 100);
  EXPECT_EQ(remaining("/admin/v1/buckets/a.b%7Cuser/%7Bid%7D%7Cbob%7C/x"), 3);
  EXPECT_EQ(remaining("/admin/v1/buckets/a.b%7Call"), 7);
}

TEST_F(BucketRoutesTest, TheEmptyKeyOfCallersIsAKey) {
  test.served.post("/v1/check", R"({"key": "", "rate": 10, "burst": 50, "cost": 20})");
  EXPECT_EQ(remaining("/admin/v1/buckets/?named=1&rate=10&burst=50"), 30);
  EXPECT_EQ(status_of_text(reset("/admin/v1/buckets/?named=1")), 200);
  EXPECT_EQ(remaining("/admin/v1/buckets/?named=1&rate=10&burst=50"), 50);
  EXPECT_EQ(status_of_text(test.get("/admin/v1/buckets/")), 400);
}

TEST_F(BucketRoutesTest, AResetBesideTheRulesNeedsNoLimit) {
  test.served.post("/v1/check", R"({"key": "k", "rate": 10, "burst": 50, "cost": 20})");
  EXPECT_EQ(status_of_text(reset("/admin/v1/buckets/k?named=1")), 200);
  EXPECT_EQ(remaining("/admin/v1/buckets/k?named=1&rate=10&burst=50"), 50);
}

}  // namespace
}  // namespace sluice::doors::admin
