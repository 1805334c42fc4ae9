// SQLite: how fast violations are appended, durably and in batches, and how long a snapshot of many rules takes.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "audit/sqlite/violation_table.h"
#include "bench/append_loop.h"
#include "rules/sqlite/rule_table.h"

namespace sluice::bench {
namespace {

// Beside the program rather than in a folder that may be memory: a commit waits for a real disk.
class Folder {
 public:
  Folder() {
    std::string pattern =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sqlite_bench_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file() const { return (path_ / "sluice.db").string(); }

 private:
  std::filesystem::path path_;
};

void sqlite_append(benchmark::State& state) {
  const Folder folder;
  auto table = audit::sqlite::open_violations(folder.file());
  append_batches(state, **table);
  state.counters["megabytes"] = static_cast<double>(std::filesystem::file_size(folder.file())) / 1e6;
}

void sqlite_snapshot(benchmark::State& state) {
  const Folder folder;
  auto table = rules::sqlite::open_rules(folder.file());
  {
    auto edit = (*table)->edit("bench");
    for (int64_t i = 0; i < state.range(0); ++i) {
      rules::Row row;
      row.key_pattern = "user:{user_id}";
      row.plan = "plan" + std::to_string(i);
      row.rate_per_second = 10;
      row.burst_capacity = 50;
      if (auto inserted = (*edit)->insert(row); !inserted) state.SkipWithError(inserted.fault().message.c_str());
    }
    if (auto committed = (*edit)->commit(); !committed) state.SkipWithError(committed.fault().message.c_str());
  }
  size_t rows = 0;
  for (auto _ : state) rows = (*table)->snapshot()->rows.size();
  state.counters["rows"] = static_cast<double>(rows);
}

// What a follower costs that asks five times a second.
void sqlite_latest_change(benchmark::State& state) {
  const Folder folder;
  auto table = rules::sqlite::open_rules(folder.file());
  for (auto _ : state) benchmark::DoNotOptimize(*(*table)->latest_change());
}

BENCHMARK(sqlite_append)->Arg(100)->Arg(1'000)->Arg(5'000)->Arg(20'000)->UseRealTime();
BENCHMARK(sqlite_snapshot)->Arg(10'000);
BENCHMARK(sqlite_latest_change);

}  // namespace
}  // namespace sluice::bench
