#include "rules/postgres/postgres_rules.h"

#include <poll.h>

#include "postgres/cluster.h"
#include "rules/table/rule_table_contract.h"

namespace sluice::rules {
namespace {

using postgres_testing::psql;
using postgres_testing::Psql;
using postgres_testing::shared_cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class PostgresHome : public RuleTableHome {
 public:
  sql::Outcome<std::unique_ptr<RuleTable>> open() override { return open_postgres_rules(url_); }

 private:
  std::string url_ = shared_cluster().fresh_database();
};

INSTANTIATE_TEST_SUITE_P(Postgres, RuleTableContract, ::testing::Values(&make_home<PostgresHome>));

class PostgresRulesByHand : public ::testing::Test {
 protected:
  std::string type(const std::string& sql) { return psql(url_, sql); }
  void until(const std::string& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (type(condition) != "t") ASSERT_LT(std::chrono::steady_clock::now(), deadline) << condition;
  }
  bool is_told(int patience_ms) {
    pollfd source{table_->notice_fd(), POLLIN, 0};
    return poll(&source, 1, patience_ms) == 1;
  }

  std::string url_ = shared_cluster().fresh_database();
  std::unique_ptr<RuleTable> table_ = value_of(open_postgres_rules(url_));
};

constexpr const char* kPlainInsert =
    "INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity) "
    "VALUES ('user:{user_id}','user',10,50)";

TEST_F(PostgresRulesByHand, ThePlainColumnsAreEnough) {
  EXPECT_EQ(type(kPlainInsert), "");
  const std::vector<Row> rows = value_of(table_->snapshot()).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(as_given(rows[0]), user_row());
  EXPECT_EQ(rows[0].version, 1);
}

TEST_F(PostgresRulesByHand, EditsCountAndAreInTheHistoryWithTheRole) {
  type(kPlainInsert);
  type("UPDATE rate_limit_rule SET rate_per_second = 20, version = 77, created_at = '1999-01-01'");
  type("UPDATE rate_limit_rule SET rate_per_second = 20");
  type("INSERT INTO rate_limit_top_level VALUES ('headers', '[]')");
  type("DELETE FROM rate_limit_rule");
  const std::vector<Change> changes = value_of(table_->changes({}));
  ASSERT_EQ(changes.size(), 4u) << "setting what was set already is no change";
  for (const Change& change : changes) EXPECT_EQ(change.who, "sluice");
  EXPECT_EQ(changes[0].kind, ChangeKind::kRemoved);
  EXPECT_EQ(changes[1].subject, "headers");
  EXPECT_THAT(*changes[2].before, HasSubstr("\"rate_per_second\":10,"));
  EXPECT_THAT(*changes[2].after, HasSubstr("\"rate_per_second\":20,"));
  EXPECT_THAT(*changes[2].after, HasSubstr("\"version\":2,"));
  EXPECT_EQ(value_of(table_->latest_change()), changes[0].number);
}

TEST_F(PostgresRulesByHand, TruncateCountsToo) {
  type(kPlainInsert);
  type("INSERT INTO rate_limit_top_level VALUES ('headers', '[]')");
  const int64_t before = value_of(table_->latest_change());
  EXPECT_EQ(type("TRUNCATE rate_limit_rule, rate_limit_top_level"), "");
  EXPECT_EQ(value_of(table_->latest_change()), before + 2);
  EXPECT_EQ(value_of(table_->changes({}))[1].kind, ChangeKind::kRemoved);
}

TEST_F(PostgresRulesByHand, ASlipIsRefusedInASentence) {
  const auto insert = [&](const std::string& columns, const std::string& values) {
    return type("INSERT INTO rate_limit_rule (" + columns + ") VALUES (" + values + ")");
  };
  const std::string plain = "key_pattern, rate_per_second, burst_capacity";
  EXPECT_THAT(insert(plain, "'a', 0, 1"), HasSubstr("rate_per_second is above 0 and at most 1e9"));
  EXPECT_THAT(insert(plain, "'a', 'NaN', 1"), HasSubstr("rate_per_second is above 0"));
  EXPECT_THAT(insert(plain, "'a', 1, 'Infinity'"), HasSubstr("burst_capacity is above 0"));
  EXPECT_THAT(insert("key_pattern", "'a'"), HasSubstr("rate_per_second and burst_capacity are given"));
  EXPECT_THAT(insert(plain + ", scope", "'a', 1, 1, 'planet'"), HasSubstr("scope is user, endpoint, global or ip"));
  EXPECT_THAT(insert("key_pattern", "'policy:a'"), HasSubstr("policy: and rule: have a definition"));
  EXPECT_THAT(insert("key_pattern, definition, plan", "'rule:a', '{}', 'pro'"), HasSubstr("left to the definition"));
  EXPECT_THAT(insert("key_pattern, definition", "'rule:a', '[]'"), HasSubstr("definition is a JSON object"));
  EXPECT_EQ(type("SELECT count(*) FROM rate_limit_rule"), "0");
}

TEST_F(PostgresRulesByHand, WhoeverWaitsIsToldOfAnEdit) {
  value_of(table_->latest_change());
  EXPECT_FALSE(is_told(0));
  type(kPlainInsert);
  EXPECT_TRUE(is_told(20'000));
  EXPECT_TRUE(is_told(0)) << "until it asks";
  EXPECT_EQ(value_of(table_->latest_change()), 1);
  EXPECT_FALSE(is_told(0));
  EXPECT_GT(table_->poll_interval(), 0ms);
}

// Numbers are given before a commit: had the second not to wait, its greater number would be seen first.
TEST_F(PostgresRulesByHand, NoEditIsMissedThatCommitsLater) {
  Psql slow(url_, "BEGIN; INSERT INTO rate_limit_top_level VALUES ('slow', '1'); SELECT pg_sleep(1.5); COMMIT");
  until("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory'");
  auto quick = std::thread([this] { type("INSERT INTO rate_limit_top_level VALUES ('quick', '1')"); });
  until("SELECT count(*) > 0 FROM rate_limit_change");
  const int64_t seen = value_of(table_->latest_change());
  std::vector<std::string> fields;
  for (const auto& [field, value] : value_of(table_->snapshot()).top_level) fields.push_back(field);
  EXPECT_THAT(fields, ::testing::Contains("slow")) << "the first to write is the first to be seen";
  slow.finish();
  quick.join();
  EXPECT_GE(value_of(table_->latest_change()), seen);
  EXPECT_EQ(value_of(table_->changes({}))[0].subject, "quick");
}

TEST_F(PostgresRulesByHand, AnEditOfOursWaitsForPsqlAndPsqlForOurs) {
  auto edit = value_of(table_->edit("ann"));
  Psql waiting(url_, "SET lock_timeout = '20s'; " + std::string(kPlainInsert));
  until("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted");
  EXPECT_TRUE(value_of(edit->snapshot()).rows.empty());
  value_of(edit->set_top_level("headers", "[]"));
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(waiting.finish(), "");
  EXPECT_EQ(value_of(table_->snapshot()).rows.size(), 1u);
  EXPECT_EQ(value_of(table_->changes({}))[1].who, "ann");
}

TEST_F(PostgresRulesByHand, WhoHoldsTheTableForTooLongMakesItBusy) {
  const auto hasty = value_of(open_postgres_rules(url_, {.lock = 100ms}));
  auto edit = value_of(table_->edit("ann"));
  const auto second = hasty->edit("bob");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.fault().trouble, sql::Trouble::kBusy);
  const auto again = table_->edit("ann");
  ASSERT_FALSE(again) << "nor two on one connection";
  EXPECT_EQ(again.fault().trouble, sql::Trouble::kBusy);
  EXPECT_TRUE(hasty->snapshot()) << "reading goes on";
}

TEST_F(PostgresRulesByHand, ARoleThatMayOnlyEditAddsToTheHistoryAndCannotRewriteIt) {
  type("CREATE ROLE editor LOGIN");
  type("GRANT SELECT ON ALL TABLES IN SCHEMA public TO editor");
  type("GRANT INSERT, UPDATE, DELETE ON rate_limit_rule, rate_limit_top_level TO editor");
  std::string url = url_;
  url.replace(url.find("sluice@"), 6, "editor");
  const auto table = value_of(open_postgres_rules(url));
  auto edit = value_of(table->edit("ann"));
  value_of(edit->insert(user_row()));
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(psql(url, "INSERT INTO rate_limit_top_level VALUES ('headers', '[]')"), "");
  const std::vector<Change> changes = value_of(table->changes({}));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].who, "editor");
  EXPECT_EQ(changes[1].who, "ann");
  EXPECT_EQ(changes[1].role, "editor");
  EXPECT_THAT(psql(url, "DELETE FROM rate_limit_change"), HasSubstr("permission denied"));
}

TEST_F(PostgresRulesByHand, WhoClaimsToBeAnotherIsInTheHistoryWithTheRole) {
  EXPECT_EQ(type("SET sluice.who = 'ann'; " + std::string(kPlainInsert)), "");
  const std::vector<Change> changes = value_of(table_->changes({}));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].who, "ann");
  EXPECT_EQ(changes[0].role, "sluice");
}

