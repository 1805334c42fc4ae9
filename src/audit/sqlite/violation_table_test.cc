#include "audit/sqlite/violation_table.h"

#include "audit/sqlite/violation_rows.h"
#include "audit/violation_table_contract.h"
#include "sql/sqlite/migrations.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::audit {
namespace {

using sql::sqlite::TempFolder;

class SqliteViolations : public ViolationTableHome {
 public:
  sql::Outcome<std::unique_ptr<ViolationTable>> open() override {
    return sqlite::open_violations(folder_ / "sluice.db");
  }

 private:
  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, ViolationTableContract, ::testing::Values(&make_home<SqliteViolations>));

// How SQLite would go about it, one line a step.
class QueryPlans : public ::testing::Test {
 protected:
  std::string plan_of(const ViolationFilter& filter, bool has_cursor) {
    auto database = value_of(sql::sqlite::open_migrated(folder_ / "sluice.db", {}));
    auto explain = database->prepare("EXPLAIN QUERY PLAN " + sqlite::list_text(filter, has_cursor));
    std::string plan;
    for (auto row = explain.step(); row && *row; row = explain.step()) plan += explain.text(3) + "\n";
    return plan;
  }

  TempFolder folder_;
};

TEST_F(QueryPlans, APageOfAUserOrAnAddressIsReadOffItsIndex) {
  using ::testing::HasSubstr;
  for (const bool has_cursor : {false, true}) {
    EXPECT_THAT(plan_of({.user_id = "a"}, has_cursor),
                HasSubstr("USING INDEX rate_limit_violation_by_user (user_id=?"));
    EXPECT_THAT(plan_of({.user_id = "a", .since_us = 1, .until_us = 2}, has_cursor),
                HasSubstr("by_user (user_id=? AND requested_at>? AND requested_at<?)"));
    EXPECT_THAT(plan_of({.user_id = "a", .is_shadow = true}, has_cursor), HasSubstr("by_user"));
    EXPECT_THAT(plan_of({.ip_address = "a"}, has_cursor),
                HasSubstr("USING INDEX rate_limit_violation_by_ip (ip_address=?"));
    EXPECT_THAT(plan_of({}, has_cursor), HasSubstr("USING INDEX rate_limit_violation_by_time"));
    EXPECT_THAT(plan_of({.endpoint = "a"}, has_cursor), HasSubstr("USING INDEX rate_limit_violation_by_time"));
  }
}

TEST_F(QueryPlans, AFilterWithoutAnIndexThatTakesTooLongIsToBeNarrowed) {
  const std::string file = folder_ / "sluice.db";
  const std::vector<Violation> many(20'000, violation_of("ann", 0));
  value_of(value_of(sqlite::open_violations(file))->append({"writer", 1, many}));
  sql::sqlite::Options impatient;
  impatient.longest_statement = std::chrono::milliseconds(0);
  const auto table = value_of(sqlite::open_violations(file, impatient));
  const auto found = table->list({.endpoint = "/nowhere"}, std::nullopt, 10);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.fault().trouble, sql::Trouble::kBusy);
  EXPECT_THAT(found.fault().hint, ::testing::HasSubstr("narrow it with since, user or ip"));
  EXPECT_EQ(
      value_of(table->list({.user_id = "ann", .endpoint = "/nowhere", .since_us = noon(1)}, std::nullopt, 10)).size(),
      0u);
}

TEST_F(QueryPlans, NoPageIsSorted) {
  const std::vector<ViolationFilter> filters = {{},
                                                {.user_id = "a"},
                                                {.ip_address = "a"},
                                                {.user_id = "a", .ip_address = "b"},
                                                {.bucket_key = "a"},
                                                {.rule_id = 1}};
  for (const ViolationFilter& filter : filters) {
    for (const bool has_cursor : {false, true}) {
      EXPECT_THAT(plan_of(filter, has_cursor), ::testing::Not(::testing::HasSubstr("TEMP B-TREE")));
    }
  }
}

}  // namespace
}  // namespace sluice::audit
