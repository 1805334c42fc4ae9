#include "sql/sqlite/migrations.h"

#include <sys/stat.h>

#include <thread>
#include <vector>

#include "sql/sqlite/schema.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::sql::sqlite {
namespace {

namespace fs = std::filesystem;

class Migrations : public ::testing::Test {
 protected:
  std::string schema() { return typed_into_sqlite3(file_, ".schema"); }

  TempFolder folder_;
  const std::string file_ = folder_ / "sluice.db";
};

TEST_F(Migrations, ANewFileGetsTheSchemaAndSoDoesItsFolder) {
  const std::string file = folder_ / "data/sluice.db";
  ASSERT_TRUE(is_done(open_migrated(file, {})));
  EXPECT_EQ(typed_into_sqlite3(file, "PRAGMA user_version; PRAGMA journal_mode;"),
            std::to_string(schema_version()) + "\nwal\n");
}

TEST_F(Migrations, OpeningAgainChangesNothing) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  const std::string before = schema();
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  EXPECT_EQ(schema(), before);
  EXPECT_NE(before.find("rate_limit_violation"), std::string::npos);
}

TEST_F(Migrations, ManyThatOpenANewFileAtOnceAllFindItReady) {
  for (int round = 0; round < 10; ++round) {
    const std::string file = folder_ / ("at_once_" + std::to_string(round) + ".db");
    std::vector<std::string> faults(8);
    std::vector<std::thread> threads;
    for (std::string& fault : faults) {
      threads.emplace_back([&] {
        auto opened = open_migrated(file, {});
        if (!opened) fault = opened.fault().message;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(faults, std::vector<std::string>(8)) << round;
  }
}

TEST_F(Migrations, AStepThatDidNotCommitIsTakenAgainWhole) {
  // As a process leaves it that was killed after half of its step: SQLite rolls that back.
  typed_into_sqlite3(file_, "PRAGMA journal_mode=WAL; BEGIN; CREATE TABLE rate_limit_rule (x); ROLLBACK;");
  EXPECT_TRUE(is_done(open_migrated(file_, {})));
}

TEST_F(Migrations, AFileOfTheFirstSchemaKeepsItsRowsAndGetsTheRest) {
  ASSERT_TRUE(is_done(open_migrated(folder_ / "new.db", {})));
  typed_into_sqlite3(file_, std::string(kRuleTables) + kViolationTables +
                                "PRAGMA user_version = 1; PRAGMA application_id = " + std::to_string(kApplicationId) +
                                ";INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity)"
                                " VALUES (0, 'global', 1, 1), (4, 'ip:{ip}', 1, 1);");
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  EXPECT_EQ(schema(), typed_into_sqlite3(folder_ / "new.db", ".schema"));
  EXPECT_EQ(typed_into_sqlite3(file_, "PRAGMA user_version; SELECT rule_id FROM rate_limit_rule ORDER BY 1;"),
            "2\n0\n4\n");
  EXPECT_EQ(typed_into_sqlite3(file_, "UPDATE rate_limit_rule SET rule_id = 5 WHERE rule_id = 0;"), "");
}

TEST_F(Migrations, AFileOfALaterSluiceIsLeftAlone) {
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  typed_into_sqlite3(file_, "PRAGMA user_version = 99;");
  EXPECT_TRUE(fails_with(open_migrated(file_, {}), Trouble::kTooNew, "version 99 of the schema, from a later Sluice"));
  EXPECT_EQ(typed_into_sqlite3(file_, "PRAGMA user_version;"), "99\n");
}

TEST_F(Migrations, TheDatabaseOfAnotherProgramIsLeftAlone) {
  typed_into_sqlite3(file_, "CREATE TABLE customers (name TEXT);");
  EXPECT_TRUE(fails_with(open_migrated(file_, {}), Trouble::kBroken, "the database of another program"));
  EXPECT_EQ(typed_into_sqlite3(file_, "PRAGMA journal_mode; SELECT count(*) FROM sqlite_schema;"), "delete\n1\n");
  typed_into_sqlite3(folder_ / "numbered.db", "PRAGMA user_version = 1;");
  EXPECT_TRUE(fails_with(open_migrated(folder_ / "numbered.db", {}), Trouble::kBroken, "of another program"));
  typed_into_sqlite3(folder_ / "wide.db", "PRAGMA encoding = 'UTF-16'; CREATE TABLE x (y); DROP TABLE x;");
  EXPECT_TRUE(fails_with(open_migrated(folder_ / "wide.db", {}), Trouble::kBroken, "of another program"));
}

TEST_F(Migrations, WhatMayOnlyBeReadMustHaveTheSchema) {
  Options reading;
  reading.access = Access::kReadOnly;
  EXPECT_TRUE(fails_with(open_migrated(file_, reading), Trouble::kAway, "there is no file"));
  EXPECT_FALSE(fs::exists(file_));
  std::ofstream{file_};
  EXPECT_TRUE(fails_with(open_migrated(file_, reading), Trouble::kReadOnly, "lacks the tables"));
  ASSERT_TRUE(is_done(open_migrated(file_, {})));
  auto opened = open_migrated(file_, reading);
  ASSERT_TRUE(is_done(opened));
  EXPECT_TRUE(fails_with((*opened)->execute("DELETE FROM rate_limit_rule"), Trouble::kReadOnly, "may not be written"));
}

}  // namespace
}  // namespace sluice::sql::sqlite
