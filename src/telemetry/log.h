// What happens, line by line, for people or for programs:
//   2026-01-02T03:04:05.678Z info  listening door=http address=127.0.0.1:8080
//   {"time":"2026-01-02T03:04:05.678Z","level":"info","message":"listening","door":"http","address":"127.0.0.1:8080"}
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <variant>

#include "telemetry/repeats.h"

namespace sluice::telemetry {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };
enum class LogFormat : uint8_t { kText, kJson };

// A name, which is ours, and a value, which may be any bytes.
struct LogField {
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool>;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, bool truth) : name(field), value(truth) {}
  LogField(std::string_view field, double number) : name(field), value(number) {}
  LogField(std::string_view field, std::signed_integral auto number) : name(field), value(int64_t{number}) {}
  LogField(std::string_view field, std::unsigned_integral auto number) : name(field), value(uint64_t{number}) {}

  std::string_view name;
  Value value;
};
using LogFields = std::initializer_list<LogField>;

// Where lines go. Each has its line end. Called by one thread at a time; must not fail loudly.
class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual void write(std::string_view line) = 0;
};

// Milliseconds since 1970. Thread-safe.
class WallTime {
 public:
  virtual ~WallTime() = default;
  virtual int64_t unix_ms() = 0;
};

// One write() for each line. What a full or closed pipe does not take is lost: a log never stops the server.
LineSink& stderr_sink();
WallTime& system_wall_time();

// Thread-safe. A line is bounded, and nothing in it can disturb a terminal or look like another line.
class Log {
 public:
  static constexpr size_t kLongestValue = 1'024;

  struct Options {
    LogFormat format = LogFormat::kText;
    LogLevel level = LogLevel::kInfo;
    LineSink& sink = stderr_sink();
    WallTime& time = system_wall_time();
  };

  Log() : Log(Options{}) {}
  explicit Log(const Options& options) : options_(options) {}

  bool is_on(LogLevel level) const { return level >= options_.level; }

  void debug(std::string_view message, LogFields fields = {}) { write(LogLevel::kDebug, message, fields); }
  void info(std::string_view message, LogFields fields = {}) { write(LogLevel::kInfo, message, fields); }
  void warn(std::string_view message, LogFields fields = {}) { write(LogLevel::kWarn, message, fields); }
  void error(std::string_view message, LogFields fields = {}) { write(LogLevel::kError, message, fields); }

  void write(LogLevel level, std::string_view message, LogFields fields);
  // For what may happen a thousand times a second: at most one line in the interval of `repeats`, which tells in a
  // field `swallowed` how many there were not.
  void write_seldom(Repeats& repeats, LogLevel level, std::string_view message, LogFields fields = {});

 private:
  void write_line(LogLevel level, std::string_view message, LogFields fields, uint64_t swallowed);

  const Options options_;
  std::mutex mutex_;
};

}  // namespace sluice::telemetry
