#include "sql/postgres/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql/postgres/connection.h"

namespace sluice::sql::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresUrl, BothSchemesAreKnownAndNothingElse) {
  EXPECT_TRUE(is_postgres_url("postgres://db/limits"));
  EXPECT_TRUE(is_postgres_url("postgresql://db/limits"));
  EXPECT_FALSE(is_postgres_url("sqlite:postgres://"));
  EXPECT_FALSE(read_url("host=db dbname=limits"));
}

TEST(PostgresUrl, ItsPartsReachLibpq) {
  const auto targets = read_url("postgres://ann:s%40cret@db.example.com:6543/limits?sslmode=require");
  ASSERT_TRUE(targets) << targets.fault().message;
  ASSERT_EQ(targets->size(), 1u);
  const std::map<std::string, std::string> expected = {{"dbname", "limits"},   {"host", "db.example.com"},
                                                       {"password", "s@cret"}, {"port", "6543"},
                                                       {"sslmode", "require"}, {"user", "ann"}};
  EXPECT_EQ(targets->front().options, expected);
  EXPECT_EQ(targets->front().where, "db.example.com:6543/limits");
}

TEST(PostgresUrl, EachHostIsATargetOfItsOwn) {
  const auto targets = read_url("postgres://a:1,b:2/limits?target_session_attrs=read-write");
  ASSERT_TRUE(targets) << targets.fault().message;
  ASSERT_EQ(targets->size(), 2u);
  EXPECT_EQ((*targets)[0].where, "a:1/limits");
  EXPECT_EQ((*targets)[1].where, "b:2/limits");
  const auto one_port = read_url("postgres:///limits?host=a,b&port=7");
  ASSERT_TRUE(one_port) << one_port.fault().message;
  EXPECT_EQ(one_port->at(1).where, "b:7/limits");
  EXPECT_FALSE(read_url("postgres:///limits?host=a,b&port=1,2,3"));
}

// Whatever is wrong with it: users paste passwords that ought to be escaped.
TEST(PostgresUrl, ThePasswordIsInNoMessage) {
  for (const char* const url : {
           "postgres://ann:hunter2@127.0.0.1:1/limits",
           "postgres://ann:hun/ter2@127.0.0.1:1/limits",
           "postgres://ann:77/hunter2@127.0.0.1/limits",
           "postgres://ann:x@hunter2@127.0.0.1:1/limits",
           "postgres://ann:x:hunter2@127.0.0.1:1/limits",
           "postgres://ann:x?hunter2@127.0.0.1:1/limits",
           "postgres://ann:x#hunter2@127.0.0.1:1/limits",
           "postgres://ann:%zzhunter2@127.0.0.1:1/limits",
           "postgres://ann:[hunter2@127.0.0.1:1/limits",
           "postgres://127.0.0.1:1/limits?password=hunter2&nonsense=1",
           "postgres://127.0.0.1:1/limits?user=ann&password=hunter2",
           "postgres://127.0.0.1:1/limits?port=hunter2",
           "postgres:ann:hunter2@127.0.0.1",
       }) {
    const auto connection = Connection::open(url);
    ASSERT_FALSE(connection) << url;
    for (const std::string& text : {connection.fault().message, connection.fault().hint, describe_url(url)}) {
      EXPECT_THAT(text, Not(HasSubstr("hunter2"))) << url;
      EXPECT_THAT(text, Not(HasSubstr("ter2"))) << url;
    }
  }
}

}  // namespace
}  // namespace sluice::sql::postgres
