#include "audit/postgres/postgres_violations.h"

#include "audit/postgres/rows.h"
#include "audit/violation_table_contract.h"
#include "postgres/cluster.h"
#include "sql/postgres/connection.h"

namespace sluice::audit {
namespace {

using postgres_testing::psql;
using postgres_testing::shared_cluster;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class PostgresHome : public ViolationTableHome {
 public:
  sql::Outcome<std::unique_ptr<ViolationTable>> open() override { return open_postgres_violations(url_); }

 private:
  std::string url_ = shared_cluster().fresh_database();
};

INSTANTIATE_TEST_SUITE_P(Postgres, ViolationTableContract, ::testing::Values(&make_home<PostgresHome>));

class PostgresViolations : public ::testing::Test {
 protected:
  Violation kept(const Violation& violation) {
    value_of(table_->append({"writer", ++number_, {violation}}));
    return value_of(table_->list({}, std::nullopt, 1)).front();
  }

  std::string url_ = shared_cluster().fresh_database();
  std::unique_ptr<ViolationTable> table_ = value_of(open_postgres_violations(url_));
  int64_t number_ = 0;
};

TEST_F(PostgresViolations, PeopleReadThemWithPsql) {
  Violation violation = violation_of("42", 0);
  violation.ip_address = "192.0.2.7";
  violation.endpoint = "/search";
  value_of(table_->append({"writer", 1, {violation}}));
  EXPECT_EQ(psql(url_,
                 "SELECT bucket_key, user_id, ip_address, endpoint, requested_at AT TIME ZONE 'UTC', count "
                 "FROM rate_limit_violation WHERE user_id = '42' AND ip_address << '192.0.2.0/24'"),
            "user:42|42|192.0.2.7|/search|2026-11-16 12:00:00|1");
  EXPECT_EQ(psql(url_, "SELECT writer, last_batch FROM rate_limit_writer"), "writer|1");
}

TEST_F(PostgresViolations, WhatIsNoAddressLeavesItEmpty) {
  for (const char* const address : {"", "unknown", "1.2.3", "192.0.2.7/24", "fe80::1%eth0", "_hidden"}) {
    Violation violation = violation_of("ann", ++number_);
    violation.ip_address = address;
    EXPECT_EQ(kept(violation).ip_address, std::nullopt) << address;
    EXPECT_TRUE(value_of(table_->list({.ip_address = address}, std::nullopt, 9)).empty()) << address;
  }
  Violation violation = violation_of("ann", ++number_);
  violation.ip_address = "2001:DB8:0::1";
  EXPECT_EQ(kept(violation).ip_address, "2001:db8::1");
  EXPECT_EQ(value_of(table_->list({.ip_address = "2001:db8::0:1"}, std::nullopt, 9)).size(), 1u);
}

// An index takes some 2,700 bytes; a batch that is refused would be handed over for ever.
TEST_F(PostgresViolations, NothingInAViolationCanHoldUpItsBatch) {
  std::string noise;
  for (uint32_t seed = 1; noise.size() < 40'000; seed = seed * 1664525 + 1013904223) {
    noise += static_cast<char>('a' + (seed >> 24) % 26);
  }
  Violation violation = violation_of(noise, 1);
  violation.bucket_key = violation.endpoint.emplace(noise);
  violation.count = UINT64_MAX;
  violation.tokens_at_time = std::numeric_limits<double>::quiet_NaN();
  violation.cost = std::numeric_limits<double>::infinity();
  violation.requested_at_us = INT64_MAX;
  violation.last_at_us = INT64_MIN;
  const Violation found = kept(violation);
  EXPECT_EQ(found.bucket_key, noise);
  EXPECT_EQ(found.user_id, noise.substr(0, kMostOfUser));
  EXPECT_EQ(found.count, static_cast<uint64_t>(INT64_MAX));
  EXPECT_EQ(value_of(table_->list({.user_id = noise}, std::nullopt, 9)).size(), 1u);
  Violation bytes = violation_of(std::string(3'000, '\xff'), 2);
  bytes.requested_at_us = INT64_MAX;
  EXPECT_EQ(kept(bytes).user_id, std::string(kMostOfUser / 4, '\xff'));
}

// Every page is read off an index, none is sorted: they stay quick when there are a hundred million rows.
TEST_F(PostgresViolations, PagesAreReadOffTheirIndex) {
  ASSERT_EQ(
      psql(url_,
           "INSERT INTO rate_limit_violation (bucket_key, user_id, ip_address, requested_at, last_at, tokens_at_time, "
           "cost, count, policy, rule, reason, is_shadow) SELECT 'k', 'user' || i % 100, '10.0.0.1'::inet + i % 100, "
           "timestamptz '2026-01-02T00:00:00Z' - i * interval '1 second', timestamptz '2026-01-02T00:00:00Z', 0, 1, 1, "
           "'', '', 'token_bucket_exceeded', false "
           "FROM generate_series(1, 20000) AS i; ANALYZE rate_limit_violation"),
      "");
  const auto connection = value_of(sql::postgres::Connection::open(url_));
  // The first second of that day: nearly all rows are behind it.
  const Cursor cursor{1'767'312'000'000'000, 500};
  const auto plan = [&](const ViolationFilter& filter) {
    const sql::postgres::Conditions conditions = conditions_of(filter, cursor, 50);
    const auto explained = value_of(connection->run(
        "EXPLAIN SELECT " + kReadColumns + " FROM rate_limit_violation" + conditions.text(), conditions.values()));
    std::string text;
    for (size_t i = 0; i < explained.rows(); ++i) text += std::string(explained.text(i, 0)) + "\n";
    return text;
  };
  for (const std::string& text : {plan({.user_id = "user7"}), plan({.ip_address = "10.0.0.8"}), plan({})}) {
    EXPECT_THAT(text, HasSubstr("Index Scan")) << text;
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("Sort"), HasSubstr("Seq Scan"), HasSubstr("Bitmap")))) << text;
  }
  EXPECT_THAT(plan({.user_id = "user7"}), HasSubstr("rate_limit_violation_by_user"));
  EXPECT_THAT(plan({.ip_address = "10.0.0.8"}), HasSubstr("rate_limit_violation_by_ip"));
  EXPECT_THAT(plan({}), HasSubstr("rate_limit_violation_by_time"));
}

TEST_F(PostgresViolations, AFilterWithoutAnIndexThatTakesTooLongIsToBeNarrowed) {
  const auto impatient = value_of(open_postgres_violations(url_, {.lock = 9s, .statement = 200ms}));
  const auto holder = value_of(sql::postgres::Connection::open(url_));
  value_of(holder->run_script("BEGIN; LOCK TABLE rate_limit_violation"));
  const auto found = impatient->list({.endpoint = "/nowhere"}, std::nullopt, 10);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.fault().trouble, sql::Trouble::kBusy);
  EXPECT_THAT(found.fault().hint, HasSubstr("narrow it with since, user or ip"));
  const auto by_user = impatient->list({.user_id = "ann"}, std::nullopt, 10);
  ASSERT_FALSE(by_user);
  EXPECT_THAT(by_user.fault().hint, Not(HasSubstr("narrow")));
}

TEST_F(PostgresViolations, ThousandsFitIntoASecond) {
  constexpr int kBatches = 20;
  constexpr int kEach = 5'000;
  Batch batch{"writer", 0, {}};
  for (int i = 0; i < kEach; ++i) {
    batch.violations.push_back(violation_of("user" + std::to_string(i % 997), i));
    batch.violations.back().ip_address = "192.0.2." + std::to_string(i % 256);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kBatches; ++i) {
    ++batch.number;
    value_of(table_->append(batch));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(psql(url_, "SELECT count(*) FROM rate_limit_violation"), std::to_string(kBatches * kEach));
  printf("%d violations in batches of %d: %.0f a second\n", kBatches * kEach, kEach, kBatches * kEach / took.count());
  EXPECT_LT(took, 60s);
}

TEST_F(PostgresViolations, ServersThatRemoveAtTheSameTimeRemoveEachOnce) {
  Batch batch{"writer", 1, {}};
  for (int i = 0; i < 3'000; ++i) batch.violations.push_back(violation_of("ann", i));
  value_of(table_->append(batch));
  std::vector<size_t> removed(4);
  std::vector<std::thread> servers;
  for (size_t server = 0; server < removed.size(); ++server) {
    servers.emplace_back([&, server] {
      const auto table = value_of(open_postgres_violations(url_));
      for (size_t piece = 100; piece == 100; removed[server] += piece) {
        piece = server % 2 == 0 ? value_of(table->remove_before(noon(2'000), 100))
                                : value_of(table->remove_beyond(1'000, 100));
      }
    });
  }
  for (std::thread& server : servers) server.join();
  size_t total = 0;
  for (const size_t each : removed) total += each;
  EXPECT_EQ(total, 2'000u);
  EXPECT_EQ(psql(url_, "SELECT count(*) FROM rate_limit_violation"), "1000");
}

}  // namespace
}  // namespace sluice::audit
