// The routes of the admin door, each through a session with bytes. Buckets and tokens have tests of their own.
#include "doors/admin/admin_door.h"

#include <gmock/gmock.h>

#include "doors/admin/admin_testing.h"
#include "telemetry/exposition.h"

namespace sluice::doors::admin {
namespace {

using http::body_of;
using http::field_of;
using http::status_of_text;
using nlohmann::json;
using testing::HasSubstr;

TEST(AdminDoor, HasAnIndexThatNamesOnlyPathsThatThereAre) {
  AdminUnderTest test;
  const json index = test.get_json("/");
  EXPECT_EQ(index["name"], "Sluice");
  EXPECT_EQ(index["paths"].size(), 10U);
  for (std::string path : index["paths"]) {
    if (const size_t at = path.find("{key}"); at != path.npos) path.replace(at, 5, "api%7Ckey%7Cabc");
    EXPECT_NE(status_of_text(test.get(path)), 404) << path;
  }
  EXPECT_EQ(status_of_text(test.get("/admin/v1/nothing")), 404);
}

TEST(AdminDoor, IsAlive) {
  AdminUnderTest test;
  EXPECT_EQ(body_of(test.get("/livez")), "ok\n");
  EXPECT_EQ(status_of_text(test.ask("POST", "/livez")), 405);
}

TEST(AdminDoor, TellsMetricsAsPrometheusWantsThemAndFresh) {
  AdminUnderTest test;
  const std::string response = test.get("/metrics");
  EXPECT_EQ(status_of_text(response), 200);
  EXPECT_EQ(field_of(response, "Content-Type"), telemetry::Exposition::kContentType);
  EXPECT_EQ(field_of(response, "Cache-Control"), "no-store");
  EXPECT_THAT(response, HasSubstr("\nsluice_build_info{version=\"1.2.3\",compiler=\"a compiler\",type=\"debug\"} 1\n"));
}

TEST(AdminDoor, TellsWhatWasBuilt) {
  AdminUnderTest test;
  EXPECT_EQ(test.get_json("/admin/v1/build"),
            (json{{"name", "sluice"}, {"version", "1.2.3"}, {"compiler", "a compiler"}, {"type", "debug"}}));
}

TEST(AdminDoor, IsReadyUntilItIsAboutToStop) {
  AdminUnderTest test;
  EXPECT_EQ(status_of_text(test.get("/readyz")), 200);
  EXPECT_EQ(test.get_json("/readyz")["status"], "ready");
  test.is_draining = true;
  EXPECT_EQ(status_of_text(test.get("/readyz")), 503);
  EXPECT_EQ(test.get_json("/readyz")["status"], "not_ready");
}

TEST(AdminDoor, ExplainsARequestAndTakesNothing) {
  AdminUnderTest test;
  test.take("abc");
  const std::string body = R"({"path": "/v1/x", "headers": {"X-Api-Key": "abc"}})";
  for (int i = 0; i < 5; ++i) {
    const json got = json::parse(body_of(test.ask("POST", "/admin/v1/explain", "", body)));
    EXPECT_EQ(got["decision"]["allowed"], true);
    EXPECT_EQ(got["decision"]["buckets"][0]["remaining"], 1);
    EXPECT_EQ(got["decision"]["buckets"][0]["key"], "api|key|abc");
    EXPECT_EQ(got["explain"]["rules"][0]["applies"], true);
    EXPECT_EQ(got["explain"]["rules"][0]["key"], "api|key|abc");
  }
  EXPECT_THAT(test.metrics(), HasSubstr("outcome=\"allowed\"} 1\n")) << "what is explained is not counted";
}

TEST(AdminDoor, ExplainsWhyARuleDoesNotApply) {
  AdminUnderTest test;
  const json got = json::parse(body_of(test.ask("POST", "/admin/v1/explain", "", R"({"path": "/other"})")));
  EXPECT_EQ(got["decision"]["buckets"], json::array());
  EXPECT_EQ(got["explain"]["rules"][0]["applies"], false);
  EXPECT_THAT(got["explain"]["rules"][0]["why"].get<std::string>(), HasSubstr("/other"));
}

TEST(AdminDoor, ExplainsByTheRulesInForce) {
  AdminUnderTest test;
  EXPECT_EQ(test.served.load(R"({"policies": [{"id": "new", "rules": [{"name": "all", "limit_keys": [],
    "algorithm_config": {"rps": 1, "burst": 7}}]}]})"),
            "");
  const json got = json::parse(body_of(test.ask("POST", "/admin/v1/explain", "", "{}")));
  EXPECT_EQ(got["explain"]["rules"].size(), 1U);
  EXPECT_EQ(got["decision"]["limit"], 7);
}

TEST(AdminDoor, SaysWhatIsWrongWithARequestToExplain) {
  AdminUnderTest test;
  for (const auto& [body, detail] : {std::pair("{", "line 1, column"), std::pair("[]", "must be an object"),
                                     std::pair(R"({"pth": "/"})", "pth"), std::pair(R"({"path": 7})", "path")}) {
    const std::string response = test.ask("POST", "/admin/v1/explain", "", body);
    EXPECT_EQ(status_of_text(response), 400) << body;
    EXPECT_THAT(json::parse(body_of(response))["detail"].get<std::string>(), HasSubstr(detail));
  }
  EXPECT_EQ(status_of_text(test.ask("POST", "/admin/v1/explain")), 400);
}

TEST(AdminDoor, NamesTheHottestAndTheMostRejectedKeys) {
  AdminUnderTest test;
  test.take("quiet", 1);
  test.take("loud", 7);
  test.take("middle", 3);
  const json hottest = test.get_json("/admin/v1/top");
  EXPECT_EQ(hottest["by"], "requests");
  EXPECT_EQ(hottest["total"], 11);
  ASSERT_EQ(hottest["keys"].size(), 3U);
  EXPECT_EQ(hottest["keys"][0], (json{{"key", "api|key|loud"}, {"is_cut", false}, {"count", 7}, {"error", 0}}));
  EXPECT_EQ(hottest["keys"][2]["key"], "api|key|quiet");
  const json rejected = test.get_json("/admin/v1/top?by=rejections&limit=1");
  EXPECT_EQ(rejected["total"], 6);
  ASSERT_EQ(rejected["keys"].size(), 1U);
  EXPECT_EQ(rejected["keys"][0]["count"], 5);
}

TEST(AdminDoor, SaysHowToNarrowAWishForViolationsThatTakesTooLong) {
  AdminUnderTest test;
  test.sources.violations = [](const auto&, const auto&, size_t) {
    return sql::Outcome<std::vector<audit::Violation>>(
        sql::Fault{sql::Trouble::kBusy, "it took too long", "narrow it with since, user or ip"});
  };
  test.set({});
  const std::string response = test.get("/admin/v1/violations?endpoint=/x");
  EXPECT_EQ(status_of_text(response), 503);
  EXPECT_EQ(json::parse(body_of(response))["detail"], "it took too long (narrow it with since, user or ip)");
}

TEST(AdminDoor, SaysWhatIsWrongWithAWishForKeys) {
  AdminUnderTest test;
  for (const char* query : {"by=name", "limit=0", "limit=1001", "limit=x", "limit=2x", "limit=", "limit=-1", "x=1"}) {
    EXPECT_EQ(status_of_text(test.get(std::string("/admin/v1/top?") + query)), 400) << query;
  }
  EXPECT_EQ(status_of_text(test.get("/admin/v1/top?limit=1000")), 200);
}

}  // namespace
}  // namespace sluice::doors::admin
