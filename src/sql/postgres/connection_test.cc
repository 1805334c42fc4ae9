#include "sql/postgres/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/cluster.h"
#include "sql/postgres/migrations.h"

namespace sluice::sql::postgres {
namespace {

using postgres_testing::psql;
using postgres_testing::shared_cluster;

TEST(Connection, WhatIsSentComesBackExactly) {
  const auto connection = Connection::open(shared_cluster().fresh_database());
  ASSERT_TRUE(connection) << connection.fault().message;
  const auto migrated = migrate(**connection);
  ASSERT_TRUE(migrated) << migrated.fault().message;
}

}  // namespace
}  // namespace sluice::sql::postgres
