#include "audit/sqlite/row_count.h"

#include "sql/sqlite/migrations.h"
#include "sql/sqlite/sqlite_testing.h"
#include "sql/sqlite/transaction.h"

namespace sluice::audit::sqlite {
namespace {

using sql::sqlite::Database;
using sql::sqlite::TempFolder;
using sql::sqlite::Transaction;

class RowCounts : public ::testing::Test {
 protected:
  std::unique_ptr<Database> open() { return std::move(*sql::sqlite::open_migrated(folder_ / "sluice.db", {})); }

  static void insert(Database& database, int rows) {
    auto transaction = Transaction::write(database);
    for (int row = 0; row < rows; ++row) {
      ASSERT_TRUE(sql::sqlite::is_done(
          database.execute("INSERT INTO rate_limit_violation (bucket_key, requested_at, last_at, tokens_at_time, cost,"
                           " count, policy, rule, reason, is_shadow) VALUES ('k', 1, 1, 0, 1, 1, '', '', '', 0)")));
    }
    ASSERT_TRUE(sql::sqlite::is_done(transaction->commit()));
  }

  int64_t surplus_over(int64_t rows) {
    auto transaction = Transaction::write(*database_);
    return *count_.surplus_over(rows);
  }

  TempFolder folder_;
  std::unique_ptr<Database> database_ = open();
  RowCount count_{*database_};
};

TEST_F(RowCounts, ATableThatCannotBeTooLongIsNotCounted) {
  EXPECT_EQ(surplus_over(0), 0);
  insert(*database_, 10);
  EXPECT_EQ(surplus_over(10), 0);
  EXPECT_EQ(count_.counts(), 0u);
}

TEST_F(RowCounts, OneConnectionCountsOnce) {
  insert(*database_, 10);
  EXPECT_EQ(surplus_over(7), 3);
  insert(*database_, 5);
  count_.add(5);
  EXPECT_EQ(surplus_over(7), 8);
  ASSERT_TRUE(sql::sqlite::is_done(database_->execute("DELETE FROM rate_limit_violation WHERE violation_id <= 4")));
  count_.add(-4);
  EXPECT_EQ(surplus_over(7), 4);
  EXPECT_EQ(count_.counts(), 1u);
}

TEST_F(RowCounts, WhatOthersWriteIsCountedAnew) {
  insert(*database_, 10);
  EXPECT_EQ(surplus_over(7), 3);
  insert(*open(), 2);
  EXPECT_EQ(surplus_over(7), 5);
  ASSERT_TRUE(sql::sqlite::is_done(open()->execute("DELETE FROM rate_limit_violation WHERE violation_id = 6")));
  EXPECT_EQ(surplus_over(7), 4);
  EXPECT_EQ(count_.counts(), 3u);
}

}  // namespace
}  // namespace sluice::audit::sqlite
