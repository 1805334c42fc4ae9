#include "rules/table/rules_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/table/sqlite_table_testing.h"

namespace sluice::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lines_of;
using testing::SqliteTable;

constexpr const char* kYaml =
    "description: all of it\n"
    "headers: [x]\n"
    "rules:\n"
    "  - {key_pattern: 'user:{user_id}', rate_per_second: .5, burst_capacity: 010}\n"
    "  - {key_pattern: 'user:{user_id}', rate_per_second: 0x10, burst_capacity: 50, plan: pro}\n"
    "  - name: login\n"
    "    is_active: false\n"
    "    limit_keys: [ip:address]\n"
    "    match: {path: /login, attr:code: 007}\n"
    "    algorithm_config: {rps: 1.50, burst: 1}\n";

constexpr const char* kPolicies = R"({"policies": [
  {"id": "default", "rules": [{"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 2}]},
  {"id": "api", "selector": {"pathPrefix": "/v1"}, "rules": [
    {"name": "r", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}}]}]})";

FileRows rows_of(const std::string& text, Format format = Format::kJson) {
  auto read = rows_of_file(text, "rules", format);
  if (const auto* faults = std::get_if<std::vector<Fault>>(&read)) {
    for (const std::string& line : lines_of(*faults)) ADD_FAILURE() << line;
    return {};
  }
  return std::get<FileRows>(std::move(read));
}

std::string exported(const Snapshot& snapshot) {
  auto text = export_file(snapshot, testing::kTable);
  return std::holds_alternative<std::string>(text) ? std::get<std::string>(text) : "faults";
}

class Importing : public ::testing::Test {
 protected:
  Imported import(const FileRows& file, ImportMode mode = ImportMode::kReplace) {
    const auto result = import_file(*table_, table_.name(), "ann", file, mode);
    if (const auto* faulty = std::get_if<Faulty>(&result)) {
      for (const std::string& line : lines_of(faulty->faults)) ADD_FAILURE() << line;
    }
    EXPECT_TRUE(std::holds_alternative<Imported>(result)) << result.index();
    return std::holds_alternative<Imported>(result) ? std::get<Imported>(result) : Imported();
  }
  RuleSet rules() { return testing::rules_of(*table_->snapshot()); }

  SqliteTable table_;
};

TEST_F(Importing, AFileMeansTheSameInATable) {
  EXPECT_EQ(import(rows_of(kYaml, Format::kYaml)).added, 3u);
  EXPECT_THAT(table_.subjects(), ElementsAre("user:{user_id}", "user:{user_id}@pro", "rule:login"));
  const RuleSet loaded = rules();
  EXPECT_TRUE(loaded.headers.x);
  ASSERT_EQ(loaded.policies[0].rules.size(), 2u);
  EXPECT_EQ(loaded.policies[0].rules[0].limits[0], *Limit::token_bucket(0.5, 10));
  EXPECT_EQ(loaded.policies[0].rules[1].limits[0], *Limit::token_bucket(16, 50));
  // What a condition compares with counts as it is written.
  EXPECT_THAT(*table_->find(3)->value().definition, HasSubstr(R"("attr:code": "007")"));
  EXPECT_THAT(*table_->find(3)->value().definition, HasSubstr("1.50"));
}

TEST_F(Importing, RulesOfThePolicyDefaultAreRowsOfTheirOwn) {
  import(rows_of(kPolicies));
  EXPECT_THAT(table_.subjects(), ElementsAre("global", "policy:api"));
}

TEST_F(Importing, AnExportLoadsToTheSameRules) {
  for (const auto& [text, format] : {std::pair{kYaml, Format::kYaml}, {kPolicies, Format::kJson}}) {
    import(rows_of(text, format));
    const std::string first = exported(*table_->snapshot());
    const Loaded loaded = load_text(first, "export", Format::kJson);
    EXPECT_THAT(lines_of(loaded.faults), IsEmpty());
    const Imported again = import(rows_of(first));
    EXPECT_EQ(again.added + again.changed + again.removed, 0u) << first;
    EXPECT_EQ(exported(*table_->snapshot()), first);
  }
}

