// PostgreSQL is killed while several append: what was acknowledged stays, and no batch is there twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "audit/postgres/postgres_violations.h"
#include "postgres/cluster.h"

namespace sluice::audit {
namespace {

using postgres_testing::Cluster;
using postgres_testing::psql;
using namespace std::chrono_literals;

constexpr int kWriters = 4;
constexpr int kKills = 3;
constexpr int kBatchesBetweenKills = 40;
constexpr int kEach = 7;

// Hands over one batch after another; after kAway the same once more, on a new connection.
struct Writer {
  std::string name;
  int64_t acknowledged = 0;
  int away = 0;

  void run(const std::string& url, const std::atomic<bool>& is_over, std::atomic<int>& batches) {
    while (!is_over) {
      auto table = open_postgres_violations(url, {.connect = 1s});
      if (!table) std::this_thread::sleep_for(5ms);
      while (table && !is_over && append(**table)) ++batches;
    }
  }

  bool append(ViolationTable& table) {
    Violation violation;
    violation.bucket_key = name;
    violation.cost = static_cast<double>(acknowledged + 1);
    const auto done = table.append({name, acknowledged + 1, std::vector<Violation>(kEach, violation)});
    acknowledged += done ? 1 : 0;
    if (done) return true;
    EXPECT_EQ(done.fault().trouble, sql::Trouble::kAway) << done.fault().message;
    ++away;
    return false;
  }
};

TEST(PostgresViolationsKilled, WhatWasAcknowledgedIsThereOnce) {
  Cluster cluster(Cluster::Disk::kDurable);
  const std::string url = cluster.fresh_database();
  std::atomic<bool> is_over = false;
  std::atomic<int> batches = 0;
  std::vector<Writer> writers;
  for (int i = 0; i < kWriters; ++i) writers.push_back({"writer" + std::to_string(i)});
  std::vector<std::thread> threads;
  for (Writer& writer : writers) threads.emplace_back([&] { writer.run(url, is_over, batches); });
  const auto deadline = std::chrono::steady_clock::now() + 2min;
  for (int i = 0; i < kKills; ++i) {
    const int before = batches;
    while (batches < before + kBatchesBetweenKills && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_GE(batches, before + kBatchesBetweenKills) << "they go on after a kill";
    cluster.kill();
    cluster.start();
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();

  // Every batch is there whole and once: its number is its cost.
  EXPECT_EQ(psql(url, "SELECT bucket_key, cost FROM rate_limit_violation GROUP BY 1, 2 HAVING count(*) <> 7"), "");
  int away = 0;
  int64_t total = 0;
  for (const Writer& writer : writers) {
    const std::string found =
        psql(url, "SELECT count(DISTINCT cost) FROM rate_limit_violation WHERE bucket_key = '" + writer.name + "'");
    EXPECT_GE(std::stoll(found), writer.acknowledged) << writer.name;
    EXPECT_LE(std::stoll(found), writer.acknowledged + 1) << "at most the last was not acknowledged";
    away += writer.away;
    total += writer.acknowledged;
  }
  EXPECT_GT(away, 0) << "nobody noticed";
  printf("%ld batches acknowledged, away %d times\n", static_cast<long>(total), away);
}

}  // namespace
}  // namespace sluice::audit
