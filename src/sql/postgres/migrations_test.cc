#include "sql/postgres/migrations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "postgres/cluster.h"
#include "sql/postgres/schema.h"

namespace sluice::sql::postgres {
namespace {

using postgres_testing::psql;
using postgres_testing::shared_cluster;
using ::testing::HasSubstr;

Outcome<Done> migrate_at(const std::string& url) {
  const auto connection = Connection::open(url);
  if (!connection) return connection.fault();
  return migrate(**connection);
}

std::string as_role(std::string url, const std::string& role) { return url.replace(url.find("sluice@"), 6, role); }

TEST(PostgresMigrations, TenAtOnceMigrateOnce) {
  const std::string url = shared_cluster().fresh_database();
  std::atomic<int> failures = 0;
  std::vector<std::thread> servers;
  for (int i = 0; i < 10; ++i) {
    servers.emplace_back([&] {
      const auto done = migrate_at(url);
      if (!done) {
        ++failures;
        ADD_FAILURE() << done.fault().message;
      }
    });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(psql(url, "SELECT count(*), max(version) FROM rate_limit_schema"), "2|2");
}

TEST(PostgresMigrations, WhatIsThereStays) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_TRUE(migrate_at(url));
  ASSERT_EQ(psql(url,
                 "INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity) "
                 "VALUES ('user:{user_id}','user',10,50)"),
            "");
  ASSERT_TRUE(migrate_at(url));
  EXPECT_EQ(psql(url, "SELECT count(*) FROM rate_limit_rule"), "1");
}

std::string first_schema() {
  return std::string(kRuleTables) + kHistory + kViolationTables +
         "CREATE TABLE rate_limit_schema (version BIGINT PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL DEFAULT now());"
         "INSERT INTO rate_limit_schema VALUES (1);";
}

TEST(PostgresMigrations, TablesOfTheFirstSchemaKeepTheirRowsAndGetTheRest) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_EQ(
      psql(url, first_schema() + "INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) "
                                 "VALUES (0, 'global', 1, 1), (4, 'ip:{ip}', 1, 1)"),
      "");
  const auto done = migrate_at(url);
  ASSERT_TRUE(done) << done.fault().message;
  EXPECT_EQ(psql(url, "SELECT max(version) FROM rate_limit_schema"), "2");
  EXPECT_EQ(psql(url, "SELECT count(*), count(session_role) FROM rate_limit_change"), "2|0");
  EXPECT_EQ(psql(url,
                 "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES ('a', 1, 1) "
                 "RETURNING rule_id"),
            "5");
  EXPECT_EQ(psql(url, "UPDATE rate_limit_rule SET rule_id = 9 WHERE rule_id = 0"), "");
}

TEST(PostgresMigrations, TablesAreMigratedWhereTheyAre) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_EQ(psql(url, first_schema()), "");
  const std::string name = url.substr(url.find("test_"), url.find('?') - url.find("test_"));
  ASSERT_EQ(psql(url, "CREATE SCHEMA limits; ALTER DATABASE " + name + " SET search_path = limits, public"), "");
  const auto done = migrate_at(url);
  ASSERT_TRUE(done) << done.fault().message;
  EXPECT_EQ(psql(url, "SELECT max(version) FROM public.rate_limit_schema"), "2");
}

TEST(PostgresMigrations, TablesOfALaterSluiceAreLeftAlone) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_TRUE(migrate_at(url));
  ASSERT_EQ(psql(url, "INSERT INTO rate_limit_schema (version) VALUES (7)"), "");
  const auto done = migrate_at(url);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.fault().trouble, Trouble::kTooNew);
  EXPECT_THAT(done.fault().message, HasSubstr("schema 7"));
}

TEST(PostgresMigrations, ARoleThatMayNotCreateWorksWithWhatIsThere) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_EQ(psql(url, "CREATE ROLE guest LOGIN"), "");
  const auto before = migrate_at(as_role(url, "guest"));
  ASSERT_FALSE(before);
  EXPECT_EQ(before.fault().trouble, Trouble::kReadOnly);
  EXPECT_THAT(before.fault().message, HasSubstr("permission denied"));
  ASSERT_TRUE(migrate_at(url));
  ASSERT_EQ(psql(url, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest"), "");
  const auto after = migrate_at(as_role(url, "guest"));
  EXPECT_TRUE(after) << after.fault().message;
}

TEST(PostgresMigrations, AMigrationThatFailsLeavesNothingBehind) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_EQ(psql(url, "CREATE TABLE rate_limit_violation (mine int)"), "");
  const auto done = migrate_at(url);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.fault().message, HasSubstr("rate_limit_violation"));
  EXPECT_EQ(psql(url, "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'rate_limit%'"), "1");
}

TEST(PostgresMigrations, TheyGoWhereTheRolesTablesGo) {
  const std::string url = shared_cluster().fresh_database();
  ASSERT_EQ(psql(url, "CREATE SCHEMA limits; ALTER DATABASE " +
                          url.substr(url.find("test_"), url.find('?') - url.find("test_")) +
                          " SET search_path = limits, public"),
            "");
  ASSERT_TRUE(migrate_at(url));
  EXPECT_EQ(psql(url, "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'rate_limit%'"), "limits");
  // The triggers find their tables though whoever edits has another search_path.
  EXPECT_EQ(psql(url,
                 "SET search_path = public; INSERT INTO limits.rate_limit_top_level VALUES ('headers', '[]'); "
                 "SELECT subject FROM limits.rate_limit_change"),
            "headers");
}

}  // namespace
}  // namespace sluice::sql::postgres
