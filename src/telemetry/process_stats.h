// What the system says of this process: memory, time, descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "telemetry/exposition.h"

namespace sluice::telemetry {

struct ProcessStats {
  double cpu_seconds = 0;
  uint64_t resident_bytes = 0;
  uint64_t virtual_bytes = 0;
  uint64_t open_fds = 0;
  uint64_t max_fds = 0;
  double start_time_seconds = 0;  // since 1970
};

// Nothing where /proc is not to be had. Takes some tens of microseconds.
std::optional<ProcessStats> read_process_stats();

// As the families that every client library of Prometheus has: process_cpu_seconds_total and so on.
void write_process_stats(const ProcessStats& stats, Exposition& out);

// The figures of /proc/self/stat: names of programs may have blanks and brackets in them.
struct ProcStat {
  uint64_t user_ticks = 0;
  uint64_t system_ticks = 0;
  uint64_t start_ticks = 0;  // since the machine started
  uint64_t virtual_bytes = 0;
  uint64_t resident_pages = 0;
};
std::optional<ProcStat> parse_proc_stat(std::string_view text);

}  // namespace sluice::telemetry
