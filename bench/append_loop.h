// Batches into a table of violations, one after another: the same loop for every database.
#pragma once

#include <benchmark/benchmark.h>

#include "audit/violation_table.h"
#include "bench/violation_rows.h"

namespace sluice::bench {

// Batches of state.range(0) rows; only appending is timed.
inline void append_batches(benchmark::State& state, audit::ViolationTable& table) {
  audit::Batch batch{"bench", 0, {}};
  uint64_t next = 0;
  for (auto _ : state) {
    state.PauseTiming();
    batch.violations.clear();
    for (int64_t i = 0; i < state.range(0); ++i) batch.violations.push_back(violation_of(next++));
    ++batch.number;
    state.ResumeTiming();
    if (auto appended = table.append(batch); !appended) state.SkipWithError(appended.fault().message.c_str());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace sluice::bench
