// Buckets by key: the Limiter beside a mutex and a map, over the number of keys.
#include <benchmark/benchmark.h>

#include <array>
#include <map>
#include <memory>

#include "bench/baseline.h"
#include "bench/key_sequence.h"
#include "bench/max_keys.h"
#include "sluice/limiter.h"

namespace sluice::bench {
namespace {

// Every request is admitted, so that buckets are written as well as read; and no bucket is full again before the
// program ends, so that none is reclaimed.
constexpr double kRate = 1000;
constexpr double kBurst = 1'000'000;
constexpr int64_t kSpentAtFirst = 500'000;
constexpr size_t kBatch = 16;
constexpr uint64_t kThreadKeys = 100'000;

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
    fill(keys, [&](std::string_view key) { limiter->take(key, Tokens::whole(kSpentAtFirst)); });
  }
  return *limiter;
}

MutexMapLimiter& filled_baseline(uint64_t keys) {
  static std::map<uint64_t, std::unique_ptr<MutexMapLimiter>> limiters;
  auto& limiter = limiters[keys];
  if (limiter == nullptr) {
    limiter = std::make_unique<MutexMapLimiter>(kRate, kBurst);
    fill(keys, [&](std::string_view key) { limiter->take(key, kSpentAtFirst); });
  }
  return *limiter;
}

uint64_t keys_of(const benchmark::State& state) { return static_cast<uint64_t>(state.range(0)); }

void report(benchmark::State& state, uint64_t allowed) {
  state.SetItemsProcessed(state.iterations());
  state.counters["allowed"] = benchmark::Counter(static_cast<double>(allowed) / static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kAvgThreads);
}

void mutex_map(benchmark::State& state) {
  MutexMapLimiter& limiter = filled_baseline(keys_of(state));
  KeySequence keys(keys_of(state));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next(), 1) ? 1 : 0;
  report(state, allowed);
}

void limiter(benchmark::State& state) {
  Limiter& limiter = filled_limiter(keys_of(state));
  KeySequence keys(keys_of(state));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next()).allowed() ? 1 : 0;
  report(state, allowed);
}

void limiter_batch(benchmark::State& state) {
  Limiter& limiter = filled_limiter(keys_of(state));
  KeySequence keys(keys_of(state));
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

// User, tenant and everybody: two keys of those that are there, in the same table as for one bucket, and a third that
// is the same for all requests, as it is in life.
void limiter_three_buckets(benchmark::State& state) {
  Limiter& limiter = filled_limiter(keys_of(state));
  KeySequence users(keys_of(state));
  KeySequence tenants({.keys = keys_of(state), .seed = 2});
  const Limit everybody = *Limit::token_bucket(1e9, 1e9);
  uint64_t allowed = 0;
  for (auto _ : state) {
    const Take takes[] = {{users.next(), &limit()}, {tenants.next(), &limit()}, {"everybody", &everybody}};
    allowed += limiter.take_all(takes)->allowed() ? 1 : 0;
  }
  report(state, allowed);
}

// The same keys for any number of threads, shared out so that no two threads ask for the same one.
void limiter_threads(benchmark::State& state) {
  static Limiter& limiter = filled_limiter(kThreadKeys);
  const uint64_t share = kThreadKeys / static_cast<uint64_t>(state.threads());
  const uint64_t thread = static_cast<uint64_t>(state.thread_index());
  KeySequence keys({.keys = share, .first = share * thread, .seed = thread + 1});
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next()).allowed() ? 1 : 0;
  report(state, allowed);
}

// The same again with a limiter for each thread, that nobody else touches: what two cores of this machine can do at
// most.
void limiter_threads_apart(benchmark::State& state) {
  const uint64_t share = kThreadKeys / static_cast<uint64_t>(state.threads());
  Limiter limiter = *Limiter::create(limit());
  fill(share, [&](std::string_view key) { limiter.take(key, Tokens::whole(kSpentAtFirst)); });
  KeySequence keys({.keys = share, .seed = static_cast<uint64_t>(state.thread_index()) + 1});
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take(keys.next()).allowed() ? 1 : 0;
  report(state, allowed);
}

// One key that all threads want. It refills faster than they can take, so that every request is admitted.
void limiter_threads_one_key(benchmark::State& state) {
  static Limiter limiter = *Limiter::create(*Limit::token_bucket(1e9, 1e9));
  uint64_t allowed = 0;
  for (auto _ : state) allowed += limiter.take("user:000000007").allowed() ? 1 : 0;
  report(state, allowed);
}

void keys_alone(benchmark::State& state) {
  KeySequence keys(keys_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(keys.next());
}

template <int64_t... kSizes>
void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t keys : {kSizes...}) {
    if (static_cast<uint64_t>(keys) <= max_keys()) benchmark->Arg(keys);
  }
}

BENCHMARK(keys_alone)->Arg(1000);
BENCHMARK(mutex_map)->Apply(sizes<1000, 100'000, 1'000'000>);
BENCHMARK(limiter)->Apply(sizes<1000, 100'000, 1'000'000, 10'000'000>);
BENCHMARK(limiter_batch)->Apply(sizes<1000, 100'000, 1'000'000, 10'000'000>);
BENCHMARK(limiter_three_buckets)->Apply(sizes<1000, 100'000>);
BENCHMARK(limiter_threads)->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK(limiter_threads_apart)->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK(limiter_threads_one_key)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace sluice::bench
