#include "doors/admin/rules_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "doors/admin/rules_testing.h"

namespace sluice::doors::admin {
namespace {

using http::body_of;
using http::field_of;
using http::status_of_text;
using nlohmann::json;
using rules::testing::body;
using ::testing::HasSubstr;

constexpr const char* kProblem = "application/problem+json";

class RulesApi : public ::testing::Test {
 protected:
  RulesUnderTest api;
};

TEST_F(RulesApi, ARuleIsMadeShownChangedAndRemoved) {
  const std::string made = api.ask("POST", "", body("user:{user_id}", R"("plan": "pro")"));
  EXPECT_EQ(status_of_text(made), 201);
  EXPECT_EQ(field_of(made, "Location"), "/admin/v1/rules/1");
  EXPECT_EQ(field_of(made, "ETag"), "\"1\"");
  EXPECT_EQ(json_of(made)["plan"], "pro");
  const std::string shown = api.get("/1");
  EXPECT_EQ(status_of_text(shown), 200);
  EXPECT_EQ(json_of(shown), json_of(made));
  EXPECT_EQ(field_of(shown, "ETag"), "\"1\"");
  json edited = json_of(shown);
  edited["rate_per_second"] = 0.25;
  const std::string put = api.ask("PUT", "/1", edited.dump(), field_of(shown, "ETag"));
  EXPECT_EQ(status_of_text(put), 200);
  EXPECT_EQ(field_of(put, "ETag"), "\"2\"");
  EXPECT_EQ(json_of(put)["rate_per_second"], 0.25);
  EXPECT_EQ(json_of(put)["version"], 2);
  const std::string patched = api.ask("PATCH", "/1", R"({"plan": null, "is_active": false})", "\"2\"");
  EXPECT_EQ(status_of_text(patched), 200);
  EXPECT_EQ(json_of(patched)["plan"], nullptr);
  EXPECT_EQ(json_of(patched)["is_active"], false);
  EXPECT_EQ(json_of(patched)["rate_per_second"], 0.25);
  const std::string removed = api.ask("DELETE", "/1", "", "\"3\"");
  EXPECT_EQ(status_of_text(removed), 204);
  EXPECT_EQ(field_of(removed, "Content-Length"), "none");
  EXPECT_EQ(status_of_text(api.get("/1")), 404);
  EXPECT_EQ(api.changed, 4);
}

TEST_F(RulesApi, RulesAndPoliciesAreMadeLikeRows) {
  const json rule = json_of(api.ask("POST", "", R"({"name": "login", "limit_keys": ["ip:address"],
      "match": {"path": "/login"}, "algorithm_config": {"rps": 1, "burst": 5}})"));
  EXPECT_EQ(rule["name"], "login");
  EXPECT_EQ(rule["match"], (json{{"path", "/login"}}));
  const json policy = json_of(api.ask("POST", "", R"({"id": "api", "selector": {"pathPrefix": "/v1"},
      "rules": [{"name": "r", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 5}}]})"));
  EXPECT_EQ(policy["id"], "api");
  EXPECT_EQ(policy["rule_id"], 2);
  EXPECT_EQ(api.json("")["rules"], json::array({rule, policy}));
}

TEST_F(RulesApi, AFileReplacesOnlyTheRulesThatItIsFor) {
  const auto file = [&] { return api.ask("GET", "/file"); };
  EXPECT_EQ(field_of(file(), "ETag"), "\"0\"");
  const std::string user = R"({"rules": [)" + body("user:{user_id}") + "]}";
  EXPECT_EQ(status_of_text(api.ask("PUT", "/file", user, "\"0\"")), 200);
  const std::string known = field_of(file(), "ETag");
  api.add("ip:{ip}");

  const std::string stale = api.ask("PUT", "/file", user, known);
  EXPECT_EQ(status_of_text(stale), 412);
  EXPECT_EQ(field_of(stale, "Content-Type"), kProblem);
  EXPECT_EQ(field_of(stale, "ETag"), field_of(file(), "ETag"));
  EXPECT_EQ(status_of_text(api.ask("PATCH", "/file", user, known)), 412);
  EXPECT_EQ(status_of_text(api.ask("PUT", "/file", user)), 428);
  EXPECT_EQ(status_of_text(api.ask("PUT", "/file", user, "seven")), 400);
  EXPECT_EQ(api.json("")["rules"].size(), 2u);

  EXPECT_EQ(json_of(api.ask("PATCH", "/file", user))["unchanged"], 1);
  EXPECT_EQ(json_of(api.ask("PUT", "/file", user, known + ", " + field_of(stale, "ETag")))["removed"], 1);
  EXPECT_EQ(status_of_text(api.ask("PUT", "/file", user, "*")), 200);
}

TEST_F(RulesApi, ListsArePagedAndFiltered) {
  for (int i = 1; i <= 5; ++i) api.add("endpoint:/" + std::to_string(i), i == 3 ? R"("is_active": false)" : "");
  api.add("user:{user_id}", R"("plan": "pro")");
  const auto ids = [&](const std::string& query) {
    std::vector<int> found;
    const json page = api.json(query);
    for (const json& rule : page["rules"]) found.push_back(rule["rule_id"]);
    return std::pair(found, page["next"]);
  };
  EXPECT_EQ(ids("?limit=2"), std::pair(std::vector({1, 2}), json(2)));
  EXPECT_EQ(ids("?limit=4&after=2"), std::pair(std::vector({3, 4, 5, 6}), json()));
  EXPECT_EQ(ids("?is_active=false"), std::pair(std::vector({3}), json()));
  EXPECT_EQ(ids("?plan=pro"), std::pair(std::vector({6}), json()));
  EXPECT_EQ(ids("?key_pattern=endpoint%3A%2F4"), std::pair(std::vector({4}), json()));
  for (const char* bad : {"?limit=0", "?limit=1001", "?after=-1", "?is_active=yes", "?pattern=x"}) {
    EXPECT_EQ(status_of_text(api.get(bad)), 400) << bad;
  }
}

TEST_F(RulesApi, FaultsAreToldAllWithTheirPlaces) {
  const std::string response =
      api.ask("POST", "", "{\"key_pattern\": \"user:42\",\n \"rate_per_second\": 0, \"burst_capacity\": 5}");
  EXPECT_EQ(status_of_text(response), 422);
  EXPECT_EQ(field_of(response, "Content-Type"), kProblem);
  const json problem = json_of(response);
  EXPECT_EQ(problem["status"], 422);
  ASSERT_EQ(problem["faults"].size(), 2u);
  EXPECT_EQ(problem["faults"][0]["field"], "key_pattern");
  EXPECT_EQ(problem["faults"][1]["field"], "rate_per_second");
  EXPECT_EQ(problem["faults"][1]["message"], "rate_per_second must be greater than 0, but is 0");
  EXPECT_EQ(problem["faults"][1]["line"], 2);
  EXPECT_EQ(problem["faults"][1]["column"], 21);
  EXPECT_EQ(status_of_text(api.ask("POST", "", "{")), 422);
  EXPECT_EQ(api.json("")["rules"].size(), 0u);
  EXPECT_EQ(api.changed, 0);
}

TEST_F(RulesApi, AChangeSaysWhichVersionItIsFor) {
  const std::string rule = api.add("global");
  for (const char* method : {"PUT", "PATCH", "DELETE"}) {
    const std::string text = std::string(method) == "PUT" ? body("global") : "{}";
    EXPECT_EQ(status_of_text(api.ask(method, rule, text)), 428) << method;
    EXPECT_EQ(status_of_text(api.ask(method, rule, text, "1")), 400) << method;
    const std::string late = api.ask(method, rule, text, "\"7\"");
    EXPECT_EQ(status_of_text(late), 412) << method;
    EXPECT_EQ(field_of(late, "Content-Type"), kProblem);
    EXPECT_EQ(field_of(late, "ETag"), "\"1\"");
    EXPECT_EQ(json_of(late)["current"], api.json(rule));
  }
  EXPECT_EQ(status_of_text(api.ask("PATCH", rule, R"({"burst_capacity": 1})", "\"9\", \"1\"")), 200);
  EXPECT_EQ(status_of_text(api.ask("PATCH", rule, R"({"burst_capacity": 2})", "*")), 200);
  EXPECT_EQ(status_of_text(api.ask("PATCH", "/99", "{}", "*")), 404);
}

TEST_F(RulesApi, WhatIsKnownIsNotSentAgain) {
  const std::string rule = api.add("global");
  const std::string known = api.get(rule, "If-None-Match: \"1\"\r\n");
  EXPECT_EQ(status_of_text(known), 304);
  EXPECT_EQ(field_of(known, "ETag"), "\"1\"");
  EXPECT_EQ(body_of(known), "");
  EXPECT_EQ(status_of_text(api.get(rule, "If-None-Match: \"2\"\r\n")), 200);
  EXPECT_EQ(status_of_text(api.get(rule, "If-None-Match: W/\"1\"\r\n")), 304) << "as a proxy writes it";
}

TEST_F(RulesApi, ANameThatIsTakenIsShown) {
  const std::string rule = api.add("global");
  const std::string second = api.ask("POST", "", body("global"));
  EXPECT_EQ(status_of_text(second), 409);
  EXPECT_EQ(json_of(second)["current"], api.json(rule));
}

TEST_F(RulesApi, ValidatingNeedsNoTokenAndChangesNothing) {
  api.add("global");
  const auto validate = [&](const std::string& query, const std::string& text) {
    return api.test.ask("POST", "/admin/v1/rules/validate" + query, "", text);
  };
  EXPECT_EQ(json_of(validate("", body("ip:{ip}"))), (json{{"valid", true}}));
  EXPECT_EQ(json_of(validate("?rule_id=1", body("global"))), (json{{"valid", true}}));
  EXPECT_EQ(status_of_text(validate("", body("global"))), 409);
  EXPECT_EQ(status_of_text(validate("", body("nonsense"))), 422);
  EXPECT_EQ(status_of_text(validate("?rule_id=9", body("global"))), 404);
  EXPECT_EQ(api.json("")["rules"].size(), 1u);
  EXPECT_EQ(api.changed, 1);
}

TEST_F(RulesApi, ChangesNeedATokenAndItsNameIsInTheHistory) {
  EXPECT_EQ(status_of_text(api.test.ask("POST", "/admin/v1/rules", "", body("global"))), 401);
  EXPECT_EQ(status_of_text(api.test.ask("DELETE", "/admin/v1/rules/1", "If-Match: *\r\n")), 401);
  EXPECT_EQ(status_of_text(api.test.ask("POST", "/admin/v1/rules", bearer("secret"), body("global"))), 201);
  EXPECT_EQ(status_of_text(api.ask("PATCH", "/1", R"({"rate_per_second": 3})", "*")), 200);
  api.table.type("DELETE FROM rate_limit_rule;");
  const json changes = api.json("/1/history")["changes"];
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0]["kind"], "removed");
  EXPECT_EQ(changes[0]["changed_by"], "sql");
  EXPECT_EQ(changes[1]["kind"], "changed");
  EXPECT_EQ(changes[1]["changed_by"], "ann");
  EXPECT_EQ(changes[1]["before"]["rate_per_second"], 10);
  EXPECT_EQ(changes[1]["after"]["rate_per_second"], 3);
  EXPECT_EQ(changes[2]["changed_by"], "admin");
  EXPECT_EQ(changes[2]["before"], nullptr);
  const json page = api.json("/1/history?limit=2");
  EXPECT_EQ(page["next"], changes[1]["change_id"]);
  EXPECT_EQ(api.json("/1/history?before=" + page["next"].dump())["changes"], json::array({changes[2]}));
  EXPECT_EQ(status_of_text(api.get("/history")), 401);
  EXPECT_EQ(json_of(api.ask("GET", "/history"))["changes"], changes);
}

