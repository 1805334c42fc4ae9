#include "doors/resp/parser.h"

#include "doors/resp/inline_command.h"
#include "doors/resp/number.h"

namespace sluice::doors::resp {
namespace {

// Longer than any number; and what a simple string may have, since it is looked for anew on every call.
constexpr size_t kLongestNumber = 32;
constexpr size_t kLongestSimpleString = 1024;

enum class Line : uint8_t { kWhole, kPart, kTooLong };

// The line that starts at `at`, without its end; moves `at` behind it.
Line read_line(const char*& at, const char* end, size_t longest, std::string_view& line) {
  const auto there = static_cast<size_t>(end - at);
  const std::string_view text(at, there < longest + 2 ? there : longest + 2);
  const size_t size = text.find("\r\n");
  if (size == std::string_view::npos) return there >= longest + 2 ? Line::kTooLong : Line::kPart;
  line = text.substr(0, size);
  at += size + 2;
  return Line::kWhole;
}

enum class Length : uint8_t { kWhole, kPart, kTooLong, kNone };

// `12\r\n`. Nearly all lengths have one or two digits.
[[gnu::always_inline]] inline Length read_length(const char*& at, const char* end, int64_t& length) {
  if (end - at >= 4) {
    const auto first = static_cast<unsigned>(at[0] - '0');
    if (first <= 9 && at[1] == '\r' && at[2] == '\n') {
      length = first;
      at += 3;
      return Length::kWhole;
    }
    const auto second = static_cast<unsigned>(at[1] - '0');
    if (first <= 9 && second <= 9 && at[2] == '\r' && at[3] == '\n') {
      length = first * 10 + second;
      at += 4;
      return Length::kWhole;
    }
  }
  std::string_view line;
  switch (read_line(at, end, kLongestNumber, line)) {
    case Line::kPart: return Length::kPart;
    case Line::kTooLong: return Length::kTooLong;
    case Line::kWhole: break;
  }
  return read_integer(line, length) ? Length::kWhole : Length::kNone;
}

}  // namespace

Parsed Parser::parse(std::string_view bytes, const Limits& limits, Progress& progress) {
  if (bytes.empty()) return {};
  return bytes[0] == '*' ? parse_array(bytes, limits, progress) : parse_inline(bytes, limits, progress);
}

Parsed Parser::parse_array(std::string_view bytes, const Limits& limits, Progress& progress) {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  const char* at = begin + 1;
  int64_t count = 0;
  switch (read_length(at, end, count)) {
    case Length::kPart: return {};
    case Length::kTooLong: return fail("too big mbulk count string");
    case Length::kNone: return fail("invalid multibulk length");
    case Length::kWhole: break;
  }
  if (count > static_cast<int64_t>(limits.arguments)) return fail("invalid multibulk length");
  if (count <= 0) return {Found::kNothing, static_cast<size_t>(at - begin)};
  count_ = static_cast<size_t>(count);
  if (arguments_.size() < count_) arguments_.resize(count_);
  if (progress.offset != 0) at = begin + progress.offset;
  for (size_t i = progress.arguments; i < count_; ++i) {
    const char* const start = at;
    const auto part = [&] {
      progress = {static_cast<uint32_t>(start - begin), static_cast<uint32_t>(i)};
      return Parsed{};
    };
    if (at == end) return part();
    if (*at == '$') [[likely]] {
      ++at;
      int64_t length = 0;
      switch (read_length(at, end, length)) {
        case Length::kPart: return part();
        case Length::kTooLong: return fail("too big bulk count string");
        case Length::kNone: return fail("invalid bulk length");
        case Length::kWhole: break;
      }
      if (length < 0 || length > static_cast<int64_t>(limits.argument)) return fail("invalid bulk length");
      if (static_cast<size_t>(at - begin) + static_cast<size_t>(length) > limits.command)
        return fail("too big command");
      if (end - at < length + 2) return part();
      if (at[length] != '\r' || at[length + 1] != '\n') return fail("a bulk string is longer than its length");
      arguments_[i] = {at, static_cast<size_t>(length)};
      at += length + 2;
    } else if (*at == ':' || *at == '+') {
      const size_t longest = *at == ':' ? kLongestNumber : kLongestSimpleString;
      ++at;
      switch (read_line(at, end, longest, arguments_[i])) {
        case Line::kPart: return part();
        case Line::kTooLong: return fail("too big simple string");
        case Line::kWhole: break;
      }
    } else {
      return fail(std::string("expected '$', got '") + (*at >= ' ' && *at <= '~' ? *at : '?') + "'");
    }
  }
  if (progress.arguments != 0) {
    // The arguments before were seen when these bytes were elsewhere.
    progress = {};
    return parse_array(bytes, limits, progress);
  }
  return {Found::kCommand, static_cast<size_t>(at - begin)};
}

Parsed Parser::parse_inline(std::string_view bytes, const Limits& limits, Progress& progress) {
  const size_t size = bytes.substr(0, limits.inline_line + 1).find('\n', progress.offset);
  if (size == std::string_view::npos) {
    if (bytes.size() > limits.inline_line) return fail("too big inline request");
    progress.offset = static_cast<uint32_t>(bytes.size());
    return {};
  }
  std::string_view line = bytes.substr(0, size);
  if (line.ends_with('\r')) line.remove_suffix(1);
  arguments_.clear();
  if (!split_inline(line, unquoted_, arguments_)) return fail("unbalanced quotes in request");
  if (arguments_.size() > limits.arguments) return fail("invalid multibulk length");
  count_ = arguments_.size();
  return {count_ == 0 ? Found::kNothing : Found::kInline, size + 1};
}

Parsed Parser::fail(std::string_view what) {
  fault_ = "Protocol error: ";
  fault_ += what;
  return {Found::kFault, 0};
}

}  // namespace sluice::doors::resp
