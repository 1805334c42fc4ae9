#include "rules/table/snapshot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "rules/table/table_testing.h"
#include "sql/sqlite/sqlite_testing.h"

namespace sluice::rules {
namespace {

using testing::defined_row;
using ::testing::HasSubstr;
using testing::snapshot_of;
using testing::table_row;

class SnapshotFile : public ::testing::Test {
 protected:
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }
  std::string refusal(const std::string& content) {
    std::ofstream(path_) << content;
    const auto read = read_snapshot_file(path_, "table");
    return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "none";
  }

  sql::sqlite::TempFolder folder_;
  const std::string path_ = folder_ / "rules.snapshot.json";
};

Snapshot example() {
  Row row = table_row("user:{user_id}", 1.0 / 3, 1e-6, "pro");
  row.scope = "user";
  row.description = "a \"quoted\"\n\ttext with \x01 and \xc3\xa4";
  row.version = INT64_MAX;
  row.created_at = "2026-11-16T05:18:31.123456Z";
  Snapshot snapshot = snapshot_of({row, testing::inactive(defined_row("rule:r", "{\"a\": 1.50}"))},
                                  {{"jwt", R"({"keys": []})"}, {"headers", "[]"}});
  snapshot.change = 9'007'199'254'740'993;  // no double
  return snapshot;
}

TEST_F(SnapshotFile, WhatWasWrittenIsReadToTheLastBit) {
  const Snapshot written = example();
  EXPECT_EQ(write_snapshot_file(path_, "table", written), std::nullopt);
  const auto read = read_snapshot_file(path_, "table");
  ASSERT_TRUE(std::holds_alternative<Snapshot>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<Snapshot>(read).rows, written.rows);
  EXPECT_EQ(std::get<Snapshot>(read).top_level, written.top_level);
  EXPECT_EQ(std::get<Snapshot>(read).change, written.change);
}

TEST_F(SnapshotFile, OnlyItsOwnerMayReadItAndNothingIsLeftBeside) {
  std::ofstream(path_ + ".new") << "left there";
  chmod((path_ + ".new").c_str(), 0644);
  ASSERT_EQ(write_snapshot_file(path_, "table", example()), std::nullopt);
  struct stat found {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0600u);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(SnapshotFile, IsReadExactlyAsItWasWrittenOrNotAtAll) {
  ASSERT_EQ(write_snapshot_file(path_, "table", example()), std::nullopt);
  const std::string good = text();
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  EXPECT_EQ(refusal(good), "none");
  for (size_t length = 0; length + 1 < good.size(); length += 7) {
    EXPECT_NE(refusal(good.substr(0, length)), "none") << length;
  }
  EXPECT_THAT(refusal(changed("sluice-rules-1", "sluice-rules-2")), HasSubstr("not as it was written"));
  EXPECT_THAT(refusal(changed("\"is_active\": true", "\"is_active\": null")), HasSubstr("not as it was written"));
  EXPECT_THAT(refusal(changed("\"version\"", "\"varsion\"")), HasSubstr("not as it was written"));
  EXPECT_THAT(refusal(changed("\"rule_id\": 2", "\"rule_id\": 2.5")), HasSubstr("not as it was written"));
  EXPECT_THAT(refusal(changed("\"table\": \"table\"", "\"table\": \"other\"")), HasSubstr("of another table, other"));
}

TEST_F(SnapshotFile, SaysWhyItCannotBeWrittenOrRead) {
  EXPECT_THAT(write_snapshot_file(folder_ / "no/such/folder", "table", {}).value_or(""), HasSubstr("No such file"));
  EXPECT_THAT(std::get<std::string>(read_snapshot_file(folder_ / "none", "table")), HasSubstr("No such file"));
}

}  // namespace
}  // namespace sluice::rules