TEST_F(RulesApi, RulesOfAFileAreChangedThere) {
  api.test.sources.table = {};
  api.test.rules.has_file = true;
  api.test.set({.token = Access("anns", "ann")});
  for (const char* below : {"", "/1", "/history", "/top-level", "/top-level/headers", "/1/history"}) {
    const std::string response = api.ask("GET", below);
    EXPECT_EQ(status_of_text(response), 409) << below;
    EXPECT_THAT(response, HasSubstr("The rules come from a file"));
  }
  EXPECT_EQ(status_of_text(api.ask("POST", "", body("global"))), 409);
}

TEST_F(RulesApi, ADatabaseThatIsAwayIsToldAtOnceAndFoundAgain) {
  api.is_away = true;
  const std::string response = api.get("");
  EXPECT_EQ(status_of_text(response), 503);
  EXPECT_EQ(field_of(response, "Retry-After"), "1");
  EXPECT_THAT(json_of(response)["detail"], "the database is away");
  EXPECT_EQ(status_of_text(api.ask("POST", "", body("global"))), 503);
  // Only the first has tried: the others need not wait for a time-out each.
  EXPECT_EQ(api.opened, 1);
  api.is_away = false;
  api.test.served.time.now = api.test.served.time.now + RuleDesk::kPause;
  EXPECT_EQ(status_of_text(api.get("")), 200);
}

