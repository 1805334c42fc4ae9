#include "rules/table/editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/json_writer.h"
#include "rules/table/sqlite_table_testing.h"

namespace sluice::rules {
namespace {

using testing::body;
using testing::done;
using ::testing::ElementsAre;
using testing::faults_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SqliteTable;

class Editing : public ::testing::Test {
 protected:
  Row row(int64_t id) { return table_->find(id)->value(); }
  int64_t changes() { return *table_->latest_change(); }

  SqliteTable table_;
  Editor editor_ = table_.editor();
};

TEST_F(Editing, CreatesARowAndTellsItAsItIs) {
  const Row made = done(editor_.create(body("user:{user_id}", R"("plan": "pro", "description": "x")")));
  EXPECT_GT(made.id, 0);
  EXPECT_EQ(made.version, 1);
  EXPECT_EQ(made.plan, "pro");
  EXPECT_EQ(row(made.id), made);
  const auto changes = table_->changes({});
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_EQ((*changes)[0].who, "ann");
}

TEST_F(Editing, RefusesWhatTheLoaderRefusesAtItsLine) {
  EXPECT_THAT(faults_of(editor_.create("{\"key_pattern\": \"global\",\n \"rate_per_second\": 0, \"brst\": 1}")),
              ElementsAre(HasSubstr(":1:1: burst_capacity is missing"),
                          HasSubstr(":2:21: rate_per_second: rate_per_second must be greater than 0, but is 0"),
                          HasSubstr(":2:24: brst: 'brst' is no field of a rule in the table form")));
  EXPECT_THAT(faults_of(editor_.create(R"({"id": "p", "rules": []})")),
              ElementsAre(HasSubstr(":1:22: rules: rules must not be empty")));
  EXPECT_THAT(table_.subjects(), IsEmpty());
}

TEST_F(Editing, ANameIsTakenOnce) {
  const Row first = done(editor_.create(body("global")));
  const EditResult second = editor_.create(body("global", R"("is_active": false)"));
  ASSERT_TRUE(std::holds_alternative<Taken>(second));
  EXPECT_EQ(std::get<Taken>(second).row, first);
  done(editor_.create(body("global", R"("plan": "free")")));
}

TEST_F(Editing, WhatIsShownIsEditedAndSentBack) {
  for (const std::string& text :
       {body("user:{user_id}"),
        std::string(R"({"name": "r", "limit_keys": [], "algorithm_config": {"rps": 1, "burst": 1}})"),
        std::string(R"({"id": "p", "description": "d", "rules": [{"name": "r", "limit_keys": [], )"
                    R"("algorithm_config": {"rps": 1, "burst": 1}}]})")}) {
    const Row made = done(editor_.create(text));
    std::string shown = documents::write_json(row_json(made));
    shown.replace(shown.find(R"("is_active": true)"), 17, R"("is_active": false)");
    const Row changed = done(editor_.replace(made.id, shown, made.version));
    EXPECT_EQ(changed.version, 2);
    EXPECT_FALSE(changed.is_active);
    EXPECT_EQ(changed.created_at, made.created_at);
    Row expected = made;
    expected.is_active = false;
    expected.version = 2;
    expected.updated_at = changed.updated_at;
    EXPECT_EQ(changed, expected);
  }
}

TEST_F(Editing, NobodyUndoesWhatAnotherHasChanged) {
  const Row made = done(editor_.create(body("global")));
  done(editor_.replace(made.id, body("global", R"("description": "new")"), 1));
  for (const EditResult& late : {editor_.replace(made.id, body("global"), 1),
                                 editor_.patch(made.id, R"({"rate_per_second": 1})", 1), editor_.remove(made.id, 1)}) {
    ASSERT_TRUE(std::holds_alternative<Conflict>(late));
    EXPECT_EQ(std::get<Conflict>(late).row, row(made.id));
  }
  EXPECT_EQ(row(made.id).description, "new");
  done(editor_.remove(made.id, 2));
  EXPECT_THAT(table_.subjects(), IsEmpty());
}

TEST_F(Editing, WhatIsNotThereCannotBeChanged) {
  EXPECT_TRUE(std::holds_alternative<NotThere>(editor_.replace(7, body("global"), {})));
  EXPECT_TRUE(std::holds_alternative<NotThere>(editor_.patch(7, "{}", {})));
  EXPECT_TRUE(std::holds_alternative<NotThere>(editor_.remove(7, {})));
  EXPECT_TRUE(std::holds_alternative<NotThere>(editor_.remove_top_level("headers", {})));
}

TEST_F(Editing, TheNumberOfAnotherRowIsRefused) {
  const Row made = done(editor_.create(body("global")));
  EXPECT_THAT(faults_of(editor_.replace(made.id, body("global", R"("rule_id": 99)"), {})),
              ElementsAre(HasSubstr("rule_id must be 1, that of the row to be changed, but is 99")));
  EXPECT_THAT(faults_of(editor_.create(body("ip:{ip}", R"("rule_id": 99)"))),
              ElementsAre(HasSubstr("a new row's rule_id is the database's to choose")));
}

TEST_F(Editing, APatchChangesWhatItNames) {
  const Row made = done(editor_.create(body("user:{user_id}", R"("plan": "pro", "description": "d")")));
  const Row patched = done(editor_.patch(made.id, R"({"rate_per_second": 0.5, "description": null})", 1));
  EXPECT_EQ(patched.rate_per_second, 0.5);
  EXPECT_EQ(patched.burst_capacity, 50);
  EXPECT_EQ(patched.plan, "pro");
  EXPECT_EQ(patched.description, std::nullopt);
  EXPECT_EQ(patched.version, 2);
  const Row rule = done(editor_.create(R"({"name": "r", "limit_keys": [], "match": {"path": "/a", "method": "GET"},
                                           "algorithm_config": {"rps": 1, "burst": 1}})"));
  const Row narrowed =
      done(editor_.patch(rule.id, R"({"match": {"method": null}, "algorithm_config": {"burst": 9}})", {}));
  EXPECT_EQ(*narrowed.definition,
            R"({"limit_keys": [], "match": {"path": "/a"}, "algorithm_config": {"rps": 1, "burst": 9}})");
  EXPECT_THAT(faults_of(editor_.patch(made.id, "{\n\"rate_per_second\": -1}", {})),
              ElementsAre(HasSubstr(":2:20: rate_per_second: rate_per_second must be greater than 0")));
  EXPECT_THAT(faults_of(editor_.patch(made.id, R"({"plan": "a", "plan": "b"})", {})),
              ElementsAre(HasSubstr("each of them once")));
  EXPECT_THAT(faults_of(editor_.patch(made.id, "[]", {})), ElementsAre(HasSubstr("a patch is an object")));
}

TEST_F(Editing, AChangeThatMakesAnotherRowWrongIsRefused) {
  done(editor_.create(body("user:{user_id}", R"("plan": "pro")")));
  const Row other = done(editor_.create(
      R"({"name": "narrow", "limit_keys": ["attr:user_id"], "match": {"path": "/a"},
          "algorithm_config": {"rps": 1, "burst": 1}})"));
  const EditResult hides = editor_.create(R"({"name": "wide", "limit_keys": ["attr:user_id"], "priority": 9,
                                              "algorithm_config": {"rps": 1, "burst": 1}})");
  EXPECT_THAT(faults_of(hides),
              ElementsAre(HasSubstr("rule 1 (user:{user_id}@pro): the rule 'user:{user_id}@pro' can never apply: the "
                                    "rule 'wide' in the new row has the same limit_keys"),
                          HasSubstr("rule 2 (rule:narrow)")));
  EXPECT_EQ(row(other.id), other);
}

TEST_F(Editing, ATableBrokenByHandIsMendedRowByRow) {
  done(editor_.create(body("global")));
  table_.type(
      "INSERT INTO rate_limit_rule (key_pattern, rate_per_second, burst_capacity) VALUES "
      "('user:42', 1, 1), ('nonsense', 1, 1);");
  ASSERT_EQ(load_snapshot(*table_->snapshot(), table_.name()).rules, nullptr);
  // Others may still be changed, but for the worse.
  done(editor_.patch(1, R"({"rate_per_second": 11})", {}));
  EXPECT_THAT(faults_of(editor_.patch(1, R"({"rate_per_second": 0})", {})), ElementsAre(HasSubstr("greater than 0")));
  EXPECT_THAT(faults_of(editor_.patch(2, R"({"rate_per_second": 2})", {})), ElementsAre(HasSubstr("key_pattern")));
  done(editor_.patch(2, R"({"key_pattern": "user:{user_id}"})", {}));
  done(editor_.remove(3, {}));
  EXPECT_NE(load_snapshot(*table_->snapshot(), table_.name()).rules, nullptr);
}

// The schema refuses such rows by now; a file from before may have one.
TEST_F(Editing, ARowWithTheNumberZeroIsToldAndInNobodysWay) {
  table_.type(
      "PRAGMA ignore_check_constraints = ON; DROP TRIGGER rate_limit_rule_created;"
      "INSERT INTO rate_limit_rule (rule_id, key_pattern, rate_per_second, burst_capacity) VALUES (0, 'global', 1, "
      "1);");
  const Row made = done(editor_.create(body("ip:{ip}")));
  EXPECT_GT(made.id, 0);
  EXPECT_THAT(testing::lines_of(load_snapshot(*table_->snapshot(), table_.name()).faults),
              ElementsAre(HasSubstr("rule 0 (global): rule_id: rule_id must be above 0")));
  ASSERT_TRUE(std::holds_alternative<Taken>(editor_.create(body("global"))));
  table_.type("UPDATE rate_limit_rule SET rule_id = 7 WHERE rule_id = 0;");
  EXPECT_NE(load_snapshot(*table_->snapshot(), table_.name()).rules, nullptr);
}

TEST_F(Editing, ValidatingChangesNothing) {
  const Row made = done(editor_.create(body("global")));
  const int64_t before = changes();
  EXPECT_EQ(done(editor_.validate(body("ip:{ip}"), {})).key_pattern, "ip:{ip}");
  EXPECT_EQ(done(editor_.validate(body("ip:{ip}"), made.id)).id, made.id);
  EXPECT_THAT(faults_of(editor_.validate(body("nonsense"), {})), ElementsAre(HasSubstr("key_pattern")));
  EXPECT_EQ(changes(), before);
  EXPECT_THAT(table_.subjects(), ElementsAre("global"));
}

TEST_F(Editing, ValidatingNeedsNoRightToWriteAndWaitsForNobody) {
  done(editor_.create(body("global")));
  const auto other = table_.open();
  const auto held = other->edit("bob");
  ASSERT_TRUE(held);
  EXPECT_EQ(done(editor_.validate(body("ip:{ip}"), {})).key_pattern, "ip:{ip}");
  const auto opened = sqlite::open_rules(table_.file(), {.access = sql::sqlite::Access::kReadOnly});
  ASSERT_TRUE(opened);
  Editor reader(**opened, table_.name(), "ann");
  EXPECT_EQ(done(reader.validate(body("ip:{ip}"), {})).key_pattern, "ip:{ip}");
  EXPECT_TRUE(std::holds_alternative<Taken>(reader.validate(body("global"), {})));
}

TEST_F(Editing, TheTopLevelIsSetAndTakenOut) {
  done(editor_.set_top_level("headers", R"(["x"])", ""));
  EXPECT_EQ(table_->snapshot()->top_level.at("headers"), R"(["x"])");
  const EditResult late = editor_.set_top_level("headers", R"(["ietf"])", "");
  ASSERT_TRUE(std::holds_alternative<Conflict>(late));
  EXPECT_EQ(std::get<Conflict>(late).value, R"(["x"])");
  EXPECT_THAT(faults_of(editor_.set_top_level("headers", R"(["y"])", R"(["x"])")),
              ElementsAre(HasSubstr(":1:2: top level: headers[0]: ")));
  EXPECT_THAT(faults_of(editor_.set_top_level("heders", "[]", {})), ElementsAre(HasSubstr("did you mean 'headers'?")));
  EXPECT_THAT(faults_of(editor_.set_top_level("headers", "[", {})), ElementsAre(HasSubstr("top level: headers: ")));
  done(editor_.remove_top_level("headers", R"(["x"])"));
  EXPECT_TRUE(table_->snapshot()->top_level.empty());
}

}  // namespace
}  // namespace sluice::rules
