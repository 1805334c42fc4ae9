// Processes that are killed and disks that are full: an edit is there whole, or not at all.
#include <random>

#include "rules/sqlite/rule_table.h"
#include "rules/table/rule_contract_testing.h"
#include "sql/sqlite/children_testing.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::rules {
namespace {

using sql::sqlite::Child;
using sql::sqlite::TempFolder;

// Two rows and a field in one edit: all three have the number, or none.
bool edit_number(RuleTable& table, int number) {
  auto edit = table.edit("child");
  if (!edit) return false;
  const std::string plan = "plan" + std::to_string(number);
  Row pair = policy_row(plan);
  if (!(*edit)->insert(user_row(plan)) || !(*edit)->insert(pair)) return false;
  if (!(*edit)->set_top_level("number", std::to_string(number))) return false;
  return static_cast<bool>((*edit)->commit());
}

int edit_until_killed(const std::string& file, int pipe) {
  auto table = sqlite::open_rules(file);
  if (!table) return 1;
  for (int number = 1;; ++number) {
    if (!edit_number(**table, number)) return 2;
    if (write(pipe, &number, sizeof(number)) != sizeof(number)) return 3;
  }
}

class Crashes : public ::testing::Test {
 protected:
  TempFolder folder_;
  const std::string file_ = folder_ / "sluice.db";
};

TEST_F(Crashes, AKilledEditorLosesNothingAcknowledgedAndLeavesNothingHalf) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    const std::string file = folder_ / ("killed_" + std::to_string(round) + ".db");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Child child([&] { return edit_until_killed(file, ends[1]); });
    close(ends[1]);
    int acknowledged = 0;
    for (const int enough = 1 + static_cast<int>(random() % 20); acknowledged < enough;) {
      ASSERT_EQ(read(ends[0], &acknowledged, sizeof(acknowledged)), ssize_t(sizeof(acknowledged)));
    }
    usleep(static_cast<useconds_t>(random() % 5'000));  // Not a wait: the kill is to come at any moment of an edit.
    child.kill_now();
    for (int number; read(ends[0], &number, sizeof(number)) == sizeof(number);) acknowledged = number;
    close(ends[0]);

    auto table = value_of(sqlite::open_rules(file));
    const Snapshot snapshot = value_of(table->snapshot());
    const int kept = std::stoi(snapshot.top_level.at("number"));
    EXPECT_GE(kept, acknowledged);
    EXPECT_LE(kept, acknowledged + 1);
    EXPECT_EQ(snapshot.rows.size(), 2u * static_cast<size_t>(kept));
    EXPECT_EQ(value_of(table->changes({.most = 10'000})).size(), 3u * static_cast<size_t>(kept));
    EXPECT_EQ(value_of(table->changes({.most = 1}))[0].who, "child");
    EXPECT_TRUE(edit_number(*table, kept + 1)) << "who was killed holds nothing";
  }
}

int edit_on_a_full_disk(const std::string& file, const std::string& ballast) {
  auto table = sqlite::open_rules(file);
  if (!table || !edit_number(**table, 1)) return 1;
  sql::sqlite::fill_disk(ballast);
  int number = 2;
  while (number < 10'000 && edit_number(**table, number)) ++number;
  if (number == 10'000) return 2;
  {
    auto edit = (*table)->edit("child");
    if (!edit) return 3;
    // More than is kept in memory until the commit, so that this row is the first to find no room. Going on after that,
    // as nobody should, must not keep anything either.
    auto added = (*edit)->insert(policy_row("big", "{\"x\": \"" + std::string(40'000'000, 'x') + "\"}"));
    if (added || added.fault().trouble != sql::Trouble::kFull) return 4;
    static_cast<void>(static_cast<bool>((*edit)->insert(user_row("stray"))));
    if ((*edit)->commit()) return 5;
  }
  auto meanwhile = (*table)->snapshot();
  if (!meanwhile || meanwhile->rows.size() != 2u * static_cast<size_t>(number - 1)) return 6;
  std::filesystem::remove(ballast);
  if (!edit_number(**table, number)) return 7;
  auto after = (*table)->snapshot();
  return after && after->rows.size() == 2u * static_cast<size_t>(number) ? 0 : 8;
}

TEST_F(Crashes, AFullDiskRefusesEditsWholeAndTakesThemOnceThereIsRoom) {
  const int status = sql::sqlite::on_a_small_disk(2'000'000, folder_.path(),
                                                  [&] { return edit_on_a_full_disk(file_, folder_ / "ballast"); });
  if (status == sql::sqlite::kNotPermitted) GTEST_SKIP() << "mounting a small disk is not permitted here";
  EXPECT_EQ(status, 0);
}

TEST_F(Crashes, AFileReplacedByABackupIsNoticed) {
  auto table = value_of(sqlite::open_rules(file_));
  ASSERT_TRUE(edit_number(*table, 1));
  value_of(sqlite::open_rules(folder_ / "backup.db"));
  std::filesystem::rename(folder_ / "backup.db", file_);
  auto change = table->latest_change();
  ASSERT_FALSE(change);
  EXPECT_EQ(change.fault().trouble, sql::Trouble::kAway);
  EXPECT_FALSE(edit_number(*table, 2)) << "it would be lost";
}

}  // namespace
}  // namespace sluice::rules
