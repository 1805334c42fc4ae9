// Processes that are killed and disks that are full: what was acknowledged is there, once.
#include <map>
#include <random>

#include "audit/sqlite/violation_table.h"
#include "audit/violation_contract_testing.h"
#include "sql/sqlite/children_testing.h"
#include "sql/sqlite/database.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::audit {
namespace {

using sql::sqlite::Child;
using sql::sqlite::TempFolder;

constexpr size_t kRowsOfBatch = 200;

Batch batch_of(int64_t number) {
  Batch batch{"writer", number, {}};
  for (size_t row = 0; row < kRowsOfBatch; ++row) {
    batch.violations.push_back(violation_of(std::to_string(number), static_cast<int64_t>(row)));
  }
  return batch;
}

// Appends batches for ever, and tells the pipe of each that is acknowledged.
int append_until_killed(const std::string& file, int pipe) {
  auto table = sqlite::open_violations(file);
  if (!table) return 1;
  for (int64_t number = 1;; ++number) {
    if (!(*table)->append(batch_of(number))) return 2;
    if (write(pipe, &number, sizeof(number)) != sizeof(number)) return 3;
  }
}

// How many rows each batch has.
std::map<std::string, size_t> rows_by_batch(ViolationTable& table) {
  std::map<std::string, size_t> rows;
  for (const Violation& violation : value_of(table.list({}, std::nullopt, 1'000'000))) ++rows[*violation.user_id];
  return rows;
}

class Crashes : public ::testing::Test {
 protected:
  TempFolder folder_;
  const std::string file_ = folder_ / "sluice.db";
};

TEST_F(Crashes, AKilledWriterLosesNothingAcknowledgedAndNothingComesTwice) {
  std::mt19937 random(42);
  for (int round = 0; round < 5; ++round) {
    const std::string file = folder_ / ("killed_" + std::to_string(round) + ".db");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Child child([&] { return append_until_killed(file, ends[1]); });
    close(ends[1]);
    int64_t acknowledged = 0;
    for (const int64_t enough = 1 + static_cast<int64_t>(random() % 30); acknowledged < enough;) {
      ASSERT_EQ(read(ends[0], &acknowledged, sizeof(acknowledged)), ssize_t(sizeof(acknowledged)));
    }
    usleep(static_cast<useconds_t>(random() % 5'000));  // Not a wait: the kill is to come at any moment of a batch.
    child.kill_now();
    for (int64_t number; read(ends[0], &number, sizeof(number)) == sizeof(number);) acknowledged = number;
    close(ends[0]);

    auto table = value_of(sqlite::open_violations(file));
    const auto found = rows_by_batch(*table);
    EXPECT_GE(found.size(), size_t(acknowledged));
    EXPECT_LE(found.size(), size_t(acknowledged) + 1) << "at most the batch that was under way";
    for (int64_t number = 1; number <= acknowledged + 2; ++number) value_of(table->append(batch_of(number)));
    const auto after = rows_by_batch(*table);
    EXPECT_EQ(after.size(), size_t(acknowledged) + 2);
    for (const auto& [batch, rows] : after) EXPECT_EQ(rows, kRowsOfBatch) << "batch " << batch;
    EXPECT_EQ(sql::sqlite::typed_into_sqlite3(file, "PRAGMA integrity_check;"), "ok\n");
  }
}

// Appends until there is no room, makes room, goes on. Returns 0, or the number of the step that went wrong.
int append_through_a_full_disk(const std::string& file, const std::function<void()>& make_room) {
  auto table = sqlite::open_violations(file);
  if (!table) return 1;
  int64_t number = 1;
  for (; number < 10'000; ++number) {
    auto appended = (*table)->append(batch_of(number));
    if (appended) continue;
    if (appended.fault().trouble != sql::Trouble::kFull) return 2;
    break;
  }
  if (number == 10'000 || number == 1) return 3;
  auto meanwhile = (*table)->list({}, std::nullopt, 1'000'000);
  if (!meanwhile || meanwhile->size() != static_cast<size_t>(number - 1) * kRowsOfBatch) return 4;
  make_room();
  for (int64_t again = number - 1; again <= number + 1; ++again) {
    if (!(*table)->append(batch_of(again))) return 5;
  }
  auto after = (*table)->list({}, std::nullopt, 1'000'000);
  if (!after || after->size() != static_cast<size_t>(number + 1) * kRowsOfBatch) return 6;
  return 0;
}

TEST_F(Crashes, AFullDiskLosesNothingAcknowledgedAndWritingGoesOnOnceThereIsRoom) {
  const int status = sql::sqlite::on_a_small_disk(3'000'000, folder_.path(), [&] {
    const std::string ballast = folder_ / "ballast";
    std::ofstream(ballast) << std::string(1'000'000, 'x');
    return append_through_a_full_disk(file_, [&] { std::filesystem::remove(ballast); });
  });
  if (status == sql::sqlite::kNotPermitted) GTEST_SKIP() << "mounting a small disk is not permitted here";
  EXPECT_EQ(status, 0);
}

TEST_F(Crashes, AFileThatMayNotGrowIsAFullDisk) {
  Child child([&] {
    sql::sqlite::limit_files(1'500'000);
    return append_through_a_full_disk(file_, [] { sql::sqlite::lift_limit_on_files(); });
  });
  EXPECT_EQ(child.exit_status(), 0);
  EXPECT_EQ(sql::sqlite::typed_into_sqlite3(file_, "PRAGMA integrity_check;"), "ok\n");
}

TEST_F(Crashes, AFileMovedAwayTakesNoMoreBatches) {
  auto table = value_of(sqlite::open_violations(file_));
  value_of(table->append(batch_of(1)));
  std::filesystem::rename(file_, file_ + ".old");
  auto lost = table->append(batch_of(2));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.fault().trouble, sql::Trouble::kAway);
  auto anew = value_of(sqlite::open_violations(file_ + ".new"));
  value_of(anew->append(batch_of(2)));
}

}  // namespace
}  // namespace sluice::audit
