// Servers that accept and say nothing, or stop in the middle: every call ends in bounded time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "net/descriptor.h"
#include "net/endpoint.h"
#include "postgres/cluster.h"
#include "postgres/cutting_proxy.h"
#include "sql/postgres/connection.h"

namespace sluice::sql::postgres {
namespace {

using namespace std::chrono_literals;
using postgres_testing::CuttingProxy;
using postgres_testing::shared_cluster;
using ::testing::HasSubstr;

constexpr Patience kHasty{.lock = 100ms, .statement = 150ms, .call = 200ms, .connect = 300ms};
// Nothing on a loaded machine takes longer, and without a bound it would take for ever.
constexpr auto kBound = 10s;

TEST(PostgresSilence, AServerThatNeverAnswersIsGivenUp) {
  auto listener = std::get<net::Descriptor>(net::listen_on({"127.0.0.1", 0, ""}));
  const std::string port = std::to_string(net::bound_to(listener.get()).port);
  const auto begin = std::chrono::steady_clock::now();
  const auto connection = Connection::open("postgres://ann:hunter2@127.0.0.1:" + port + "/limits", kHasty);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.fault().trouble, Trouble::kAway);
  EXPECT_THAT(connection.fault().message, HasSubstr("no answer in time"));
  EXPECT_GE(took, kHasty.connect);
  EXPECT_LT(took, kBound);
}

TEST(PostgresSilence, TheNextHostIsTried) {
  auto listener = std::get<net::Descriptor>(net::listen_on({"127.0.0.1", 0, ""}));
  const std::string port = std::to_string(net::bound_to(listener.get()).port);
  std::string url = shared_cluster().fresh_database();
  url.replace(url.find("host="), 5, "host=127.0.0.1,");
  url.replace(url.find("port="), 5, "port=" + port + ",");
  const auto connection = Connection::open(url, {.connect = 300ms});
  EXPECT_TRUE(connection) << connection.fault().message;
}

TEST(PostgresSilence, AServerThatStopsInTheMiddleIsGivenUp) {
  const std::string url = shared_cluster().fresh_database();
  for (const char* const sql : {"SELECT 1", "SELECT repeat('x', 10000000)"}) {
    CuttingProxy proxy(shared_cluster().socket_path());
    const auto connection = Connection::open(proxy.url_for(url), {.call = 300ms});
    ASSERT_TRUE(connection) << connection.fault().message;
    proxy.fall_silent_after(5);
    const auto begin = std::chrono::steady_clock::now();
    const auto result = (*connection)->run(sql);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.fault().trouble, Trouble::kAway);
    EXPECT_TRUE((*connection)->is_lost());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kBound);
  }
}

TEST(PostgresSilence, AServerThatDoesNotReadIsGivenUp) {
  const std::string url = shared_cluster().fresh_database();
  CuttingProxy proxy(shared_cluster().socket_path());
  const auto connection = Connection::open(proxy.url_for(url), {.call = 300ms});
  ASSERT_TRUE(connection) << connection.fault().message;
  ASSERT_TRUE((*connection)->run_script("CREATE TABLE t (s TEXT)"));
  proxy.stop_reading();
  std::string rows = copy_header();
  for (int i = 0; i < 50; ++i) Values().text(std::string(1'000'000, 'x')).append_row_to(rows);
  const auto result = (*connection)->copy_in("COPY t FROM STDIN WITH (FORMAT binary)", rows + copy_trailer());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.fault().trouble, Trouble::kAway);
}

}  // namespace
}  // namespace sluice::sql::postgres
