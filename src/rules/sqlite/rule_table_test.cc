#include "rules/sqlite/rule_table.h"

#include "rules/table/rule_table_contract.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::rules {
namespace {

class SqliteRules : public RuleTableHome {
 public:
  sql::Outcome<std::unique_ptr<RuleTable>> open() override { return sqlite::open_rules(folder_ / "sluice.db"); }

 private:
  sql::sqlite::TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, RuleTableContract, ::testing::Values(&make_home<SqliteRules>));

}  // namespace
}  // namespace sluice::rules
