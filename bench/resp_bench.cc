// Pipelined CL.THROTTLE through a session, bytes to bytes: 100,000 keys, so many commands in one read. Beside it what
// the store alone takes for the same buckets, and what it costs when all are rejected, with and without a record of it.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "audit/ledger.h"
#include "audit/sqlite/violation_table.h"
#include "audit/writer.h"
#include "bench/key_sequence.h"
#include "bench/max_keys.h"
#include "doors/resp/session.h"
#include "stores/memory/memory_store.h"

namespace sluice::bench {
namespace {

// 100,000, and few in a small run: a thread sanitizer takes a minute to meet so many ten times.
const uint64_t kKeys = max_keys() / 100;
// Every key is known then.
const uint64_t kWarmUp = 10 * kKeys;
// Never used up, and not full again before the program ends: what is measured is buckets that are known.
constexpr std::string_view kArguments = "$9\r\n100000000\r\n$3\r\n100\r\n$2\r\n10\r\n";
constexpr int64_t kCapacity = 100'000'001;
// One, and then none before the program ends.
constexpr std::string_view kRejectedArguments = "$1\r\n0\r\n$1\r\n1\r\n$9\r\n100000000\r\n";

// So many commands in one read, whose keys are written anew each time: as with a socket, the bytes are at hand.
class Read {
 public:
  explicit Read(size_t depth, std::string_view arguments = kArguments) {
    constexpr std::string_view kBegin = "*5\r\n$11\r\nCL.THROTTLE\r\n$14\r\n";
    for (size_t i = 0; i < depth; ++i) {
      bytes_ += kBegin;
      places_.push_back(bytes_.size());
      bytes_.append(KeySequence::kLength, '.');
      bytes_ += "\r\n";
      bytes_ += arguments;
    }
  }

  std::string_view next() {
    for (const size_t place : places_) std::memcpy(bytes_.data() + place, keys_.next().data(), KeySequence::kLength);
    return bytes_;
  }

 private:
  KeySequence keys_{kKeys};
  std::string bytes_;
  std::vector<size_t> places_;
};

void run(benchmark::State& state, std::string_view arguments, audit::Ledger* ledger) {
  const auto depth = static_cast<size_t>(state.range(0));
  const auto store = std::move(*memory::MemoryStore::create({}));
  limiter::Limiter limiter({*store, *store, {}});
  doors::SystemTime time(system_clock());
  doors::LoopDesk desk(limiter, time, ledger);
  doors::resp::SessionMaker maker(desk, {});
  const net::Peer peer;
  const auto session = maker.make(peer);
  Read read(depth, arguments);
  net::Output output;
  for (size_t i = 0; i < kWarmUp; i += depth) {
    session->on_bytes(read.next(), output);
    output.clear();
  }
  uint64_t allowed = 0;
  uint64_t reads = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(depth))) {
    ++reads;
    session->on_bytes(read.next(), output);
    allowed += output.bytes()[5] == '0' ? 1 : 0;
    output.clear();
  }
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(reads);
}

void resp_throttle(benchmark::State& state) { run(state, kArguments, nullptr); }
void resp_throttle_rejected(benchmark::State& state) { run(state, kRejectedArguments, nullptr); }
// Without the writer.
void resp_throttle_recorded(benchmark::State& state) {
  audit::Ledger ledger;
  run(state, kRejectedArguments, &ledger);
}

// With the writer and a SQLite file: what all threads spend together.
void resp_throttle_written(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / ("sluice_resp_bench_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  {
    audit::Ledger ledger;
    const auto open = [&] { return audit::sqlite::open_violations(folder / "violations.db"); };
    audit::Writer writer({{&ledger}, open}, {});
    run(state, kRejectedArguments, &ledger);
    state.counters["rows"] = static_cast<double>(writer.status().written.rows);
    // Nobody may be in the folder when it goes.
    writer.stop(std::chrono::minutes(1));
  }
  std::filesystem::remove_all(folder);
}

void resp_throttle_store_alone(benchmark::State& state) {
  const auto depth = static_cast<size_t>(state.range(0));
  constexpr size_t kMost = stores::Store::kMaxTakes;
  const auto store = std::move(*memory::MemoryStore::create({}));
  const Limit limit = *Limit::token_bucket(10, static_cast<double>(kCapacity));
  Clock& clock = system_clock();
  KeySequence keys(kKeys);
  std::vector<Take> takes;
  for (size_t i = 0; i < kWarmUp; ++i) takes.push_back({keys.next(), &limit, kOneToken, limiter::NamedBucket::kPart});
  for (const Take& take : takes) store->take(take, clock.now());
  stores::BucketResult results[kMost];
  size_t at = 0;
  uint64_t allowed = 0;
  uint64_t reads = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(depth))) {
    ++reads;
    const Instant now = clock.now();
    for (size_t left = depth; left > 0;) {
      const size_t count = std::min(left, kMost);
      if (at + count > takes.size()) at = 0;
      stores::Ask ask{stores::Action::kTake, std::span(takes).subspan(at, count), 0, now, results, nullptr};
      store->ask(ask);
      at += count;
      left -= count;
    }
    allowed += results[0].decision.allowed() ? 1 : 0;
  }
  state.counters["allowed"] = static_cast<double>(allowed) / static_cast<double>(reads);
}

BENCHMARK(resp_throttle)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(resp_throttle_rejected)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(resp_throttle_recorded)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(resp_throttle_written)->Arg(64)->MeasureProcessCPUTime();
BENCHMARK(resp_throttle_store_alone)->Arg(1)->Arg(16)->Arg(64);

}  // namespace
}  // namespace sluice::bench
