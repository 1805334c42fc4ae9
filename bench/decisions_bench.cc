// Decisions on a fixed schedule: time stands in the program, so every run, on every machine, must decide the same.
// `allowed` counts the admitted, `checksum` covers every field of every decision.
#include <benchmark/benchmark.h>

#include <array>

#include "bench/key_sequence.h"
#include "sluice/limiter.h"
#include "sluice/token_bucket.h"

namespace sluice::bench {
namespace {

constexpr int64_t kRequests = 200'000;
constexpr uint64_t kKeys = 1000;
constexpr size_t kBatch = 16;
constexpr Duration kBetween = Duration::micros(7);

// 100 a second and 20 at once for each of 1000 keys, of whom each asks about 143 times a second.
const Limit& limit() {
  static const Limit limit = *Limit::token_bucket(100, 20);
  return limit;
}

class Tally {
 public:
  void add(const Decision& decision) {
    allowed_ += decision.allowed() ? 1 : 0;
    mix(static_cast<int64_t>(decision.verdict));
    mix(decision.remaining.micros());
    mix(decision.retry_after.ns);
    mix(decision.delay.ns);
    mix(decision.bucket);
  }

  // A counter is a double: 48 bits of the checksum fit in exactly.
  void report(benchmark::State& state) const {
    state.counters["allowed"] = static_cast<double>(allowed_);
    state.counters["checksum"] = static_cast<double>(hash_ >> 16);
  }

 private:
  void mix(int64_t value) { hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x100000001b3U; }

  uint64_t allowed_ = 0;
  uint64_t hash_ = 0xcbf29ce484222325U;
};

void one_by_one(benchmark::State& state, const Limit& limit) {
  ManualClock clock;
  Limiter limiter = *Limiter::create(limit, {.clock = &clock});
  KeySequence keys(kKeys);
  Tally tally;
  for (auto _ : state) {
    clock.advance(kBetween);
    tally.add(limiter.take(keys.next()));
  }
  tally.report(state);
}

void in_batches(benchmark::State& state) {
  ManualClock clock;
  Limiter limiter = *Limiter::create(limit(), {.clock = &clock});
  KeySequence keys(kKeys);
  std::array<std::string_view, kBatch> batch;
  std::array<Decision, kBatch> decisions;
  Tally tally;
  while (state.KeepRunningBatch(kBatch)) {
    clock.advance(Duration(kBetween.ns * int64_t{kBatch}));
    for (auto& key : batch) key = keys.next();
    limiter.take_each(batch, decisions);
    for (const Decision& decision : decisions) tally.add(decision);
  }
  tally.report(state);
}

void three_buckets(benchmark::State& state) {
  ManualClock clock;
  Limiter limiter = *Limiter::create(limit(), {.clock = &clock});
  KeySequence users(kKeys);
  KeySequence tenants({.keys = kKeys / 10, .seed = 2});
  const Limit tenant = *Limit::token_bucket(1000, 100);
  const Limit everybody = *Limit::token_bucket(90'000, 1000);
  Tally tally;
  for (auto _ : state) {
    clock.advance(kBetween);
    const Take takes[] = {{users.next(), &limit()}, {tenants.next(), &tenant, kOneToken, 1}, {"everybody", &everybody}};
    tally.add(*limiter.take_all(takes));
  }
  tally.report(state);
}

void one_bucket(benchmark::State& state) {
  ManualClock clock;
  TokenBucket bucket(*Limit::token_bucket(100'000, 20), clock);
  Tally tally;
  for (auto _ : state) {
    clock.advance(kBetween);
    tally.add(bucket.take());
  }
  tally.report(state);
}

Rate rate() { return *Rate::per_second(100); }
constexpr Tokens kCapacity = Tokens::whole(20);
constexpr Duration kWindow = Duration::millis(200);

BENCHMARK(one_bucket)->Iterations(kRequests);
BENCHMARK(in_batches)->Iterations(kRequests);
BENCHMARK(three_buckets)->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, token_bucket, limit())->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, leaky_bucket, *Limit::leaky_bucket(rate(), kCapacity))->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, leaky_queue, *Limit::leaky_queue(rate(), kCapacity))->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, fixed_window, *Limit::fixed_window(kCapacity, kWindow))->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, sliding_window_log, *Limit::sliding_window_log(kCapacity, kWindow))
    ->Iterations(kRequests);
BENCHMARK_CAPTURE(one_by_one, sliding_window_counter, *Limit::sliding_window_counter(kCapacity, kWindow))
    ->Iterations(kRequests);

}  // namespace
}  // namespace sluice::bench
