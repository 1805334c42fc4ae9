// A connection that is cut at any byte of an append, in either direction, also in the middle of its COMMIT: the batch
// is handed over again, and is there once.
#include <gtest/gtest.h>

#include "audit/postgres/postgres_violations.h"
#include "postgres/cluster.h"
#include "postgres/cutting_proxy.h"

namespace sluice::audit {
namespace {

using postgres_testing::CuttingProxy;
using postgres_testing::psql;
using postgres_testing::shared_cluster;

class PostgresCut : public ::testing::Test {
 protected:
  PostgresCut() {
    for (int i = 0; i < 3; ++i) {
      Violation violation;
      violation.bucket_key = "user:42";
      violation.reason = "token_bucket_exceeded";
      batch_.violations.push_back(violation);
    }
  }

  std::unique_ptr<ViolationTable> open(const std::string& url) {
    auto table = open_postgres_violations(url);
    if (table) return std::move(*table);
    ADD_FAILURE() << table.fault().message;
    return nullptr;
  }

  // Through the proxy, on a connection that has appended before, so that all cuts are in what every batch does.
  std::unique_ptr<ViolationTable> warm() {
    proxy_.count_anew();
    auto table = open(proxy_.url_for(url_));
    ++batch_.number;
    EXPECT_TRUE(table->append(batch_));
    ++batch_.number;
    return table;
  }

  void cut_and_hand_over_again(const char* where, int64_t at) {
    auto table = warm();
    if (where == std::string("sent")) proxy_.cut_after_sent(at);
    if (where == std::string("received")) proxy_.cut_after_received(at);
    const auto cut = table->append(batch_);
    ASSERT_FALSE(cut) << where << " " << at;
    EXPECT_EQ(cut.fault().trouble, sql::Trouble::kAway) << cut.fault().message;
    arrived_ += psql(url_, "SELECT last_batch FROM rate_limit_writer") == std::to_string(batch_.number);
    const auto again = open(url_)->append(batch_);
    ASSERT_TRUE(again) << where << " " << at << ": " << again.fault().message;
    EXPECT_EQ(psql(url_, "SELECT count(*) FROM rate_limit_violation"), std::to_string(batch_.number * 3))
        << where << " " << at;
  }

  std::string url_ = shared_cluster().fresh_database();
  CuttingProxy proxy_{shared_cluster().socket_path()};
  Batch batch_{"writer", 0, {}};
  int arrived_ = 0;  // though nobody was told
};

TEST_F(PostgresCut, ABatchThatWasCutIsThereOnce) {
  auto table = warm();
  proxy_.count_anew();
  ASSERT_TRUE(table->append(batch_));
  const int64_t sent = proxy_.sent();
  const int64_t received = proxy_.received();
  ASSERT_GT(sent, 100);
  ASSERT_GT(received, 30);
  table.reset();
  for (const int64_t at : {int64_t{1}, sent / 4, sent / 2, sent - 40, sent - 20, sent - 6}) {
    cut_and_hand_over_again("sent", at);
  }
  EXPECT_EQ(arrived_, 0) << "the server cannot know what it was not sent";
  for (const int64_t at : {int64_t{1}, received / 2, received - 13, received - 6, received - 1}) {
    cut_and_hand_over_again("received", at);
  }
  EXPECT_EQ(arrived_, 3) << "as many cuts were between the COMMIT and its answer";
}

}  // namespace
}  // namespace sluice::audit
