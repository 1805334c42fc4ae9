// For tests that bound how long something takes: CPU time, for machines are busy, and as if no sanitizer watched.
#pragma once

#include <ctime>

namespace sluice {

// What sanitizers make of a second, roughly and at most.
#if defined(__SANITIZE_THREAD__)
inline constexpr double kSlowdown = 30;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr double kSlowdown = 10;
#else
inline constexpr double kSlowdown = 1;
#endif

class CpuStopwatch {
 public:
  // Seconds since it was made, of this process.
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC / kSlowdown; }

 private:
  const std::clock_t start_ = std::clock();
};

}  // namespace sluice
