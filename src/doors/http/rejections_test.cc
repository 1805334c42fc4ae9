// What HTTP requests leave in the ledger of their loop.
#include <gtest/gtest.h>

#include "allocations/count.h"
#include "audit/ledger.h"
#include "doors/http/door_testing.h"

namespace sluice::doors::http {
namespace {

constexpr std::string_view kRules = R"({"trusted_proxies": ["203.0.113.0/24"], "policies": [{"id": "api", "rules": [
    {"name": "user", "limit_keys": ["attr:user_id"], "match": {"path": {"prefix": "/u"}},
     "limits": [{"rps": 0.001, "burst": 1}, {"rps": 0.001, "burst": 2}]},
    {"name": "key", "limit_keys": ["header:x-api-key"], "on_missing_key": "deny", "match": {"path": {"prefix": "/k"}},
     "algorithm_config": {"rps": 0.001, "burst": 1}},
    {"name": "trial", "mode": "shadow", "limit_keys": [], "match": {"path": {"prefix": "/s"}},
     "limits": [{"rps": 0.001, "burst": 1}, {"rps": 0.002, "burst": 1}]},
    {"name": "strict", "mode": "shadow", "limit_keys": ["header:x-api-key"], "on_missing_key": "deny",
     "match": {"path": {"prefix": "/t"}}, "algorithm_config": {"rps": 0.001, "burst": 1}}],
  "kill_switches": [{"key": "attr:user_id", "value": "mallory", "reason": "abuse"}]}]})";

struct Recorded {
  Recorded() {
    EXPECT_EQ(door.load(kRules), "");
    door.desk.rejections = Rejections(&ledger);
  }
  std::string check(const std::string& request) { return door.post("/v1/check", R"({"request": )" + request + "}"); }
  std::vector<audit::Violation> rows() {
    std::vector<audit::Violation> all;
    audit::Page* const page = ledger.collect();
    size_t position = 0;
    for (audit::Violation row; page->read(position, row); row = {}) all.push_back(row);
    page->clear();
    return all;
  }

  audit::Ledger ledger;
  DoorUnderTest door;
};

TEST(HttpRejections, TellWhoWasRefusedWhatAndByWhichRule) {
  Recorded test;
  const std::string request =
      R"({"path": "/u/./x?q=1", "ip": "203.0.113.9", "headers": {"X-Forwarded-For": "192.0.2.1, 198.51.100.77"},
          "attributes": {"user_id": "ann"}})";
  for (int i = 0; i < 4; ++i) test.check(request);
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].bucket_key, "api|user|ann");
  EXPECT_EQ(rows[0].count, 3U);
  EXPECT_EQ(rows[0].user_id, "ann");
  EXPECT_EQ(rows[0].ip_address, "198.51.100.77");
  EXPECT_EQ(rows[0].endpoint, "/u/x");
  EXPECT_EQ(rows[0].policy, "api");
  EXPECT_EQ(rows[0].rule, "user");
  EXPECT_EQ(rows[0].reason, "token_bucket_exceeded");
  EXPECT_EQ(rows[0].tokens_at_time, 0);
  EXPECT_EQ(rows[0].cost, 1);
  EXPECT_FALSE(rows[0].is_shadow);
  EXPECT_EQ(rows[0].requested_at_us, 1'800'000'000'000'000);
}

TEST(HttpRejections, OfShadowRulesAreMarkedAndOnceForEachRule) {
  Recorded test;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status_of_text(test.check(R"({"path": "/s"})")), 200);
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].is_shadow);
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[0].rule, "trial");
  EXPECT_EQ(rows[0].user_id, std::nullopt);
  EXPECT_EQ(rows[0].ip_address, std::nullopt);
}

TEST(HttpRejections, OfAShadowRuleThatMissesAKeyAreMarkedToo) {
  Recorded test;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(status_of_text(test.check(R"({"path": "/t", "attributes": {"user_id": "ann"}})")), 200);
  }
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].is_shadow);
  EXPECT_EQ(rows[0].count, 3U);
  EXPECT_EQ(rows[0].policy, "api");
  EXPECT_EQ(rows[0].rule, "strict");
  EXPECT_EQ(rows[0].reason, "missing_key");
  EXPECT_EQ(rows[0].bucket_key, "");
  EXPECT_EQ(rows[0].user_id, "ann");
  test.check(R"({"path": "/t", "attributes": {"user_id": "mallory"}})");
  ASSERT_EQ(test.rows().size(), 1U) << "a kill switch denies for all";
}

