// Fills a Limiter with buckets that are not full, and prints as JSON what they cost: resident memory for each key, and
// the longest that calls took, in wall time and in CPU time of their thread.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "bench/key_sequence.h"
#include "bench/max_keys.h"
#include "sluice/limiter.h"

namespace sluice::bench {
namespace {

constexpr size_t kPage = 4096;

int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// 0 where there is no /proc.
int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  const int fields = std::fscanf(file, "%" SCNd64 " %" SCNd64, &total_pages, &resident_pages);
  std::fclose(file);
  return fields == 2 ? resident_pages * sysconf(_SC_PAGESIZE) : 0;
}

// Watches calls that follow one another: the end of one is the beginning of the next, so making a key is counted too.
//
// A machine interrupts any program a few times a second, for milliseconds, so that the longest call tells more of the
// machine. A pause of our own comes with every growth, some fifty times in a fill: the 20th longest call tells of
// those.
class LongCalls {
 public:
  void begin() {
    wall_ = read_ns(CLOCK_MONOTONIC);
    cpu_ = read_ns(CLOCK_THREAD_CPUTIME_ID);
  }

  void call_ended() {
    const int64_t wall = read_ns(CLOCK_MONOTONIC);
    const int64_t took = wall - wall_;
    wall_ = wall;
    longest_wall_ = std::max(longest_wall_, took);
    if (took < kWorthALook && ++calls_ % kCallsBetweenReadings != 0) return;
    const int64_t cpu = read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (took >= kWorthALook) keep(std::min(took, cpu - cpu_));
    cpu_ = cpu;
  }

  double longest_wall_us() const { return static_cast<double>(longest_wall_) / 1000; }
  double longest_us() const { return static_cast<double>(cpu_longest_.front()) / 1000; }
  double twentieth_us() const { return static_cast<double>(cpu_longest_.back()) / 1000; }

 private:
  // Reading a thread's CPU time is slow. It is read now and then, and when a call took long: what is told is then too
  // long by what the few calls since the last reading took.
  static constexpr int64_t kWorthALook = 20'000;
  static constexpr uint64_t kCallsBetweenReadings = 32;

  // In descending order.
  void keep(int64_t took) {
    if (took <= cpu_longest_.back()) return;
    cpu_longest_.back() = took;
    for (size_t i = cpu_longest_.size() - 1; i > 0 && cpu_longest_[i] > cpu_longest_[i - 1]; --i)
      std::swap(cpu_longest_[i], cpu_longest_[i - 1]);
  }

  int64_t wall_ = 0;
  int64_t cpu_ = 0;
  int64_t longest_wall_ = 0;
  std::array<int64_t, 20> cpu_longest_{};
  uint64_t calls_ = 0;
};

// Decides for keys that are there already, over and over while others are put in: whoever makes the world stand still
// makes this thread stand still.
class Bystander {
 public:
  static constexpr uint64_t kKeys = 1000;

  explicit Bystander(Limiter& limiter) : thread_([this, &limiter] { watch(limiter); }) {}
  LongCalls stop() {
    is_stopped_ = true;
    thread_.join();
    return calls_;
  }

 private:
  void watch(Limiter& limiter) {
    std::string key;
    calls_.begin();
    for (uint64_t i = 0; !is_stopped_.load(std::memory_order_relaxed); ++i) {
      key.clear();
      KeySequence::append_key(key, i % kKeys);
      limiter.take(key);
      calls_.call_ended();
    }
  }

  std::atomic<bool> is_stopped_{false};
  LongCalls calls_;
  std::thread thread_;
};

LongCalls fill(Limiter& limiter, uint64_t keys) {
  std::string key;
  LongCalls calls;
  calls.begin();
  for (uint64_t i = 0; i < keys; ++i) {
    key.clear();
    KeySequence::append_key(key, i);
    limiter.take(key);
    calls.call_ended();
  }
  return calls;
}

// What the system itself takes for memory that the program has not touched yet: no call that grows can be shorter.
LongCalls touch_fresh_memory(size_t bytes) {
  LongCalls calls;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return calls;
  madvise(memory, bytes, MADV_HUGEPAGE);
  calls.begin();
  for (size_t at = 0; at < bytes; at += kPage) {
    static_cast<volatile char*>(memory)[at] = 1;
    calls.call_ended();
  }
  munmap(memory, bytes);
  return calls;
}

// A token takes 1000 s to come back, longer than the program runs: every bucket stays.
Limiter make_limiter(bool huge_pages) {
  return *Limiter::create(*Limit::token_bucket(0.001, 1000),
                          {.max_bytes = uint64_t{2} << 30, .huge_pages = huge_pages});
}

LongCalls fill_in_small_pages(uint64_t keys) {
  Limiter limiter = make_limiter(false);
  return fill(limiter, keys);
}

LongCalls fill_beside_another_thread(uint64_t keys) {
  Limiter limiter = make_limiter(true);
  fill(limiter, Bystander::kKeys);
  Bystander bystander(limiter);
  fill(limiter, keys);
  return bystander.stop();
}

// How the machine interrupts a program that asks nothing of it.
LongCalls do_nothing(uint64_t times) {
  LongCalls calls;
  calls.begin();
  for (uint64_t i = 0; i < times; ++i) calls.call_ended();
  return calls;
}

void print(const char* name, const LongCalls& calls) {
  std::printf("  \"%s_longest_cpu_us\": %.1f,\n", name, calls.longest_us());
  std::printf("  \"%s_20th_longest_cpu_us\": %.1f,\n", name, calls.twentieth_us());
  std::printf("  \"%s_longest_wall_us\": %.1f,\n", name, calls.longest_wall_us());
}

int run() {
  const uint64_t keys = max_keys();
  Limiter limiter = make_limiter(true);
  limiter.take("warm");
  const int64_t before = resident_bytes();
  const LongCalls filling = fill(limiter, keys);
  const int64_t after = resident_bytes();
  const Limiter::Stats stats = limiter.stats();
  if (before == 0 || after == 0) {
    std::fprintf(stderr, "memory_bench: cannot read /proc/self/statm; run it where /proc is mounted\n");
    return 1;
  }
  if (stats.keys != keys + 1 || stats.shared != 0) {
    std::fprintf(stderr,
                 "memory_bench: of %" PRIu64 " keys %" PRIu64 " are remembered, %" PRIu64 " requests shared a bucket\n",
                 keys + 1, stats.keys, stats.shared);
    return 1;
  }
  const LongCalls fresh = touch_fresh_memory(static_cast<size_t>(after - before));
  const LongCalls small_pages = fill_in_small_pages(keys);
  const LongCalls other = fill_beside_another_thread(keys);
  const LongCalls nothing = do_nothing(keys * 10);
  const double count = static_cast<double>(keys);
  std::printf("{\n  \"keys\": %" PRIu64 ",\n", keys);
  std::printf("  \"resident_bytes_per_key\": %.2f,\n", static_cast<double>(after - before) / count);
  std::printf("  \"counted_bytes_per_key\": %.2f,\n", static_cast<double>(stats.bytes) / count);
  print("fill", filling);
  print("fill_in_small_pages", small_pages);
  print("another_thread", other);
  print("fresh_page", fresh);
  print("nothing", nothing);
  std::printf("  \"ended\": true\n}\n");
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main() { return sluice::bench::run(); }
