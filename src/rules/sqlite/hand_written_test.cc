// Rules typed into the real sqlite3, while a server has the file open.
#include <gmock/gmock.h>

#include "rules/sqlite/rule_table.h"
#include "rules/table/rule_contract_testing.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HandWritten : public ::testing::Test {
 protected:
  std::string type(const std::string& sql) { return sql::sqlite::typed_into_sqlite3(file_, sql); }
  // The columns after key_pattern, and the values of a row that is refused.
  std::string refused(const std::string& columns, const std::string& values) {
    const std::string said = type("INSERT INTO rate_limit_rule (" + columns + ") VALUES (" + values + ");");
    EXPECT_TRUE(value_of(table_->snapshot()).rows.empty()) << values;
    return said;
  }

  sql::sqlite::TempFolder folder_;
  const std::string file_ = folder_ / "sluice.db";
  std::unique_ptr<RuleTable> table_ = value_of(sqlite::open_rules(file_));
};

constexpr const char* kPlainRow =
    "INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity)"
    " VALUES ('user:{user_id}', 'user', 10, 50);";

TEST_F(HandWritten, APlainRowIsARule) {
  const int64_t before = value_of(table_->latest_change());
  EXPECT_EQ(type(kPlainRow), "");
  EXPECT_NE(value_of(table_->latest_change()), before);
  const Snapshot snapshot = value_of(table_->snapshot());
  ASSERT_EQ(snapshot.rows.size(), 1u);
  EXPECT_EQ(as_given(snapshot.rows[0]), user_row());
  EXPECT_EQ(snapshot.rows[0].version, 1);
  EXPECT_THAT(snapshot.rows[0].created_at, ::testing::MatchesRegex("....-..-..T..:..:..[.][0-9]+Z"));
}

TEST_F(HandWritten, NumbersInQuotesAndTrueAreTaken) {
  EXPECT_EQ(type("INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity, is_active)"
                 " VALUES ('global', '10', 1e3, true);"),
            "");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).burst_capacity, 1000);
}

TEST_F(HandWritten, ChangesAreInTheHistoryWithTheirVersions) {
  type(kPlainRow);
  type("UPDATE rate_limit_rule SET rate_per_second = 20; UPDATE rate_limit_rule SET rate_per_second = 20;");
  type("PRAGMA recursive_triggers = ON; UPDATE rate_limit_rule SET is_active = 0;");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).version, 3);
  type("INSERT INTO rate_limit_top_level VALUES ('headers', '[\"ietf\"]'); DELETE FROM rate_limit_rule;");
  const std::vector<Change> changes = value_of(table_->changes({}));
  ASSERT_EQ(changes.size(), 5u);
  for (const Change& change : changes) EXPECT_EQ(change.who, "sql");
  EXPECT_EQ(changes[0].kind, ChangeKind::kRemoved);
  EXPECT_THAT(*changes[0].before, HasSubstr(R"("is_active":false)"));
  const int64_t before = value_of(table_->latest_change());
  EXPECT_EQ(type("DELETE FROM rate_limit_change;"), "");
  EXPECT_EQ(value_of(table_->latest_change()), before) << "a history that is thinned out goes on";
}

TEST_F(HandWritten, ABackupWithAsManyChangesIsAChange) {
  type(kPlainRow);
  const std::string backup = folder_ / "backup.db";
  EXPECT_EQ(type(".backup " + backup), "");
  EXPECT_EQ(sql::sqlite::typed_into_sqlite3(backup, "UPDATE rate_limit_rule SET rate_per_second = 20;"), "");
  type("UPDATE rate_limit_rule SET rate_per_second = 30;");
  const int64_t before = value_of(table_->latest_change());
  EXPECT_EQ(type(".restore " + backup), "");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).rate_per_second, 20);
  EXPECT_NE(value_of(table_->latest_change()), before);
}

