// What an event loop spends on noting a rejection: one key, 100,000 of them, and more than there is room for.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "audit/ledger.h"
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

BENCHMARK(audit_note_hot_key);
BENCHMARK(audit_note_keys);
BENCHMARK(audit_note_when_full);
BENCHMARK(audit_note_alone);

}  // namespace
}  // namespace sluice::bench