TEST(HttpRejections, OfABucketThatManyShareTellOfEach) {
  Recorded test;
  test.check(R"({"path": "/k", "headers": {"x-api-key": "shared"}})");
  for (const char* user : {"bob", "carol", "bob"}) {
    test.check(std::string(R"({"path": "/k", "headers": {"x-api-key": "shared"}, "attributes": {"user_id": ")") + user +
               "\"}}");
  }
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].user_id, "bob");
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[1].user_id, "carol");
  EXPECT_EQ(rows[1].bucket_key, "api|key|shared");
}

// With room for 64 rows, more than eight callers are one row for all others.
TEST(HttpRejections, OfAFloodAreCountedByTheBucket) {
  audit::Ledger small({.rows = 64});
  Recorded test;
  test.door.desk.rejections = Rejections(&small);
  for (int i = 0; i <= 100; ++i) {
    test.check(R"({"path": "/k", "headers": {"x-api-key": "shared"}, "ip": "192.0.2.)" + std::to_string(i) + "\"}");
  }
  audit::Page* const page = small.collect();
  ASSERT_EQ(page->rows(), 9U);
  size_t position = 0;
  uint64_t all = 0;
  for (audit::Violation row; page->read(position, row); row = {}) all += row.count;
  EXPECT_EQ(all, 100U);
}

TEST(HttpRejections, OfKillSwitchesAndMissingKeysAreCountedByWhoAsked) {
  Recorded test;
  for (const char* ip : {"192.0.2.1", "192.0.2.2", "192.0.2.1"}) {
    test.check(std::string(R"({"path": "/", "attributes": {"user_id": "mallory"}, "ip": ")") + ip + "\"}");
    test.check(std::string(R"({"path": "/k", "ip": ")") + ip + "\"}");
  }
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].reason, "kill_switch");
  EXPECT_EQ(rows[0].user_id, "mallory");
  EXPECT_EQ(rows[0].ip_address, "192.0.2.1");
  EXPECT_EQ(rows[0].bucket_key, "");
  EXPECT_EQ(rows[0].count, 2U);
  EXPECT_EQ(rows[1].reason, "missing_key");
  EXPECT_EQ(rows[1].policy, "api");
  EXPECT_EQ(rows[1].rule, "key");
  EXPECT_EQ(rows[1].count, 2U);
  EXPECT_EQ(rows[2].count, 1U);
  EXPECT_EQ(rows[3].ip_address, "192.0.2.2");
}

TEST(HttpRejections, OfBatchesReservationsAndForwardAuthAreRecordedToo) {
  Recorded test;
  const std::string named = R"({"key": "k", "rate": 0.001, "burst": 1})";
  test.door.post("/v1/check/batch", "[" + named + "," + named + "," + named + "]");
  test.door.post("/v1/reserve", named);
  test.door.post("/v1/check", named);
  test.door.post("/v1/peek", named);
  for (int i = 0; i < 2; ++i) {
    test.door.send("GET /v1/decision HTTP/1.1\r\nHost: x\r\nX-Api-Key: a\r\nX-Original-URI: /k/1\r\n\r\n");
  }
  const auto rows = test.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].bucket_key, "k");
  EXPECT_EQ(rows[0].count, 4U);
  EXPECT_EQ(rows[0].endpoint, std::nullopt);
  EXPECT_EQ(rows[1].bucket_key, "api|key|a");
  EXPECT_EQ(rows[1].endpoint, "/k/1");
  EXPECT_EQ(rows[1].ip_address, "203.0.113.7");
}

TEST(HttpRejections, AllocateNothing) {
  Recorded test;
  const std::string body = R"({"request": {"path": "/k", "ip": "192.0.2.1"}})";
  const std::string request =
      "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  net::Output output;
  const auto send = [&] {
    test.door.session->on_bytes(request, output);
    output.clear();
  };
  for (int i = 0; i < 3; ++i) send();
  test.rows();
  const uint64_t before = sluice::testing::allocations();
  for (int i = 0; i < 3; ++i) send();
  EXPECT_EQ(sluice::testing::allocations(), before);
  EXPECT_EQ(test.rows()[0].count, 3U);
}

}  // namespace
}  // namespace sluice::doors::http