TEST_F(Importing, ReplacingLeavesTheTableInTheOrderOfTheFile) {
  import(rows_of(R"({"rules": [
    {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 2},
    {"name": "all", "limit_keys": ["attr:user_id"], "algorithm_config": {"rps": 1, "burst": 1}},
    {"key_pattern": "ip:{ip}", "rate_per_second": 1, "burst_capacity": 2}]})"));
  // The narrow tier must be asked before `all`, which is in the table already.
  const Imported imported = import(rows_of(R"({"rules": [
    {"key_pattern": "global", "rate_per_second": 5, "burst_capacity": 2},
    {"name": "narrow", "limit_keys": ["attr:user_id"], "match": {"path": "/a"},
     "algorithm_config": {"rps": 1, "burst": 1}},
    {"name": "all", "limit_keys": ["attr:user_id"], "algorithm_config": {"rps": 1, "burst": 1}}]})"));
  EXPECT_THAT(table_.subjects(), ElementsAre("global", "rule:narrow", "rule:all"));
  EXPECT_EQ(imported.added, 1u);
  EXPECT_EQ(imported.changed, 1u);
  EXPECT_EQ(imported.removed, 1u);
  EXPECT_EQ(imported.unchanged, 1u);
  EXPECT_EQ(table_->find(1)->value().version, 2);
}

TEST_F(Importing, MergingKeepsWhatTheFileDoesNotName) {
  import(rows_of(kYaml, Format::kYaml));
  const Imported imported = import(rows_of(R"({"forwarded_header": "forwarded", "rules": [
    {"key_pattern": "user:{user_id}", "rate_per_second": 7, "burst_capacity": 8},
    {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 2}]})"),
                                   ImportMode::kMerge);
  EXPECT_THAT(table_.subjects(), ElementsAre("user:{user_id}", "user:{user_id}@pro", "rule:login", "global"));
  EXPECT_EQ(imported.changed, 1u);
  EXPECT_EQ(imported.added, 1u);
  EXPECT_EQ(table_->find(1)->value().rate_per_second, 7);
  EXPECT_TRUE(rules().headers.x);
  EXPECT_EQ(rules().forwarded_header, ForwardedHeader::kForwarded);
}

TEST_F(Importing, IsAllOrNothing) {
  import(rows_of(R"({"rules": [{"key_pattern": "user:{user_id}", "rate_per_second": 1, "burst_capacity": 2}]})"));
  const auto result = import_file(*table_, table_.name(), "ann", rows_of(R"({"rules": [
    {"key_pattern": "global", "rate_per_second": 1, "burst_capacity": 2},
    {"key_pattern": "u:{user_id}", "rate_per_second": 1, "burst_capacity": 2}]})"),
                                  ImportMode::kMerge);
  ASSERT_TRUE(std::holds_alternative<Faulty>(result));
  EXPECT_THAT(lines_of(std::get<Faulty>(result).faults),
              ElementsAre(HasSubstr("new rule (u:{user_id}): the rule 'u:{user_id}' can never apply")));
  EXPECT_THAT(table_.subjects(), ElementsAre("user:{user_id}"));
}

TEST_F(Importing, FaultsOfTheFileHaveItsLines) {
  const auto read = rows_of_file(
      "{\"rules\": [\n{\"key_pattern\": \"policy:{x}\", \"rate_per_second\": 1, "
      "\"burst_capacity\": 1}]}",
      "rules.json", Format::kJson);
  ASSERT_TRUE(std::holds_alternative<std::vector<Fault>>(read));
  EXPECT_THAT(lines_of(std::get<std::vector<Fault>>(read)),
              ElementsAre(HasSubstr("rules.json:2:17: key_pattern: in a table, key_pattern must not begin with")));
  EXPECT_TRUE(std::holds_alternative<std::vector<Fault>>(rows_of_file("{}", "rules.json", Format::kJson)));
}

TEST_F(Importing, AnEmptyTableIsAFileWithoutRules) {
  const std::string empty = exported({});
  EXPECT_EQ(empty, "{\"rules\": []}\n");
  EXPECT_THAT(exported({0, {}, {{"headers", R"(["x"])"}}}), HasSubstr("\"headers\""));
  import(rows_of(kPolicies));
  EXPECT_EQ(import(rows_of(empty), ImportMode::kMerge).removed, 0u);
  EXPECT_EQ(import(rows_of(empty)).removed, 2u);
  EXPECT_THAT(table_->snapshot()->rows, IsEmpty());
}

}  // namespace
}  // namespace sluice::rules
