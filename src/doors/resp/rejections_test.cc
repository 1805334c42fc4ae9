// What a RESP connection leaves in the ledger of its loop.
#include <gtest/gtest.h>

#include <map>

#include "audit/ledger.h"
#include "doors/resp/session_testing.h"

namespace sluice::doors::resp {
namespace {

struct Recorded {
  Recorded() {
    limiter.set_rules(limiter::rule_set({limiter::rule("user", {"attr:user_id"}, limiter::per_second(0.001, 1))}));
  }

  std::string send(std::string_view bytes) {
    net::Output output;
    session->on_bytes(bytes, output);
    return std::string(output.bytes());
  }
  std::vector<audit::Violation> rows() {
    std::vector<audit::Violation> all;
    audit::Page* const page = ledger.collect();
    size_t position = 0;
    for (audit::Violation row; page->read(position, row); row = {}) all.push_back(row);
    page->clear();
    return all;
  }

  std::unique_ptr<memory::MemoryStore> memory = std::move(*memory::MemoryStore::create({.max_bytes = 4 << 20}));
  limiter::Limiter limiter{{*memory, *memory, {}}};
  TimeUnderTest time;
  audit::Ledger ledger;
  LoopDesk desk{limiter, time, &ledger};
  net::Peer peer{"203.0.113.7"};
  SessionMaker maker{desk, {}};
  std::unique_ptr<net::Session> session = maker.make(peer);
};

TEST(RespRejections, EveryRejectionOfAPipelineIsCountedByItsKey) {
  Recorded test;
  std::string bytes;
  for (int i = 0; i < 1'000; ++i) {
    const std::string key = "key:" + std::to_string(i % 10);
    bytes += command({"CL.THROTTLE", key, "0", "1", "3600"});
  }
  test.send(bytes);
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 10U);
  for (const auto& row : rows) {
    EXPECT_EQ(row.count, 99U) << row.bucket_key;
    EXPECT_EQ(row.reason, "token_bucket_exceeded");
    EXPECT_EQ(row.cost, 1);
    EXPECT_EQ(row.policy, "");
    EXPECT_EQ(row.requested_at_us, 1'800'000'005'000'000);
  }
  EXPECT_EQ(test.ledger.noted(), 990U);
}

TEST(RespRejections, WhoOnlyLooksOrPassesIsNotRecorded) {
  Recorded test;
  test.send(command({"CL.THROTTLE", "k", "0", "1", "3600"}) + command({"CL.THROTTLE", "k", "0", "1", "3600", "0"}) +
            command({"SLUICE.PEEK", "KEY", "k", "RATE", "0.001", "BURST", "1", "COST", "2"}));
  EXPECT_TRUE(test.rows().empty());
}

TEST(RespRejections, ACostBeyondTheCapacityIsARowOfItsOwn) {
  Recorded test;
  test.send(command({"CL.THROTTLE", "k", "0", "1", "3600"}) + command({"CL.THROTTLE", "k", "0", "1", "3600"}) +
            command({"CL.THROTTLE", "k", "0", "1", "3600", "5"}));
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].reason, "cost_exceeds_capacity");
  EXPECT_EQ(rows[1].cost, 5);
}

TEST(RespRejections, ChecksAndReservationsByTheRulesTellWhoAsked) {
  Recorded test;
  const std::string check =
      command({"SLUICE.CHECK", "PATH", "/a/../b", "IP", "198.51.100.4", "ATTR", "user_id", "ann"});
  const std::string reserve = command({"SLUICE.RESERVE", "PATH", "/b", "IP", "198.51.100.4", "ATTR", "user_id", "ann"});
  const std::string answer = test.send(check + check + reserve);
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 1U) << answer;
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].bucket_key, "p|user|ann");
  EXPECT_EQ(rows[0].user_id, "ann");
  EXPECT_EQ(rows[0].ip_address, "198.51.100.4");
  EXPECT_EQ(rows[0].endpoint, "/b");
  EXPECT_EQ(rows[0].policy, "p");
  EXPECT_EQ(rows[0].rule, "user");
}

TEST(RespRejections, ANamedBucketIsNotThatOfARuleWithTheSameBytes) {
  Recorded test;
  const std::string check = command({"SLUICE.CHECK", "PATH", "/", "ATTR", "user_id", "ann"});
  const std::string named = command({"CL.THROTTLE", "p|user|ann", "0", "1", "3600"});
  test.send(check + check + named + named);
  EXPECT_EQ(test.rows().size(), 2U);
}

}  // namespace
}  // namespace sluice::doors::resp
