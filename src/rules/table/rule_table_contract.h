// What every implementation of RuleTable must do, as tests, for one file of its folder. That says how to open one:
//
//   class SqliteRules : public RuleTableHome { ... };
//   INSTANTIATE_TEST_SUITE_P(Sqlite, RuleTableContract, testing::Values(&make_home<SqliteRules>));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rules/table/rule_contract_testing.h"
#include "rules/table/rule_table.h"

namespace sluice::rules {

// A database of the test's own, empty at first. Opened by several threads at once.
class RuleTableHome {
 public:
  virtual ~RuleTableHome() = default;
  virtual sql::Outcome<std::unique_ptr<RuleTable>> open() = 0;
};

using MakeHome = std::unique_ptr<RuleTableHome> (*)();

template <class Home>
std::unique_ptr<RuleTableHome> make_home() {
  return std::make_unique<Home>();
}

class RuleTableContract : public ::testing::TestWithParam<MakeHome> {
 protected:
  std::unique_ptr<RuleTable> open() { return value_of(home_->open()); }

  Row add(const Row& row, const std::string& who = "test") {
    auto edit = value_of(table_->edit(who));
    Row added = value_of(edit->insert(row));
    value_of(edit->commit());
    return added;
  }

  sql::Trouble trouble_of_adding(const Row& row) {
    auto edit = value_of(table_->edit("test"));
    auto added = edit->insert(row);
    if (!added) return added.fault().trouble;
    ADD_FAILURE() << row.key_pattern << " was taken";
    return {};
  }

  std::unique_ptr<RuleTableHome> home_ = GetParam()();
  std::unique_ptr<RuleTable> table_ = open();
};

// Reads, checks and writes as an editor does.
inline void add_one_to_rate(RuleTable& table, int64_t id) {
  auto edit = once_not_busy([&] { return table.edit("counter"); });
  const Snapshot before = value_of(edit->snapshot());
  Row row = *std::find_if(before.rows.begin(), before.rows.end(), [id](const Row& each) { return each.id == id; });
  *row.rate_per_second += 1;
  value_of(edit->update(row));
  value_of(edit->commit());
}

TEST_P(RuleTableContract, AnEmptyTableHasNothing) {
  const Snapshot empty = value_of(table_->snapshot());
  EXPECT_TRUE(empty.rows.empty());
  EXPECT_TRUE(empty.top_level.empty());
  EXPECT_EQ(empty.change, 0);
  EXPECT_EQ(value_of(table_->latest_change()), 0);
  EXPECT_TRUE(value_of(table_->list({})).empty());
  EXPECT_TRUE(value_of(table_->changes({})).empty());
  EXPECT_EQ(value_of(table_->find(1)), std::nullopt);
}

TEST_P(RuleTableContract, EveryColumnComesBackAsItWentIn) {
  Row full = user_row("pro");
  full.rate_per_second = 0.1;
  full.burst_capacity = 1e9;
  full.is_active = false;
  full.description = "it's \"quoted\"; DROP TABLE rate_limit_rule; -- \xc3\xa9\n\t\\";
  const Row policy = policy_row("public-api", R"({"mode": "shadow", "rules": [{"name": "a", "n": 1.50}]})");
  for (const Row& row : {full, policy, user_row()}) {
    const Row added = add(row);
    EXPECT_EQ(as_given(added), row);
    EXPECT_EQ(added.version, 1);
    EXPECT_THAT(added.created_at, ::testing::MatchesRegex("....-..-..T..:..:..[.][0-9]+Z"));
    EXPECT_EQ(added.updated_at, added.created_at);
    EXPECT_EQ(value_of(open()->find(added.id)), added);
  }
  EXPECT_EQ(value_of(table_->snapshot()).rows, value_of(table_->list({})));
}

TEST_P(RuleTableContract, PatternAndPlanAreUniqueWithNoPlanToo) {
  add(user_row());
  add(user_row("pro"));
  EXPECT_EQ(trouble_of_adding(user_row()), sql::Trouble::kDuplicate);
  EXPECT_EQ(trouble_of_adding(user_row("pro")), sql::Trouble::kDuplicate);
  auto edit = value_of(table_->edit("test"));
  Row second = value_of(edit->snapshot()).rows.back();
  second.plan.reset();
  auto updated = edit->update(second);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.fault().trouble, sql::Trouble::kDuplicate) << updated.fault().message;
}