TEST_F(HandWritten, AnUpsertIsOneChange) {
  type(kPlainRow);
  type(
      "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES ('user:{user_id}', 30, 50)"
      " ON CONFLICT (key_pattern, coalesce(plan, '')) DO UPDATE SET rate_per_second = excluded.rate_per_second;");
  const Row row = value_of(table_->snapshot()).rows.at(0);
  EXPECT_EQ(row.rate_per_second, 30);
  EXPECT_EQ(row.version, 2);
}

// The kinds and subjects of the history, the oldest first.
std::vector<std::string> told(RuleTable& table) {
  std::vector<std::string> lines;
  const std::vector<Change> changes = value_of(table.changes({}));
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const char* const kind = change->kind == ChangeKind::kCreated   ? "created "
                             : change->kind == ChangeKind::kChanged ? "changed "
                                                                    : "removed ";
    lines.push_back(kind + std::to_string(change->rule_id) + " " + change->subject);
  }
  return lines;
}

constexpr const char* kReplace =
    "INSERT OR REPLACE INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) VALUES ";

TEST_F(HandWritten, AReplacedRowIsInTheHistoryAndItsVersionGoesOn) {
  type(kPlainRow);
  type("UPDATE rate_limit_rule SET rate_per_second = 20;");
  EXPECT_EQ(type(kReplace + std::string("(1, 'user:{user_id}', 30, 50);")), "");
  EXPECT_THAT(told(*table_), ElementsAre("created 1 user:{user_id}", "changed 1 user:{user_id}",
                                         "removed 1 user:{user_id}", "created 1 user:{user_id}"));
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).version, 3)
      << "an edit that is meant for version 1 is not for this";
  EXPECT_EQ(type(kReplace + std::string("(NULL, 'user:{user_id}', 40, 50);")), "");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).id, 2);
  EXPECT_THAT(told(*table_), ::testing::IsSupersetOf({"removed 1 user:{user_id}", "created 2 user:{user_id}"}));
  type("PRAGMA recursive_triggers = ON;" + std::string(kReplace) + "(2, 'user:{user_id}', 50, 50);");
  EXPECT_EQ(told(*table_).size(), 8u) << "what SQLite tells itself is told once";
}

TEST_F(HandWritten, ARowThatAnUpdateReplacesIsInTheHistory) {
  type(kPlainRow);
  type("INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES ('global', 1, 1);");
  EXPECT_EQ(type("UPDATE OR REPLACE rate_limit_rule SET key_pattern = 'global', scope = NULL WHERE rule_id = 1;"), "");
  EXPECT_THAT(told(*table_),
              ElementsAre("created 1 user:{user_id}", "created 2 global", "removed 2 global", "changed 1 global"));
  EXPECT_EQ(type("UPDATE rate_limit_rule SET rule_id = 2;"), "");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).version, 3);
}

TEST_F(HandWritten, WhatIsRefusedOrIgnoredIsNoReplacement) {
  type(kPlainRow);
  EXPECT_EQ(type("INSERT OR IGNORE INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity)"
                 " VALUES ('user:{user_id}', 30, 50);"),
            "");
  EXPECT_EQ(type("UPDATE rate_limit_rule SET rate_per_second = 20; DELETE FROM rate_limit_rule;"), "");
  EXPECT_THAT(told(*table_),
              ElementsAre("created 1 user:{user_id}", "changed 1 user:{user_id}", "removed 1 user:{user_id}"));
}

TEST_F(HandWritten, VersionsDoNotGoBack) {
  type(kPlainRow);
  type("UPDATE rate_limit_rule SET rate_per_second = 20;");
  EXPECT_THAT(type("UPDATE rate_limit_rule SET version = 1;"), HasSubstr("version never goes back"));
  EXPECT_THAT(type("UPDATE rate_limit_rule SET created_at = '';"), HasSubstr("created_at stays as it is"));
  type("DELETE FROM rate_limit_rule;" + std::string(kReplace) + "(1, 'global', 1, 1);");
  EXPECT_EQ(value_of(table_->snapshot()).rows.at(0).version, 3);
}

