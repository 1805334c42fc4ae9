#include "telemetry/process_stats.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace sluice::telemetry {
namespace {

std::string content_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

uint64_t number_in(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// When the machine started, in seconds since 1970.
std::optional<uint64_t> boot_time() {
  const std::string stat = content_of("/proc/stat");
  constexpr std::string_view kLine = "\nbtime ";
  const size_t at = stat.find(kLine);
  if (at == stat.npos) return std::nullopt;
  return number_in(std::string_view(stat).substr(at + kLine.size()));
}

uint64_t count_fds() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (folder == nullptr) return 0;
  uint64_t count = 0;
  while (const dirent* entry = readdir(folder.get())) count += entry->d_name[0] != '.';
  // The one that is open for counting is not counted.
  return count > 0 ? count - 1 : 0;
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const size_t name_end = text.rfind(')');
  if (name_end == text.npos) return std::nullopt;
  // Fields are numbered as in proc(5): the one behind the name is the third.
  constexpr size_t kUserTicks = 14;
  constexpr size_t kSystemTicks = 15;
  constexpr size_t kStartTicks = 22;
  constexpr size_t kVirtualBytes = 23;
  constexpr size_t kResidentPages = 24;
  ProcStat stat;
  size_t at = name_end + 1;
  size_t field = 2;
  while (field < kResidentPages) {
    at = text.find_first_not_of(' ', at);
    if (at == text.npos) return std::nullopt;
    ++field;
    const std::string_view rest = text.substr(at);
    if (field == kUserTicks) stat.user_ticks = number_in(rest);
    if (field == kSystemTicks) stat.system_ticks = number_in(rest);
    if (field == kStartTicks) stat.start_ticks = number_in(rest);
    if (field == kVirtualBytes) stat.virtual_bytes = number_in(rest);
    if (field == kResidentPages) stat.resident_pages = number_in(rest);
    at = std::min(text.find(' ', at), text.size());
  }
  return stat;
}

std::optional<ProcessStats> read_process_stats() {
  const auto stat = parse_proc_stat(content_of("/proc/self/stat"));
  const auto boot = boot_time();
  if (!stat || !boot) return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  ProcessStats stats;
  stats.cpu_seconds = static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks;
  stats.resident_bytes = stat->resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  stats.virtual_bytes = stat->virtual_bytes;
  stats.open_fds = count_fds();
  stats.max_fds = files.rlim_cur;
  stats.start_time_seconds = static_cast<double>(*boot) + static_cast<double>(stat->start_ticks) / ticks;
  return stats;
}

void write_process_stats(const ProcessStats& stats, Exposition& out) {
  out.family("process_cpu_seconds_total", FamilyType::kCounter, "Total user and system CPU time spent in seconds.");
  out.sample(stats.cpu_seconds);
  out.family("process_resident_memory_bytes", FamilyType::kGauge, "Resident memory size in bytes.");
  out.sample(stats.resident_bytes);
  out.family("process_virtual_memory_bytes", FamilyType::kGauge, "Virtual memory size in bytes.");
  out.sample(stats.virtual_bytes);
  out.family("process_open_fds", FamilyType::kGauge, "Number of open file descriptors.");
  out.sample(stats.open_fds);
  out.family("process_max_fds", FamilyType::kGauge, "Maximum number of open file descriptors.");
  out.sample(stats.max_fds);
  out.family("process_start_time_seconds", FamilyType::kGauge,
             "Start time of the process since unix epoch in seconds.");
  out.sample(stats.start_time_seconds);
}

}  // namespace sluice::telemetry