TEST_F(PostgresRulesByHand, ANumberGivenByHandIsNotGivenAgain) {
  type(
      "INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) VALUES (1, 'global', 1, 1)");
  type(
      "INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) VALUES (3, 'ip:{ip}', 1, "
      "1)");
  auto edit = value_of(table_->edit("ann"));
  EXPECT_EQ(value_of(edit->insert(user_row())).id, 4);
  EXPECT_EQ(value_of(edit->insert(user_row("pro"))).id, 5);
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(type("UPDATE rate_limit_rule SET rule_id = 6 WHERE rule_id = 1"), "");
  edit = value_of(table_->edit("ann"));
  EXPECT_EQ(value_of(edit->insert(user_row("free"))).id, 7);
}

TEST_F(PostgresRulesByHand, NumbersBelowOneAreRefused) {
  for (const char* number : {"0", "-1"}) {
    EXPECT_THAT(type("INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) VALUES (" +
                     std::string(number) + ", 'global', 1, 1)"),
                HasSubstr("rule_id is above 0"));
  }
}

TEST_F(PostgresRulesByHand, TenThousandRowsAreReadAtOnce) {
  type(
      "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity, plan) "
      "SELECT 'user:{user_id}', i, i, 'plan' || i FROM generate_series(1, 10000) AS i");
  const auto begin = std::chrono::steady_clock::now();
  const Snapshot snapshot = value_of(table_->snapshot());
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(snapshot.rows.size(), 10'000u);
  printf("a snapshot of 10,000 rows: %.1f ms\n", std::chrono::duration<double, std::milli>(took).count());
  EXPECT_LT(took, 5s);
}

}  // namespace
}  // namespace sluice::rules