TEST_P(RuleTableContract, ARefusedRowChangesNothing) {
  const auto refused = [&](auto change) {
    Row row = user_row();
    change(row);
    EXPECT_EQ(trouble_of_adding(row), sql::Trouble::kRefused) << row.key_pattern;
  };
  refused([](Row& row) { row.rate_per_second = 0; });
  refused([](Row& row) { row.rate_per_second = -1; });
  refused([](Row& row) { row.rate_per_second = 2e9; });
  refused([](Row& row) { row.rate_per_second = std::numeric_limits<double>::infinity(); });
  refused([](Row& row) { row.rate_per_second = std::numeric_limits<double>::quiet_NaN(); });
  refused([](Row& row) { row.rate_per_second.reset(); });
  refused([](Row& row) { row.burst_capacity.reset(); });
  refused([](Row& row) { row.burst_capacity = 0; });
  refused([](Row& row) { row.scope = "planet"; });
  refused([](Row& row) { row.plan = ""; });
  refused([](Row& row) { row.plan = std::string(65, 'x'); });
  refused([](Row& row) { row.key_pattern = ""; });
  refused([](Row& row) { row.key_pattern = std::string(129, 'x'); });
  refused([](Row& row) { row.key_pattern = std::string(10'000'000, 'x'); });
  refused([](Row& row) { row.key_pattern += std::string("a\0b", 3); });
  refused([](Row& row) { row.description = std::string("a\0b", 3); });
  refused([](Row& row) { row.definition = "{}"; });
  refused([](Row& row) { row.key_pattern = "rule:a"; });
  EXPECT_EQ(trouble_of_adding(policy_row("a", "[]")), sql::Trouble::kRefused);
  EXPECT_EQ(trouble_of_adding(policy_row("a", "{")), sql::Trouble::kRefused);
  EXPECT_EQ(trouble_of_adding(policy_row("a", std::string("{}\0", 3))), sql::Trouble::kRefused);
  EXPECT_TRUE(value_of(table_->snapshot()).rows.empty());
  EXPECT_TRUE(value_of(table_->changes({})).empty());
}

TEST_P(RuleTableContract, ALongDefinitionIsKeptWhole) {
  const std::string text = R"({"rules": [], "note": ")" + std::string(2'000'000, 'x') + "\"}";
  EXPECT_EQ(value_of(table_->find(add(policy_row("long", text)).id))->definition, text);
}

TEST_P(RuleTableContract, AChangeCountsUpTheVersionAndNoChangeDoesNot) {
  const Row first = add(user_row());
  auto edit = value_of(table_->edit("test"));
  Row row = first;
  EXPECT_EQ(value_of(edit->update(row)).version, 1);
  row.rate_per_second = 20;
  row.version = 99;
  const Row second = value_of(edit->update(row));
  EXPECT_EQ(second.version, 2);
  EXPECT_EQ(second.created_at, first.created_at);
  EXPECT_GE(second.updated_at, first.updated_at);
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(value_of(table_->find(first.id)), second);
  EXPECT_EQ(value_of(table_->changes({})).size(), 2u);
}

