#include "doors/admin/readiness.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sluice::doors::admin {
namespace {

using nlohmann::json;

TEST(Readiness, IsGivenWithTheRulesOfTheFileInForce) {
  const Readiness readiness = readiness_of({.has_file = true, .loaded = 1}, {}, false);
  EXPECT_TRUE(readiness.is_ready);
  const json details = json::parse(readiness.details);
  EXPECT_EQ(details["status"], "ready");
  EXPECT_EQ(details["checks"]["rules"]["status"], "ok");
  EXPECT_EQ(details["checks"]["rules"]["faults"], json::array());
  EXPECT_EQ(details["checks"]["serving"]["status"], "ok");
}

TEST(Readiness, IsGivenWhereNoFileIsSet) {
  const Readiness readiness = readiness_of({}, {}, false);
  EXPECT_TRUE(readiness.is_ready);
  EXPECT_EQ(json::parse(readiness.details)["checks"]["rules"]["detail"], "no rules file is set");
}

TEST(Readiness, StaysWithTheLastGoodRulesAndTellsTheFaults) {
  const RulesFigures rules{.has_file = true, .are_current = false, .faults = {"rules.json:1: a \"fault\""}};
  const Readiness readiness = readiness_of(rules, {}, false);
  EXPECT_TRUE(readiness.is_ready);
  const json details = json::parse(readiness.details);
  EXPECT_EQ(details["status"], "degraded");
  EXPECT_EQ(details["checks"]["rules"]["status"], "degraded");
  EXPECT_EQ(details["checks"]["rules"]["faults"], json::array({"rules.json:1: a \"fault\""}));
  EXPECT_EQ(readiness.summary, R"({"status":"degraded"})");
}

TEST(Readiness, StaysWhileTheDatabaseIsAwayAndTellsWhy) {
  const RulesFigures rules{
      .has_file = true, .are_current = false, .is_table = true, .away = "no route", .away_since_unix_ms = 7};
  const Readiness readiness = readiness_of(rules, {}, false);
  EXPECT_TRUE(readiness.is_ready);
  const json checked = json::parse(readiness.details)["checks"]["rules"];
  EXPECT_EQ(checked["status"], "degraded");
  EXPECT_EQ(checked["detail"], "the database is away; the last good rules are in force");
  EXPECT_EQ(checked["away"], "no route");
  EXPECT_EQ(checked["away_since_unix_ms"], 7);
}

TEST(Readiness, EndsWithoutRulesThatShouldBeThere) {
  const Readiness readiness = readiness_of({.has_file = true, .are_loaded = false, .are_current = false}, {}, false);
  EXPECT_FALSE(readiness.is_ready);
  EXPECT_EQ(json::parse(readiness.details)["checks"]["rules"]["status"], "failing");
}

TEST(Readiness, EndsWhenTheServerIsAboutToStop) {
  const Readiness readiness = readiness_of({}, {}, true);
  EXPECT_FALSE(readiness.is_ready);
  EXPECT_EQ(json::parse(readiness.details)["checks"]["serving"]["status"], "failing");
  EXPECT_EQ(readiness.summary, R"({"status":"not_ready"})");
}

TEST(Readiness, AStoreThatIsAwayDegradesAndSaysWhy) {
  FleetFigures fleet;
  fleet.why = "nobody answers at 127.0.0.1:6379";
  const Readiness away = readiness_of({.has_file = true, .loaded = 1}, fleet, false);
  EXPECT_TRUE(away.is_ready);
  EXPECT_EQ(away.summary, R"({"status":"degraded"})");
  EXPECT_NE(away.details.find(fleet.why), std::string::npos) << away.details;
  fleet = {};
  fleet.is_up = true;
  EXPECT_EQ(readiness_of({.has_file = true, .loaded = 1}, fleet, false).summary, R"({"status":"ready"})");
}

}  // namespace
}  // namespace sluice::doors::admin
