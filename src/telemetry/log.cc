#include "telemetry/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>

#include "telemetry/log_line.h"

namespace sluice::telemetry {
namespace {

class StderrSink final : public LineSink {
 public:
  void write(std::string_view line) override {
    // A file or a pipe takes a line whole; only what is left of a short write needs another.
    for (int tries = 0; !line.empty() && tries < 16; ++tries) {
      const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
      if (written < 0 && errno != EINTR) return;
      if (written > 0) line.remove_prefix(static_cast<size_t>(written));
    }
  }
};

class SystemWallTime final : public WallTime {
 public:
  int64_t unix_ms() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
};

}  // namespace

LineSink& stderr_sink() {
  static StderrSink sink;
  return sink;
}

WallTime& system_wall_time() {
  static SystemWallTime time;
  return time;
}

void Log::write(LogLevel level, std::string_view message, LogFields fields) {
  if (is_on(level)) write_line(level, message, fields, 0);
}

void Log::write_seldom(Repeats& repeats, LogLevel level, std::string_view message, LogFields fields) {
  if (!is_on(level)) return;
  if (const auto swallowed = repeats.let_through(options_.time.unix_ms())) {
    write_line(level, message, fields, *swallowed);
  }
}

void Log::write_line(LogLevel level, std::string_view message, LogFields fields, uint64_t swallowed) {
  LogLine line(options_.format);
  line.begin(options_.time.unix_ms(), level, message);
  for (const LogField& field : fields) line.add(field);
  if (swallowed > 0) line.add({"swallowed", swallowed});
  line.end();
  const std::lock_guard lock(mutex_);
  options_.sink.write(line.text());
}

}  // namespace sluice::telemetry
