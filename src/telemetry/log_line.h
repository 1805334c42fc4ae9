// One line of the log while it is written.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/log.h"

namespace sluice::telemetry {

// "2026-01-02T03:04:05.678Z". Of years from 0 to 9999; others are cut to those.
std::string utc_text(int64_t unix_ms);

// Calls in this order: begin, add as often as needed, end.
class LogLine {
 public:
  explicit LogLine(LogFormat format) : format_(format) {}

  void begin(int64_t unix_ms, LogLevel level, std::string_view message);
  void add(const LogField& field);
  void end();

  std::string_view text() const { return text_; }

 private:
  void add_json_string(std::string_view text);
  void add_plain(std::string_view text, bool is_value);

  const LogFormat format_;
  std::string text_;
};

}  // namespace sluice::telemetry
