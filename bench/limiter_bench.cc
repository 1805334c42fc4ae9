// Buckets by key: the Limiter beside a mutex and a map, over the number of keys.
#include <benchmark/benchmark.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "bench/baseline.h"
#include "bench/key_sequence.h"
#include "sluice/limiter.h"

namespace sluice::bench {
namespace {

// Nearly every request is admitted, so that buckets are written as well as read.
constexpr double kRate = 1000;
constexpr double kBurst = 1'000'000;
constexpr size_t kBatch = 16;

const Limit& limit() {
  static const Limit limit = *Limit::token_bucket(kRate, kBurst);
  return limit;
}

template <class Take>
void fill(uint64_t keys, const Take& take) {
  std::string key;
  for (uint64_t i = 0; i < keys; ++i) {
    key.clear();
    KeySequence::append_key(key, i);
    take(key);
  }
}

// One limiter for each number of keys, made when first asked for and shared by the benchmarks that follow.
Limiter& filled_limiter(uint64_t keys) {
  static std::map<uint64_t, std::unique_ptr<Limiter>> limiters;
  auto& limiter = limiters[keys];
  if (limiter == nullptr) {
    limiter = std::make_unique<Limiter>(*Limiter::create(limit(), {.max_bytes = uint64_t{2} << 30}));
    fill(keys, [&](std::string_view key) { limiter->take(key, Tokens::whole(1000)); });
  }
  return *limiter;
}

MutexMapLimiter& filled_baseline(uint64_t keys) {
  static std::map<uint64_t, std::unique_ptr<MutexMapLimiter>> limiters;
  auto& limiter = limiters[keys];
  if (limiter == nullptr) {
    limiter = std::make_unique<MutexMapLimiter>(kRate, kBurst);
    fill(keys, [&](std::string_view key) { limiter->take(key, 1000); });
  }
  return *limiter;
}

void report(benchmark::State& state, uint64_t allowed) {
  state.SetItemsProcessed(state.iterations());
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(state.iterations());
}

void mutex_map(benchmark::State& state) {
  MutexMapLimiter& limiter = filled_baseline(static_cast<uint64_t>(state.range(0)));
  KeySequence keys(static_cast<uint64_t>(state.range(0)));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next(), 1) ? 1 : 0;
  report(state, allowed);
}

void limiter(benchmark::State& state) {
  Limiter& limiter = filled_limiter(static_cast<uint64_t>(state.range(0)));
  KeySequence keys(static_cast<uint64_t>(state.range(0)));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next()).allowed() ? 1 : 0;
  report(state, allowed);
}

void limiter_batch(benchmark::State& state) {
  Limiter& limiter = filled_limiter(static_cast<uint64_t>(state.range(0)));
  KeySequence keys(static_cast<uint64_t>(state.range(0)));
  std::array<std::string_view, kBatch> batch;
  std::array<Decision, kBatch> decisions;
  uint64_t allowed = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (auto& key : batch) key = keys.next();
    limiter.take_each(batch, decisions);
    for (const Decision& decision : decisions) allowed += decision.allowed() ? 1 : 0;
  }
  report(state, allowed);
}

// User, tenant and everybody: the last one is the same for all requests, as it is in life.
void limiter_three_buckets(benchmark::State& state) {
  Limiter& limiter = filled_limiter(static_cast<uint64_t>(state.range(0)));
  KeySequence users(static_cast<uint64_t>(state.range(0)));
  KeySequence tenants(static_cast<uint64_t>(state.range(0)), 2);
  const Limit everybody = *Limit::token_bucket(1e9, 1e9);
  uint64_t allowed = 0;
  for (auto _ : state) {
    const Take takes[] = {{users.next(), &limit()}, {tenants.next(), &limit(), kOneToken, 1}, {"everybody", &everybody}};
    allowed += limiter.take_all(takes)->allowed() ? 1 : 0;
  }
  report(state, allowed);
}

// Two threads: on keys of their own, and on one key that both want.
void limiter_threads(benchmark::State& state) {
  static Limiter& limiter = filled_limiter(100'000);
  KeySequence keys(100'000, static_cast<uint64_t>(state.thread_index()) + 1);
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next()).allowed() ? 1 : 0;
  report(state, allowed);
}

void limiter_threads_one_key(benchmark::State& state) {
  static Limiter& limiter = filled_limiter(1000);
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take("user:000000007").allowed() ? 1 : 0;
  report(state, allowed);
}

void keys_alone(benchmark::State& state) {
  KeySequence keys(static_cast<uint64_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(keys.next());
}

BENCHMARK(keys_alone)->Arg(1'000'000);
BENCHMARK(mutex_map)->Arg(1000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK(limiter)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000);
BENCHMARK(limiter_batch)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000);
BENCHMARK(limiter_three_buckets)->Arg(1000)->Arg(100'000);
BENCHMARK(limiter_threads)->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK(limiter_threads_one_key)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace sluice::bench
