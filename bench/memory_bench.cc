// Fills a Limiter with buckets that are not full, and prints as JSON what they cost: resident memory for each key, and
// the longest that any one call took, in wall time and in CPU time of its thread.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

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
class LongestCall {
 public:
  void begin() {
    wall_ = read_ns(CLOCK_MONOTONIC);
    cpu_ = read_ns(CLOCK_THREAD_CPUTIME_ID);
  }

  void call_ended() {
    const int64_t wall = read_ns(CLOCK_MONOTONIC);
    const int64_t took = wall - wall_;
    wall_ = wall;
    wall_ns_ = std::max(wall_ns_, took);
    if (took < kWorthALook && ++calls_ % kCallsBetweenReadings != 0) return;
    const int64_t cpu = read_ns(CLOCK_THREAD_CPUTIME_ID);
    const int64_t spent = std::min(took, cpu - cpu_);
    if (took >= kWorthALook) cpu_ns_ = std::max(cpu_ns_, spent);
    if (spent > kPause) ++pauses_;
    cpu_ = cpu;
  }

  double wall_us() const { return static_cast<double>(wall_ns_) / 1000; }
  // Calls above a millisecond of CPU time.
  uint64_t pauses() const { return pauses_; }
  double cpu_us() const { return static_cast<double>(cpu_ns_) / 1000; }

 private:
  // Reading a thread's CPU time is slow. It is read now and then, and when a call took long: what is told is then too
  // long by what the few calls since the last reading took.
  static constexpr int64_t kWorthALook = 20'000;
  static constexpr int64_t kPause = 1'000'000;
  static constexpr uint64_t kCallsBetweenReadings = 32;

  int64_t wall_ = 0;
  int64_t cpu_ = 0;
  int64_t wall_ns_ = 0;
  int64_t cpu_ns_ = 0;
  uint64_t calls_ = 0;
  uint64_t pauses_ = 0;
};

LongestCall fill(Limiter& limiter, uint64_t keys) {
  std::string key;
  LongestCall longest;
  longest.begin();
  for (uint64_t i = 0; i < keys; ++i) {
    key.clear();
    KeySequence::append_key(key, i);
    limiter.take(key);
    longest.call_ended();
  }
  return longest;
}

// What the machine itself asks for memory that nobody has touched yet: no call that grows can be shorter.
LongestCall touch_fresh_memory(size_t bytes) {
  LongestCall longest;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return longest;
  madvise(memory, bytes, MADV_HUGEPAGE);
  longest.begin();
  for (size_t at = 0; at < bytes; at += kPage) {
    static_cast<volatile char*>(memory)[at] = 1;
    longest.call_ended();
  }
  munmap(memory, bytes);
  return longest;
}

// A token takes 1000 s to come back, longer than the program runs: every bucket stays.
Limiter make_limiter(bool huge_pages) {
  return *Limiter::create(*Limit::token_bucket(0.001, 1000),
                          {.max_bytes = uint64_t{2} << 30, .huge_pages = huge_pages});
}

LongestCall fill_in_small_pages(uint64_t keys) {
  Limiter limiter = make_limiter(false);
  return fill(limiter, keys);
}

int run() {
  const uint64_t keys = max_keys();
  Limiter limiter = make_limiter(true);
  limiter.take("warm");
  const int64_t before = resident_bytes();
  const LongestCall longest = fill(limiter, keys);
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
  const LongestCall fresh = touch_fresh_memory(static_cast<size_t>(after - before));
  const LongestCall small_pages = fill_in_small_pages(keys);
  const double count = static_cast<double>(keys);
  std::printf("{\n  \"keys\": %" PRIu64 ",\n", keys);
  std::printf("  \"resident_bytes_per_key\": %.2f,\n", static_cast<double>(after - before) / count);
  std::printf("  \"counted_bytes_per_key\": %.2f,\n", static_cast<double>(stats.bytes) / count);
  std::printf("  \"longest_call_wall_us\": %.1f,\n", longest.wall_us());
  std::printf("  \"longest_call_cpu_us\": %.1f,\n", longest.cpu_us());
  std::printf("  \"calls_above_1_ms_cpu\": %" PRIu64 ",\n", longest.pauses());
  std::printf("  \"longest_call_in_small_pages_cpu_us\": %.1f,\n", small_pages.cpu_us());
  std::printf("  \"longest_fresh_page_cpu_us\": %.1f,\n", fresh.cpu_us());
  std::printf("  \"fresh_pages_above_1_ms_cpu\": %" PRIu64 "\n}\n", fresh.pauses());
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main() { return sluice::bench::run(); }