TEST_F(HandWritten, NumbersBelowOneAreRefused) {
  for (const char* number : {"0", "-1"}) {
    EXPECT_THAT(
        refused("rule_id, key_pattern, rate_per_second, burst_capacity", number + std::string(", 'global', 1, 1")),
        HasSubstr("rule_id is above 0"));
  }
  type(kPlainRow);
  EXPECT_THAT(type("UPDATE rate_limit_rule SET rule_id = 0;"), HasSubstr("rule_id is above 0"));
}

TEST_F(HandWritten, WhatNoRuleCouldMeanIsRefusedInASentence) {
  const std::string plain = "key_pattern, rate_per_second, burst_capacity";
  EXPECT_THAT(refused(plain, "'global', 0, 1"), HasSubstr("rate_per_second is above 0 and at most 1e9"));
  EXPECT_THAT(refused(plain, "'global', 9e999, 1"), HasSubstr("rate_per_second is above 0 and at most 1e9"));
  EXPECT_THAT(refused(plain, "'global', 1, -1"), HasSubstr("burst_capacity is above 0 and at most 1e9"));
  EXPECT_THAT(refused(plain, "'global', 'fast', 1"), HasSubstr("cannot store TEXT value in REAL column"));
  EXPECT_THAT(refused(plain, "x'00', 1, 1"), HasSubstr("cannot store BLOB value in TEXT column"));
  EXPECT_THAT(refused(plain, "'', 1, 1"), HasSubstr("key_pattern has 1 to 128 characters"));
  EXPECT_THAT(refused(plain, "NULL, 1, 1"), HasSubstr("NOT NULL constraint failed: rate_limit_rule.key_pattern"));
  EXPECT_THAT(refused(plain, "'a' || char(0), 1, 1"), HasSubstr("text has no zero bytes"));
  EXPECT_THAT(refused("key_pattern", "'global'"), HasSubstr("rate_per_second and burst_capacity are given"));
  EXPECT_THAT(refused(plain + ", scope", "'global', 1, 1, 'Global'"),
              HasSubstr("scope is user, endpoint, global or ip"));
  EXPECT_THAT(refused(plain + ", is_active", "'global', 1, 1, 2"), HasSubstr("is_active is 0 or 1"));
  EXPECT_THAT(refused("key_pattern, definition", "'policy:a', '[]'"), HasSubstr("definition is a JSON object"));
  EXPECT_THAT(refused("key_pattern, definition", "'Policy:a', '{}'"), HasSubstr("all else has none"));
  EXPECT_THAT(refused("key_pattern, definition, plan", "'rule:a', '{}', 'pro'"), HasSubstr("left to the definition"));
}

TEST_F(HandWritten, WhoeverTypesWhileAnEditIsOpenIsToldToWait) {
  auto edit = value_of(table_->edit("test"));
  EXPECT_THAT(type(kPlainRow), HasSubstr("database is locked"));
  edit.reset();
  EXPECT_EQ(type(kPlainRow), "");
}

TEST_F(HandWritten, ATransactionLeftOpenElsewhereIsToldAsBusy) {
  sql::sqlite::Options impatient;
  impatient.longest_wait = std::chrono::milliseconds(20);
  auto other = value_of(sqlite::open_rules(file_, impatient));
  auto edit = value_of(table_->edit("test"));
  auto refused = other->edit("other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.fault().trouble, sql::Trouble::kBusy);
  EXPECT_TRUE(value_of(other->snapshot()).rows.empty()) << "reading goes on meanwhile";
}

TEST_F(HandWritten, ATableThatMayOnlyBeReadRefusesEdits) {
  type(kPlainRow);
  auto reader = value_of(sqlite::open_rules(file_, {.access = sql::sqlite::Access::kReadOnly}));
  EXPECT_EQ(value_of(reader->snapshot()).rows.size(), 1u);
  auto edit = reader->edit("test");
  ASSERT_FALSE(edit);
  EXPECT_EQ(edit.fault().trouble, sql::Trouble::kReadOnly) << edit.fault().message;
}

}  // namespace
}  // namespace sluice::rules
