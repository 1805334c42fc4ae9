// One bucket: what a decision costs by itself, and with a reading of the clock.
#include <benchmark/benchmark.h>

#include <chrono>

#include "sluice/token_bucket.h"

namespace sluice::bench {
namespace {

void kernel_clock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::chrono::steady_clock::now());
}

void system_clock_reading(benchmark::State& state) {
  Clock& clock = system_clock();
  for (auto _ : state) benchmark::DoNotOptimize(clock.now());
}

// Half of the requests are admitted: the rate is what a burst of alternating answers needs.
void token_bucket_at(benchmark::State& state) {
  TokenBucket bucket(*Limit::token_bucket(static_cast<double>(state.range(0)), 1000));
  Instant now = bucket.clock().now();
  uint64_t allowed = 0;
  for (auto _ : state) {
    now.ns += 50;
    allowed += bucket.take_at(now).allowed() ? 1 : 0;
  }
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(state.iterations());
}

void token_bucket_with_clock(benchmark::State& state) {
  TokenBucket bucket(*Limit::token_bucket(static_cast<double>(state.range(0)), 1000));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += bucket.take().allowed() ? 1 : 0;
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(state.iterations());
}

BENCHMARK(kernel_clock);
BENCHMARK(system_clock_reading);
BENCHMARK(token_bucket_at)->Arg(1'000'000'000)->Arg(10'000'000)->Arg(10);
BENCHMARK(token_bucket_with_clock)->Arg(1'000'000'000)->Arg(10'000'000)->Arg(10);

}  // namespace
}  // namespace sluice::bench