TEST_P(RuleTableContract, TheHistorySaysWhoChangedWhatFromWhatToWhat) {
  const Row row = add(user_row("pro"), "ann");
  auto edit = value_of(table_->edit("o'brien"));
  Row faster = row;
  faster.rate_per_second = 20;
  value_of(edit->update(faster));
  value_of(edit->set_top_level("headers", R"(["ietf"])"));
  value_of(edit->set_top_level("headers", R"(["x"])"));
  value_of(edit->set_top_level("headers", std::nullopt));
  value_of(edit->remove(row.id));
  value_of(edit->commit());
  edit.reset();

  using ::testing::HasSubstr;
  using ::testing::Optional;
  const std::vector<Change> all = value_of(table_->changes({}));
  ASSERT_EQ(all.size(), 6u);
  const std::vector<ChangeKind> kinds = {ChangeKind::kRemoved, ChangeKind::kRemoved, ChangeKind::kChanged,
                                         ChangeKind::kCreated, ChangeKind::kChanged, ChangeKind::kCreated};
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kind, kinds[i]) << i;
    EXPECT_EQ(all[i].who, i == 5 ? "ann" : "o'brien") << i;
    EXPECT_EQ(all[i].before.has_value(), all[i].kind != ChangeKind::kCreated) << i;
    EXPECT_EQ(all[i].after.has_value(), all[i].kind != ChangeKind::kRemoved) << i;
    EXPECT_LT(all[i].number, i == 0 ? INT64_MAX : all[i - 1].number) << i;
    const bool is_rule = i == 0 || i >= 4;
    EXPECT_EQ(all[i].rule_id, is_rule ? row.id : 0) << i;
    EXPECT_EQ(all[i].subject, is_rule ? "user:{user_id}@pro" : "headers") << i;
  }
  EXPECT_THAT(all[4].before, Optional(HasSubstr("\"rate_per_second\"")));
  EXPECT_THAT(all[4].before, Optional(HasSubstr("10")));
  EXPECT_THAT(all[4].after, Optional(HasSubstr("20")));
  EXPECT_EQ(all[2].before, R"(["ietf"])");
  EXPECT_EQ(all[2].after, R"(["x"])");

  EXPECT_EQ(value_of(table_->changes({.rule_id = row.id})).size(), 3u);
  EXPECT_EQ(value_of(table_->changes({.rule_id = row.id, .most = 1}))[0].number, all[0].number);
  EXPECT_EQ(value_of(table_->changes({.before = all[3].number, .most = 1}))[0].number, all[4].number);
}

TEST_P(RuleTableContract, TheTopLevelIsSetReplacedAndTakenOut) {
  auto edit = value_of(table_->edit("test"));
  value_of(edit->set_top_level("headers", R"(["ietf", "x"])"));
  value_of(edit->set_top_level("kill_switches", "[]"));
  value_of(edit->set_top_level("kill_switches", "[ ]"));
  value_of(edit->set_top_level("gone", "1"));
  value_of(edit->set_top_level("gone", std::nullopt));
  value_of(edit->set_top_level("never there", std::nullopt));
  const TopLevel expected = {{"headers", R"(["ietf", "x"])"}, {"kill_switches", "[ ]"}};
  EXPECT_EQ(value_of(edit->snapshot()).top_level, expected);
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(value_of(open()->snapshot()).top_level, expected);
  edit = value_of(table_->edit("test"));
  auto refused = edit->set_top_level("headers", "[");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.fault().trouble, sql::Trouble::kRefused);
}

TEST_P(RuleTableContract, AnEditWithoutItsCommitNeverWas) {
  const Row row = add(user_row());
  const Snapshot before = value_of(table_->snapshot());
  {
    auto edit = value_of(table_->edit("test"));
    value_of(edit->remove(row.id));
    value_of(edit->insert(user_row("pro")));
    value_of(edit->set_top_level("headers", "[]"));
    EXPECT_EQ(value_of(edit->snapshot()).rows.size(), 1u);
    EXPECT_EQ(value_of(open()->snapshot()).rows, before.rows) << "others must not see it";
  }
  const Snapshot after = value_of(table_->snapshot());
  EXPECT_EQ(after.rows, before.rows);
  EXPECT_TRUE(after.top_level.empty());
  EXPECT_EQ(after.change, before.change);
}