TEST_F(RulesApi, AConnectionThatWasLostIsMadeAnew) {
  api.add("global");
  const std::string moved = api.table.file() + ".moved";
  std::filesystem::rename(api.table.file(), moved);
  EXPECT_EQ(status_of_text(api.ask("PATCH", "/1", R"({"rate_per_second": 3})", "*")), 503);
  std::filesystem::rename(moved, api.table.file());
  api.test.served.time.now = api.test.served.time.now + RuleDesk::kPause;
  EXPECT_EQ(status_of_text(api.ask("PATCH", "/1", R"({"rate_per_second": 3})", "*")), 200);
}

TEST_F(RulesApi, WhatIsNoRuleIsNotFound) {
  for (const char* below : {"/x", "/0", "/1/2", "/1/history/", "/-1"}) {
    EXPECT_EQ(status_of_text(api.get(below)), 404) << below;
  }
  for (const char* method : {"POST", "DELETE"}) {
    const std::string response = api.ask(method, "/1/history", "", "*");
    EXPECT_EQ(status_of_text(response), 405);
    EXPECT_EQ(field_of(response, "Allow"), "GET, HEAD");
  }
  EXPECT_EQ(field_of(api.ask("POST", "/1", "", "*"), "Allow"), "GET, HEAD, PUT, PATCH, DELETE");
  EXPECT_EQ(status_of_text(api.ask("PUT", "", body("global"), "*")), 405);
}

}  // namespace
}  // namespace sluice::doors::admin
