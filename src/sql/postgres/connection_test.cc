#include "sql/postgres/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cmath>
#include <limits>

#include "postgres/cluster.h"
#include "sql/postgres/transaction.h"

namespace sluice::sql::postgres {
namespace {

using postgres_testing::Cluster;
using postgres_testing::psql;
using postgres_testing::shared_cluster;
using ::testing::HasSubstr;

std::unique_ptr<Connection> open(const std::string& url, const Patience& patience = {}) {
  auto connection = Connection::open(url, patience);
  if (connection) return std::move(*connection);
  ADD_FAILURE() << connection.fault().message;
  return nullptr;
}

Trouble trouble_of(Connection& connection, const std::string& sql, const Values& values = {}) {
  const auto result = connection.run(sql, values);
  EXPECT_FALSE(result) << sql;
  return result ? Trouble::kBroken : result.fault().trouble;
}

class PostgresConnection : public ::testing::Test {
 protected:
  std::string url_ = shared_cluster().fresh_database();
  std::unique_ptr<Connection> connection_ = open(url_);
};

TEST_F(PostgresConnection, ValuesComeBackExactly) {
  for (const double number : {0.0, -0.0, 0.1, 1e308, 5e-324, std::numeric_limits<double>::infinity()}) {
    const auto result = connection_->run("SELECT $1::double precision", Values().number(number));
    ASSERT_TRUE(result) << result.fault().message;
    EXPECT_EQ(result->number(0, 0), number);
    EXPECT_EQ(std::signbit(result->number(0, 0)), std::signbit(number));
  }
  for (const int64_t number : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const auto result = connection_->run("SELECT $1::bigint", Values().integer(number));
    ASSERT_TRUE(result) << result.fault().message;
    EXPECT_EQ(result->integer(0, 0), number);
  }
  const auto mixed =
      connection_->run("SELECT $1::text, $2::boolean, $3::text, $4::timestamptz, host($5::inet), $6::inet",
                       Values().text("it's\\").boolean(true).null().time(-1).address("2001:db8::1").address("x"));
  ASSERT_TRUE(mixed) << mixed.fault().message;
  EXPECT_EQ(mixed->text(0, 0), "it's\\");
  EXPECT_TRUE(mixed->boolean(0, 1));
  EXPECT_EQ(mixed->text_or_null(0, 2), std::nullopt);
  EXPECT_EQ(mixed->time_us(0, 3), -1);
  EXPECT_EQ(mixed->text(0, 4), "2001:db8::1");
  EXPECT_TRUE(mixed->is_null(0, 5));
}

TEST_F(PostgresConnection, TimesAreThoseThatPsqlShows) {
  const auto shown = connection_->run("SELECT to_char($1::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
                                      Values().time(1'794'806'311'123'456));
  ASSERT_TRUE(shown) << shown.fault().message;
  EXPECT_EQ(shown->text(0, 0), "2026-11-16 05:18:31.123456");
  for (const int64_t extreme : {INT64_MIN, INT64_MAX}) {
    EXPECT_TRUE(connection_->run("SELECT $1::timestamptz", Values().time(extreme))) << extreme;
  }
}

TEST_F(PostgresConnection, FaultsAreToldApart) {
  ASSERT_TRUE(
      connection_->run_script("CREATE TABLE t (n BIGINT PRIMARY KEY, CONSTRAINT \"n is above 0\" CHECK (n > 0));"
                              "INSERT INTO t VALUES (1)"));
  EXPECT_EQ(trouble_of(*connection_, "INSERT INTO t VALUES (1)"), Trouble::kDuplicate);
  EXPECT_EQ(trouble_of(*connection_, "INSERT INTO t VALUES (0)"), Trouble::kRefused);
  EXPECT_EQ(trouble_of(*connection_, "INSERT INTO t VALUES (NULL)"), Trouble::kRefused);
  EXPECT_EQ(trouble_of(*connection_, "SELECT $1::text", Values().text("\xff")), Trouble::kRefused);
  EXPECT_EQ(trouble_of(*connection_, "SELECT $1::json", Values().text("{")), Trouble::kRefused);
  EXPECT_EQ(trouble_of(*connection_, "SELECT nonsense"), Trouble::kBroken);
  const auto refused = connection_->run("INSERT INTO t VALUES (-1)");
  EXPECT_EQ(refused.fault().message, "PostgreSQL refuses the row unless n is above 0");
  ASSERT_TRUE(connection_->run_script("SET default_transaction_read_only = on"));
  EXPECT_EQ(trouble_of(*connection_, "INSERT INTO t VALUES (2)"), Trouble::kReadOnly);
  EXPECT_FALSE(connection_->is_lost());
}

TEST_F(PostgresConnection, ARoleThatMayNotIsToldSo) {
  ASSERT_EQ(psql(url_, "CREATE TABLE t (n int); CREATE ROLE reader LOGIN"), "");
  std::string as_reader = url_;
  as_reader.replace(as_reader.find("sluice@"), 6, "reader");
  const auto reader = open(as_reader);
  EXPECT_EQ(trouble_of(*reader, "SELECT * FROM t"), Trouble::kReadOnly);
}

TEST_F(PostgresConnection, WhoWaitsForALockIsTold) {
  const auto holder = open(url_);
  ASSERT_TRUE(holder->run_script("CREATE TABLE t (n int)"));
  ASSERT_TRUE(holder->run_script("BEGIN; LOCK TABLE t"));
  const auto waiter = open(url_, {.lock = std::chrono::milliseconds(50)});
  EXPECT_EQ(trouble_of(*waiter, "SELECT * FROM t"), Trouble::kBusy);
  const auto slow = open(url_, {.lock = std::chrono::seconds(9), .statement = std::chrono::milliseconds(50)});
  EXPECT_EQ(trouble_of(*slow, "SELECT * FROM t"), Trouble::kBusy);
  EXPECT_FALSE(slow->is_lost());
}

TEST_F(PostgresConnection, AServerThatTakesLongerThanACallIsGivenUp) {
  const auto hasty = open(url_, {.statement = std::chrono::seconds(60), .call = std::chrono::milliseconds(100)});
  EXPECT_EQ(trouble_of(*hasty, "SELECT pg_sleep(30)"), Trouble::kAway);
  EXPECT_TRUE(hasty->is_lost());
  EXPECT_EQ(trouble_of(*hasty, "SELECT 1"), Trouble::kAway);
}

TEST_F(PostgresConnection, ATransactionThatFailedIsNotCommitted) {
  ASSERT_TRUE(connection_->run_script("CREATE TABLE t (n int)"));
  {
    auto transaction = Transaction::begin(*connection_);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection_->run("INSERT INTO t VALUES (1)"));
    EXPECT_FALSE(connection_->run("SELECT 1/0"));
    EXPECT_FALSE(transaction->commit());
  }
  {
    auto transaction = Transaction::begin(*connection_);
    ASSERT_TRUE(connection_->run("INSERT INTO t VALUES (2)"));
  }
  EXPECT_FALSE(connection_->in_transaction());
  EXPECT_EQ(psql(url_, "SELECT count(*) FROM t"), "0");
  auto transaction = Transaction::begin(*connection_);
  ASSERT_TRUE(connection_->run("INSERT INTO t VALUES (3)"));
  EXPECT_TRUE(transaction->commit());
  EXPECT_EQ(psql(url_, "SELECT n FROM t"), "3");
}

TEST_F(PostgresConnection, MuchIsCopied) {
  ASSERT_TRUE(connection_->run_script("CREATE TABLE t (n BIGINT, s TEXT)"));
  std::string rows = copy_header();
  for (int64_t i = 0; i < 20'000; ++i) Values().integer(i).text(std::string(200, 'x')).append_row_to(rows);
  rows += copy_trailer();
  const auto done = connection_->copy_in("COPY t FROM STDIN WITH (FORMAT binary)", rows);
  ASSERT_TRUE(done) << done.fault().message;
  EXPECT_EQ(psql(url_, "SELECT count(*), sum(n), sum(length(s)) FROM t"), "20000|199990000|4000000");
  const auto cut = connection_->copy_in("COPY t FROM STDIN WITH (FORMAT binary)", rows.substr(0, rows.size() / 2));
  EXPECT_FALSE(cut);
  const auto nowhere = connection_->copy_in("COPY t (nowhere) FROM STDIN WITH (FORMAT binary)", rows);
  EXPECT_FALSE(nowhere);
  EXPECT_TRUE(connection_->run("SELECT 1")) << "it can still be used";
}

bool is_readable(int fd, int patience_ms) {
  pollfd source{fd, POLLIN, 0};
  return poll(&source, 1, patience_ms) == 1;
}

TEST_F(PostgresConnection, WhatIsNotifiedIsSeenThoughAStatementWasUnderWay) {
  ASSERT_TRUE(connection_->listen("news"));
  EXPECT_FALSE(is_readable(connection_->notice_fd(), 0));
  ASSERT_EQ(psql(url_, "NOTIFY news"), "");
  EXPECT_TRUE(is_readable(connection_->notice_fd(), 20'000));
  ASSERT_TRUE(connection_->run("SELECT 1"));
  EXPECT_TRUE(is_readable(connection_->notice_fd(), 0)) << "it was read with the answer, and nobody was told";
  ASSERT_TRUE(connection_->take_notices());
  EXPECT_FALSE(is_readable(connection_->notice_fd(), 0));
}

TEST_F(PostgresConnection, OneThatIsSentAwayIsLostAndSaysSo) {
  ASSERT_TRUE(connection_->listen("news"));
  psql(url_,
       "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
       "pg_backend_pid()");
  EXPECT_TRUE(is_readable(connection_->notice_fd(), 20'000));
  const auto result = connection_->run("SELECT 1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.fault().trouble, Trouble::kAway);
  EXPECT_THAT(result.fault().message, HasSubstr("administrator"));
  EXPECT_TRUE(is_readable(connection_->notice_fd(), 0)) << "whoever waits must learn of it";
  EXPECT_EQ(connection_->take_notices().fault().trouble, Trouble::kAway);
}

TEST_F(PostgresConnection, WhatCannotBeConnectedToIsSaidInASentence) {
  std::string other = url_;
  other.replace(other.find("test_"), 5, "none_");
  const auto missing = Connection::open(other);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.fault().trouble, Trouble::kAway);
  EXPECT_THAT(missing.fault().message, HasSubstr("does not exist"));
  EXPECT_THAT(missing.fault().hint, HasSubstr("createdb"));
  const auto nobody = Connection::open("postgres://127.0.0.1:1/limits");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.fault().trouble, Trouble::kAway);
  EXPECT_THAT(nobody.fault().message, HasSubstr("127.0.0.1:1/limits"));
  EXPECT_THAT(nobody.fault().message, HasSubstr("refused"));
}

TEST_F(PostgresConnection, ATableThatWasDroppedIsWorthANewConnection) {
  EXPECT_EQ(trouble_of(*connection_, "SELECT * FROM nowhere"), Trouble::kAway);
  EXPECT_TRUE(connection_->is_lost()) << "the next one makes what is missing";
}

TEST_F(PostgresConnection, CommitsAreOnDiskThoughTheDatabaseSaysOtherwise) {
  EXPECT_EQ(psql(url_, "SHOW synchronous_commit"), "off") << "as the tests' server is set";
  const auto shown = connection_->run("SELECT current_setting('synchronous_commit')");
  ASSERT_TRUE(shown) << shown.fault().message;
  EXPECT_EQ(shown->text(0, 0), "on");
}

TEST(PostgresConnections, ADatabaseThatLacksCharactersIsRefused) {
  std::string url = shared_cluster().fresh_database();
  const std::string name = url.substr(url.find("test_"), url.find('?') - url.find("test_"));
  ASSERT_EQ(psql(url, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"), "");
  const auto connection = Connection::open(url.replace(url.find(name), name.size(), "latin"));
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.fault().trouble, Trouble::kAway);
  EXPECT_THAT(connection.fault().message, HasSubstr("has the encoding LATIN1, and must have UTF8"));
  EXPECT_THAT(connection.fault().hint, HasSubstr("ENCODING 'UTF8'"));
}

}  // namespace
}  // namespace sluice::sql::postgres
