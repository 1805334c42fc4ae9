#include <ctime>

#include "clock/counter_clock.h"
#include "sluice/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace sluice {
namespace {

int64_t kernel_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class KernelClock final : public Clock {
 public:
  Instant now() override { return Instant(kernel_ns()); }
};

#if defined(__x86_64__)
struct TimeStamp {
  static uint64_t counter() { return __rdtsc(); }
  static int64_t reference_ns() { return kernel_ns(); }
};

// Ticks at one rate, whatever the processor's speed and sleep.
bool has_steady_time_stamp() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
}
#endif

}  // namespace

Clock& system_clock() {
#if defined(__x86_64__)
  static Clock& clock = has_steady_time_stamp() ? static_cast<Clock&>(*new CounterClock<TimeStamp>)
                                                : static_cast<Clock&>(*new KernelClock);
#else
  static Clock& clock = *new KernelClock;
#endif
  return clock;
}

}  // namespace sluice
