// What an event loop spends on noting a rejection: one key, 100,000 of them, and more than there is room for. Beside it
// what the writer's thread spends on a row, from a page to a SQLite file and to the spill.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "audit/ledger.h"
#include "audit/sqlite/violation_table.h"
#include "audit/writer.h"
#include "bench/key_sequence.h"

namespace sluice::bench {
namespace {

constexpr uint64_t kKeys = 100'000;
constexpr size_t kTogether = 32;

std::vector<std::string> keys_of(uint64_t count) {
  KeySequence sequence(count);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < std::max<uint64_t>(4 * count, 1'024); ++i) keys.emplace_back(sequence.next());
  return keys;
}

audit::Rejection rejection_of(std::string_view key) {
  audit::Rejection rejection{.bucket_key = key, .reason = "token_bucket_exceeded"};
  rejection.cost = 1;
  return rejection;
}

void note_together(audit::Ledger& ledger, const std::vector<std::string>& keys, size_t& at) {
  std::array<Fingerprint, kTogether> subjects;
  if (at + kTogether > keys.size()) at = 0;
  audit::Ledger::Pen pen(ledger);
  for (size_t i = 0; i < kTogether; ++i) {
    subjects[i] = pen.subject(keys[at + i], 1);
    pen.prefetch(subjects[i]);
  }
  for (size_t i = 0; i < kTogether; ++i) {
    pen.note(subjects[i], 1, [&] { return rejection_of(keys[at + i]); });
  }
  at += kTogether;
}

void run(benchmark::State& state, const audit::Ledger::Options& options, uint64_t keys) {
  const auto each = keys_of(keys);
  audit::Ledger ledger(options);
  size_t at = 0;
  for (size_t i = 0; i < each.size(); i += kTogether) note_together(ledger, each, at);
  const uint64_t before = ledger.noted();
  const uint64_t dropped_before = ledger.dropped();
  while (state.KeepRunningBatch(kTogether)) note_together(ledger, each, at);
  const auto noted = static_cast<double>(ledger.noted() - before);
  state.counters["dropped"] = static_cast<double>(ledger.dropped() - dropped_before) / noted;
}

void audit_note_hot_key(benchmark::State& state) { run(state, {}, 1); }
void audit_note_keys(benchmark::State& state) { run(state, {}, kKeys); }
void audit_note_when_full(benchmark::State& state) { run(state, {.rows = 1'000}, kKeys); }

// One at a time, as for HTTP.
void audit_note_alone(benchmark::State& state) {
  const auto each = keys_of(kKeys);
  audit::Ledger ledger;
  size_t at = 0;
  for (auto _ : state) {
    audit::Ledger::Pen pen(ledger);
    pen.note(pen.subject(each[at], 1), 1, [&] { return rejection_of(each[at]); });
    at = at + 1 < each.size() ? at + 1 : 0;
  }
}

// All threads are measured; each row is one key.
void write_rows(benchmark::State& state, bool is_away) {
  constexpr uint64_t kRows = 20'000;
  const auto folder = std::filesystem::temp_directory_path() / ("sluice_audit_bench_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = folder / "violations.db";
  const auto open = [&]() -> sql::Outcome<std::unique_ptr<audit::ViolationTable>> {
    if (is_away) return sql::Fault{sql::Trouble::kAway, "away"};
    return audit::sqlite::open_violations(file);
  };
  audit::WriterOptions options;
  options.spill = audit::Spill::Options{.folder = folder / "spill"};
  audit::Ledger ledger;
  uint64_t key = 0;
  uint64_t rows = 0;
  while (state.KeepRunningBatch(kRows)) {
    state.PauseTiming();
    for (uint64_t i = 0; i < kRows; ++i, ++key) {
      const std::string name = "user:" + std::to_string(key);
      audit::Ledger::Pen pen(ledger);
      pen.note(pen.subject(name, 1), static_cast<int64_t>(key), [&] { return rejection_of(name); });
    }
    state.ResumeTiming();
    audit::Writer writer({{&ledger}, open}, options);
    writer.stop(std::chrono::seconds(60));
    const audit::WriterStatus status = writer.status();
    rows += is_away ? status.spilled.rows : status.written.rows;
  }
  state.counters["rows"] = static_cast<double>(rows) / static_cast<double>(state.iterations());
  std::filesystem::remove_all(folder);
}

void audit_write_row(benchmark::State& state) { write_rows(state, false); }
void audit_spill_row(benchmark::State& state) { write_rows(state, true); }

BENCHMARK(audit_note_hot_key);
BENCHMARK(audit_note_keys);
BENCHMARK(audit_note_when_full);
BENCHMARK(audit_note_alone);
BENCHMARK(audit_write_row)->MeasureProcessCPUTime();
BENCHMARK(audit_spill_row)->MeasureProcessCPUTime();

}  // namespace
}  // namespace sluice::bench
