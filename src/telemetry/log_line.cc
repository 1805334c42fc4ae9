#include "telemetry/log_line.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "telemetry/exposition.h"
#include "telemetry/utf8.h"

namespace sluice::telemetry {
namespace {

constexpr std::string_view kCut = "...";

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarn: return "warn";
    case LogLevel::kError: return "error";
  }
  return "error";
}

// Those of ASCII, and the 32 beyond it that terminals obey too.
bool is_control(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && static_cast<uint8_t>(character[1]) < 0xa0;
}

void append_hex(std::string& out, const char* format, uint8_t byte) {
  char buffer[8];
  std::snprintf(buffer, sizeof(buffer), format, byte);
  out += buffer;
}

// The one-letter name of a control character, or 0.
char short_name(char c) {
  switch (c) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0 || is_control(text.substr(0, length)) || c == ' ' || c == '"' || c == '=' || c == '\\') return true;
    text.remove_prefix(length);
  }
  return false;
}

}  // namespace

std::string utc_text(int64_t unix_ms) {
  using namespace std::chrono;
  constexpr int64_t kYear0 = -62'167'219'200'000;
  constexpr int64_t kYear9999 = 253'402'300'799'999;
  const sys_time<milliseconds> time{milliseconds(std::clamp(unix_ms, kYear0, kYear9999))};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return buffer;
}

void LogLine::begin(int64_t unix_ms, LogLevel level, std::string_view message) {
  const char* name = name_of(level);
  if (format_ == LogFormat::kText) {
    text_ = utc_text(unix_ms) + " " + name + std::string(6 - std::strlen(name), ' ');
    return add_plain(message, false);
  }
  text_ = R"({"time":")" + utc_text(unix_ms) + R"(","level":")" + name + R"(","message":)";
  add_json_string(message);
}

void LogLine::add(const LogField& field) {
  const bool is_json = format_ == LogFormat::kJson;
  assert(!is_json || (field.name != "time" && field.name != "level" && field.name != "message"));
  if (is_json) {
    text_ += ',';
    add_json_string(field.name);
    text_ += ':';
  } else {
    text_ += ' ';
    text_ += field.name;
    text_ += '=';
  }
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    is_json ? add_json_string(*text) : add_plain(*text, true);
  } else if (const auto* truth = std::get_if<bool>(&field.value)) {
    text_ += *truth ? "true" : "false";
  } else if (const auto* number = std::get_if<double>(&field.value)) {
    is_json && !std::isfinite(*number) ? void(text_ += "null") : append_number(text_, *number);
  } else if (const auto* whole = std::get_if<int64_t>(&field.value)) {
    text_ += std::to_string(*whole);
  } else {
    append_number(text_, std::get<uint64_t>(field.value));
  }
}

void LogLine::end() { text_ += format_ == LogFormat::kJson ? "}\n" : "\n"; }

void LogLine::add_json_string(std::string_view text) {
  const bool is_cut = text.size() > Log::kLongestValue;
  text = text.substr(0, Log::kLongestValue);
  text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0) {
      text_ += kReplacement;
    } else if (is_control(text.substr(0, length))) {
      append_hex(text_, "\\u%04x", static_cast<uint8_t>(text[length - 1]));
    } else {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  text_ += is_cut ? "...\"" : "\"";
}

// A message keeps its spaces and quotes; a value is quoted where it would not be one word.
void LogLine::add_plain(std::string_view text, bool is_value) {
  const bool is_cut = text.size() > Log::kLongestValue;
  text = text.substr(0, Log::kLongestValue);
  const bool is_quoted = is_value && needs_quotes(text);
  if (is_quoted) text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 1 && short_name(c) != 0) {
      text_ += '\\';
      text_ += short_name(c);
    } else if (length == 0 || is_control(text.substr(0, length))) {
      for (const char byte : text.substr(0, std::max<size_t>(length, 1))) {
        append_hex(text_, "\\x%02x", static_cast<uint8_t>(byte));
      }
    } else {
      if (is_quoted && (c == '"' || c == '\\')) text_ += '\\';
      text_ += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  if (is_cut) text_ += kCut;
  if (is_quoted) text_ += '"';
}

}  // namespace sluice::telemetry
