// PostgreSQL on a local socket: how fast violations are appended, durably and in batches, how long a snapshot of many
// rules takes, and how long it takes to write them in one edit.
#include <benchmark/benchmark.h>

#include <string>

#include "audit/postgres/postgres_violations.h"
#include "bench/append_loop.h"
#include "postgres/cluster.h"
#include "rules/postgres/postgres_rules.h"

namespace sluice::bench {
namespace {

std::string fresh_database() {
  static postgres_testing::Cluster cluster(postgres_testing::Cluster::Disk::kDurable);
  return cluster.fresh_database();
}

void postgres_append(benchmark::State& state) {
  auto table = audit::open_postgres_violations(fresh_database());
  append_batches(state, **table);
}

// Plans named by `round`, so that no two rounds name the same.
void add_rows(benchmark::State& state, rules::RuleTable& table, int64_t round) {
  auto edit = table.edit("bench");
  for (int64_t i = 0; i < state.range(0); ++i) {
    rules::Row row;
    row.key_pattern = "user:{user_id}";
    row.plan = "plan" + std::to_string(round) + "-" + std::to_string(i);
    row.rate_per_second = 10;
    row.burst_capacity = 50;
    if (auto inserted = (*edit)->insert(row); !inserted) state.SkipWithError(inserted.fault().message.c_str());
  }
  if (auto committed = (*edit)->commit(); !committed) state.SkipWithError(committed.fault().message.c_str());
}

void postgres_edit(benchmark::State& state) {
  auto table = rules::open_postgres_rules(fresh_database());
  int64_t round = 0;
  for (auto _ : state) add_rows(state, **table, ++round);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void postgres_snapshot(benchmark::State& state) {
  auto table = rules::open_postgres_rules(fresh_database());
  add_rows(state, **table, 0);
  size_t rows = 0;
  for (auto _ : state) rows = (*table)->snapshot()->rows.size();
  state.counters["rows"] = static_cast<double>(rows);
}

void postgres_latest_change(benchmark::State& state) {
  auto table = rules::open_postgres_rules(fresh_database());
  for (auto _ : state) benchmark::DoNotOptimize(*(*table)->latest_change());
}

BENCHMARK(postgres_append)->Arg(100)->Arg(1'000)->Arg(5'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_edit)->Arg(1)->Arg(1'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_snapshot)->Arg(10'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(postgres_latest_change)->UseRealTime();

}  // namespace
}  // namespace sluice::bench