TEST_P(RuleTableContract, ARefusalWithinAnEditDoesNotUndoTheRestOfIt) {
  auto edit = value_of(table_->edit("test"));
  value_of(edit->insert(user_row()));
  EXPECT_FALSE(edit->insert(user_row()));
  value_of(edit->insert(user_row("pro")));
  value_of(edit->commit());
  edit.reset();
  EXPECT_EQ(value_of(table_->snapshot()).rows.size(), 2u);
}

TEST_P(RuleTableContract, UpdatingWhatIsNotThereIsRefused) {
  auto edit = value_of(table_->edit("test"));
  Row row = user_row();
  row.id = 4711;
  EXPECT_FALSE(edit->update(row));
}

TEST_P(RuleTableContract, TheLatestChangeMovesWhoeverMadeIt) {
  auto other = open();
  int64_t seen = value_of(other->latest_change());
  const auto moves = [&](const char* what) {
    const int64_t now = value_of(other->latest_change());
    EXPECT_NE(now, seen) << what;
    EXPECT_EQ(value_of(other->latest_change()), now) << what;
    EXPECT_EQ(value_of(other->snapshot()).change, now) << what;
    EXPECT_EQ(value_of(table_->latest_change()), now) << what;
    seen = now;
  };
  Row row = add(user_row());
  moves("insert");
  auto edit = value_of(table_->edit("test"));
  row.is_active = false;
  value_of(edit->update(row));
  EXPECT_EQ(value_of(other->latest_change()), seen) << "not committed yet";
  value_of(edit->commit());
  moves("update");
  edit = nullptr;
  edit = value_of(table_->edit("test"));
  value_of(edit->set_top_level("headers", "[]"));
  value_of(edit->commit());
  moves("top level");
  edit = nullptr;
  edit = value_of(table_->edit("test"));
  value_of(edit->remove(row.id));
  value_of(edit->commit());
  moves("remove");
}

TEST_P(RuleTableContract, ListsGoOnWhereTheyEndedAndAreFiltered) {
  auto edit = value_of(table_->edit("test"));
  for (int i = 0; i < 25; ++i) {
    Row row = user_row(i == 0 ? "" : "plan" + std::to_string(i));
    row.is_active = i % 5 != 0;
    value_of(edit->insert(row));
  }
  value_of(edit->insert(policy_row("a")));
  value_of(edit->commit());
  edit.reset();

  std::set<int64_t> seen;
  RowFilter page{.most = 4};
  for (std::vector<Row> rows; !(rows = value_of(table_->list(page))).empty(); page.after_id = rows.back().id) {
    EXPECT_LE(rows.size(), 4u);
    for (const Row& row : rows) EXPECT_TRUE(seen.insert(row.id).second);
  }
  EXPECT_EQ(seen.size(), 26u);
  EXPECT_EQ(value_of(table_->list({.key_pattern = "policy:a"})).size(), 1u);
  EXPECT_EQ(value_of(table_->list({.key_pattern = "' OR 1=1 --"})).size(), 0u);
  EXPECT_EQ(value_of(table_->list({.plan = "plan7"})).size(), 1u);
  EXPECT_EQ(value_of(table_->list({.is_active = false})).size(), 5u);
}

TEST_P(RuleTableContract, AHundredWhoEditTheSameRowLoseNothing) {
  const int64_t id = add(user_row()).id;
  std::vector<std::thread> editors;
  for (int i = 0; i < 100; ++i) {
    editors.emplace_back([&] {
      auto table = once_not_busy([&] { return home_->open(); });
      add_one_to_rate(*table, id);
    });
  }
  for (std::thread& editor : editors) editor.join();
  const Row row = *value_of(table_->find(id));
  EXPECT_EQ(row.rate_per_second, 110);
  EXPECT_EQ(row.version, 101);
  EXPECT_EQ(value_of(table_->changes({.rule_id = id, .most = 1000})).size(), 101u);
}

}  // namespace sluice::rules
