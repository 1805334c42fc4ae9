// PostgreSQL is killed while several edit: what was acknowledged stays.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "postgres/cluster.h"
#include "rules/postgres/postgres_rules.h"

namespace sluice::rules {
namespace {

using postgres_testing::Cluster;
using namespace std::chrono_literals;

constexpr int kEditors = 4;
constexpr int kKills = 3;
constexpr int kEditsBetweenKills = 20;
constexpr sql::postgres::Patience kPatience{.connect = 1s};

Row row_of(const std::string& plan) {
  Row row;
  row.key_pattern = "user:{user_id}";
  row.rate_per_second = row.burst_capacity = 10;
  row.plan = plan;
  return row;
}

// Adds rows until it is over, on a new connection whenever the old one is gone.
class Editor {
 public:
  Editor(std::string url, int number) : url_(std::move(url)), name_("editor" + std::to_string(number)) {}

  void run(const std::atomic<bool>& is_over, std::atomic<int>& edits) {
    while (!is_over) {
      auto table = open_postgres_rules(url_, kPatience);
      if (!table) {
        std::this_thread::sleep_for(5ms);
        continue;
      }
      while (!is_over && add(**table)) ++edits;
    }
  }

  const std::set<std::string>& acknowledged() const { return acknowledged_; }
  const std::set<std::string>& doubtful() const { return doubtful_; }
  int away() const { return away_; }

 private:
  bool add(RuleTable& table) {
    const std::string plan = name_ + "-" + std::to_string(++count_);
    auto edit = table.edit(name_);
    if (!edit) return is_expected(edit.fault());
    const auto added = (*edit)->insert(row_of(plan));
    if (!added) return is_expected(added.fault());
    const auto committed = (*edit)->commit();
    (committed ? acknowledged_ : doubtful_).insert(plan);
    return committed ? true : is_expected(committed.fault());
  }

  // True where the connection can still be used.
  bool is_expected(const sql::Fault& fault) {
    away_ += fault.trouble == sql::Trouble::kAway;
    EXPECT_TRUE(fault.trouble == sql::Trouble::kAway || fault.trouble == sql::Trouble::kBusy) << fault.message;
    return fault.trouble == sql::Trouble::kBusy;
  }

  std::string url_, name_;
  int count_ = 0;
  int away_ = 0;
  std::set<std::string> acknowledged_, doubtful_;
};

TEST(PostgresRulesKilled, WhatWasAcknowledgedIsThereAndOthersGoOn) {
  Cluster cluster(Cluster::Disk::kDurable);
  const std::string url = cluster.fresh_database();
  std::atomic<bool> is_over = false;
  std::atomic<int> edits = 0;
  std::vector<Editor> editors;
  for (int i = 0; i < kEditors; ++i) editors.emplace_back(url, i);
  std::vector<std::thread> threads;
  for (Editor& editor : editors) threads.emplace_back([&] { editor.run(is_over, edits); });
  const auto deadline = std::chrono::steady_clock::now() + 2min;
  for (int i = 0; i < kKills; ++i) {
    const int before = edits;
    while (edits < before + kEditsBetweenKills && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_GE(edits, before + kEditsBetweenKills) << "they go on after a kill";
    cluster.kill();
    cluster.start();
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();

  const auto table = open_postgres_rules(url);
  ASSERT_TRUE(table) << table.fault().message;
  const auto snapshot = (*table)->snapshot();
  ASSERT_TRUE(snapshot) << snapshot.fault().message;
  std::set<std::string> found;
  for (const Row& row : snapshot->rows) found.insert(*row.plan);
  size_t acknowledged = 0, doubtful = 0;
  int away = 0;
  for (const Editor& editor : editors) {
    for (const std::string& plan : editor.acknowledged()) EXPECT_TRUE(found.contains(plan)) << plan;
    for (const std::string& plan : editor.doubtful()) doubtful += found.contains(plan);
    acknowledged += editor.acknowledged().size();
    away += editor.away();
  }
  EXPECT_EQ(found.size(), acknowledged + doubtful);
  EXPECT_GT(away, 0) << "nobody noticed";
  EXPECT_EQ((*table)->changes({.most = 100'000})->size(), found.size()) << "the history has each once";
  printf("%zu edits acknowledged, %zu more arrived, away %d times\n", acknowledged, doubtful, away);
}

}  // namespace
}  // namespace sluice::rules
