// What watching costs the one who is watched: a counter, a histogram, a key handed on; and what it costs the watcher.
#include <benchmark/benchmark.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "telemetry/heavy_hitters.h"
#include "telemetry/histogram.h"
#include "telemetry/key_feed.h"

namespace sluice::bench {
namespace {

using namespace telemetry;

std::vector<std::string> make_keys(size_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (size_t i = 0; i < count; ++i) keys.push_back("user:" + std::to_string(1'000'000 + i));
  return keys;
}

void counter(benchmark::State& state) {
  Counter counter;
  for (auto _ : state) {
    counter.add();
    benchmark::ClobberMemory();
  }
  benchmark::DoNotOptimize(counter.value());
}
BENCHMARK(counter);

// Durations as they come: a few microseconds, sometimes a millisecond.
void histogram_record(benchmark::State& state) {
  std::vector<uint64_t> durations(1'024);
  uint64_t ns = 700;
  for (uint64_t& duration : durations) {
    duration = ns;
    ns = ns * 5 % 1'000'003;
  }
  Histogram histogram;
  size_t i = 0;
  for (auto _ : state) histogram.record(durations[i++ & 1'023], 1);
  benchmark::DoNotOptimize(histogram.values().sum_ns);
}
BENCHMARK(histogram_record);

// One thread adds, another reads now and then: as between a loop and whoever keeps the sketches.
void key_feed_add(benchmark::State& state) {
  const auto keys = make_keys(1'024);
  KeyFeed feed;
  std::atomic<bool> is_done{false};
  std::thread reader([&] {
    while (!is_done.load(std::memory_order_relaxed)) {
      feed.drain(SIZE_MAX, [](const FedKey& key) { benchmark::DoNotOptimize(key.name.bytes.data()); });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  size_t i = 0;
  for (auto _ : state) feed.add(keys[i++ & 1'023], false);
  is_done.store(true, std::memory_order_relaxed);
  reader.join();
}
BENCHMARK(key_feed_add);

// Every key copied: the most that a key can cost.
void key_feed_copy(benchmark::State& state) {
  const auto keys = make_keys(1'024);
  KeyFeed feed;
  size_t i = 0;
  for (auto _ : state) {
    feed.add(keys[i++ & 1'023], false);
    if ((i & 63) == 0) feed.drain(SIZE_MAX, [](const FedKey& key) { benchmark::DoNotOptimize(key.weight); });
  }
}
BENCHMARK(key_feed_copy);

// Half of the traffic from 100 keys, half from 100,000 that take each other's place.
void heavy_hitters_add(benchmark::State& state) {
  const auto keys = make_keys(100'000);
  HeavyHitters sketch(1'000);
  uint64_t random = 88'172'645'463'325'252;
  for (auto _ : state) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const bool is_hot = (random & 1) == 0;
    sketch.add(KeyName(std::string_view(keys[(random >> 32) % (is_hot ? 100 : keys.size())])), 1);
  }
}
BENCHMARK(heavy_hitters_add);

}  // namespace
}  // namespace sluice::bench
