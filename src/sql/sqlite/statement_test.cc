#include "sql/sqlite/statement.h"

#include <limits>

#include "sql/sqlite/sqlite_testing.h"
#include "sql/sqlite/transaction.h"

namespace sluice::sql::sqlite {
namespace {

using namespace std::string_literals;

class Statements : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Database::open(folder_ / "file.db", {});
    ASSERT_TRUE(is_done(opened));
    database_ = std::move(*opened);
    ASSERT_TRUE(is_done(database_->execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL, c TEXT UNIQUE) STRICT")));
  }
  int64_t rows() { return *database_->number("SELECT count(*) FROM t"); }

  TempFolder folder_;
  std::unique_ptr<Database> database_;
};

TEST_F(Statements, EveryValueComesBackAsItWentIn) {
  const std::string bytes = "a\0b'\"; DROP TABLE t; --\xff\xfe"s;
  Statement insert = database_->prepare("INSERT INTO t VALUES (?1, ?2, ?3)");
  ASSERT_TRUE(is_done(insert.bind(std::numeric_limits<int64_t>::min(), 0.1, bytes).run()));
  ASSERT_TRUE(is_done(insert.bind(7, std::optional<double>(), std::string_view()).run()));
  Statement read = database_->prepare("SELECT a, b, c FROM t ORDER BY a");
  ASSERT_TRUE(*read.step());
  EXPECT_EQ(read.integer(0), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(read.real_or_none(1), 0.1);
  EXPECT_EQ(read.text(2), bytes);
  ASSERT_TRUE(*read.step());
  EXPECT_EQ(read.real_or_none(1), std::nullopt);
  EXPECT_EQ(read.text_or_none(2), "");
  EXPECT_FALSE(*read.step());
}

TEST_F(Statements, TextsOfTenMegabytesAreKeptWhole) {
  const std::string text(10'000'000, 'x');
  ASSERT_TRUE(is_done(database_->prepare("INSERT INTO t (c) VALUES (?1)").bind(text).run()));
  Statement read = database_->prepare("SELECT c FROM t");
  ASSERT_TRUE(*read.step());
  EXPECT_EQ(read.text(0), text);
}

TEST_F(Statements, AFaultInTheTextIsToldByTheFirstStep) {
  Statement wrong = database_->prepare("SELECT a FROM nowhere");
  EXPECT_TRUE(fails_with(wrong.step(), Trouble::kBroken, "nowhere"));
  EXPECT_TRUE(fails_with(wrong.step(), Trouble::kBroken, "nowhere"));
}

TEST_F(Statements, ARefusedRowLeavesTheStatementUsable) {
  Statement insert = database_->prepare("INSERT INTO t VALUES (?1, ?2, ?3)");
  ASSERT_TRUE(is_done(insert.bind(1, 1.0, "one").run()));
  EXPECT_TRUE(fails_with(insert.bind(1, 1.0, "two").run(), Trouble::kDuplicate, "file.db has such a row already"));
  EXPECT_TRUE(fails_with(insert.bind(2, 1.0, "one").run(), Trouble::kDuplicate, "t.c"));
  EXPECT_TRUE(fails_with(insert.bind(2, "x", "two").run(), Trouble::kRefused, "TEXT value in REAL column"));
  EXPECT_TRUE(is_done(insert.bind(2, 1.0, "two").run()));
  EXPECT_EQ(rows(), 2);
}

TEST_F(Statements, ATransactionWithoutItsCommitNeverWas) {
  {
    auto transaction = Transaction::write(*database_);
    ASSERT_TRUE(is_done(transaction));
    ASSERT_TRUE(is_done(database_->execute("INSERT INTO t (c) VALUES ('x')")));
    EXPECT_EQ(rows(), 1);
  }
  EXPECT_EQ(rows(), 0);
  auto transaction = Transaction::write(*database_);
  ASSERT_TRUE(is_done(database_->execute("INSERT INTO t (c) VALUES ('x')")));
  ASSERT_TRUE(is_done(transaction->commit()));
  EXPECT_EQ(rows(), 1);
}

TEST_F(Statements, WhoHoldsTheFileTooLongIsToldToOthersAsBusy) {
  Options impatient;
  impatient.longest_wait = std::chrono::milliseconds(20);
  auto other = Database::open(folder_ / "file.db", impatient);
  ASSERT_TRUE(is_done(other));
  auto transaction = Transaction::write(*database_);
  ASSERT_TRUE(is_done(transaction));
  EXPECT_TRUE(fails_with(Transaction::write(**other), Trouble::kBusy, "held by another program"));
  ASSERT_TRUE(is_done(transaction->commit()));
  EXPECT_TRUE(is_done(Transaction::write(**other)));
}

TEST_F(Statements, AStatementThatNeverEndsIsGivenUp) {
  Options impatient;
  impatient.longest_statement = std::chrono::milliseconds(50);
  auto other = Database::open(folder_ / "file.db", impatient);
  ASSERT_TRUE(is_done(other));
  const char* endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  EXPECT_TRUE(fails_with((*other)->number(endless), Trouble::kBusy, "took too long"));
  EXPECT_TRUE(is_done((*other)->number("SELECT 1")));
}

}  // namespace
}  // namespace sluice::sql::sqlite
