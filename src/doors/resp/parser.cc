#include "doors/resp/parser.h"

#include "doors/resp/inline_command.h"
#include "doors/resp/number.h"

namespace sluice::doors::resp {
namespace {

// Longer than any number; and what a simple string may have, since it is looked for anew on every call.
constexpr size_t kLongestNumber = 32;
constexpr size_t kLongestSimpleString = 1024;

constexpr const char* kNoArgument = "expected '$', got";

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

// Where reading has come to.
struct Cursor {
  const char* begin;
  const char* at;
  const char* end;

  size_t offset() const { return static_cast<size_t>(at - begin); }
};

enum class Read : uint8_t { kWhole, kPart, kFault };

// What one argument came to; of a fault, what is wrong.
struct ReadArgument {
  Read read = Read::kWhole;
  const char* fault = "";
};

[[gnu::always_inline]] inline ReadArgument read_bulk(Cursor& cursor, const Limits& limits, std::string_view& argument) {
  int64_t length = 0;
  switch (read_length(cursor.at, cursor.end, length)) {
    case Length::kPart: return {Read::kPart};
    case Length::kTooLong: return {Read::kFault, "too big bulk count string"};
    case Length::kNone: return {Read::kFault, "invalid bulk length"};
    case Length::kWhole: break;
  }
  const auto size = static_cast<size_t>(length);
  if (length < 0 || size > limits.argument) return {Read::kFault, "invalid bulk length"};
  if (cursor.offset() + size > limits.command) return {Read::kFault, "too big command"};
  if (static_cast<size_t>(cursor.end - cursor.at) < size + 2) return {Read::kPart};
  if (cursor.at[size] != '\r' || cursor.at[size + 1] != '\n') {
    return {Read::kFault, "a bulk string is longer than its length"};
  }
  argument = {cursor.at, size};
  cursor.at += size + 2;
  return {};
}

ReadArgument read_simple(Cursor& cursor, const Limits& limits, size_t longest, std::string_view& argument) {
  switch (read_line(cursor.at, cursor.end, longest, argument)) {
    case Line::kPart: return {Read::kPart};
    case Line::kTooLong: return {Read::kFault, "too big simple string"};
    case Line::kWhole: break;
  }
  if (cursor.offset() > limits.command) return {Read::kFault, "too big command"};
  return {};
}

[[gnu::always_inline]] inline ReadArgument read_argument(Cursor& cursor, const Limits& limits,
                                                         std::string_view& argument) {
  if (cursor.at == cursor.end) return {Read::kPart};
  const char type = *cursor.at++;
  if (type == '$') [[likely]]
    return read_bulk(cursor, limits, argument);
  if (type == ':') return read_simple(cursor, limits, kLongestNumber, argument);
  if (type == '+') return read_simple(cursor, limits, kLongestSimpleString, argument);
  return {Read::kFault, kNoArgument};
}

}  // namespace

Parsed Parser::parse(std::string_view bytes, const Limits& limits, Progress& progress) {
  if (bytes.empty()) return {};
  return bytes[0] == '*' ? parse_array(bytes, limits, progress) : parse_inline(bytes, limits, progress);
}

Parsed Parser::parse_array(std::string_view bytes, const Limits& limits, Progress& progress) {
  Cursor cursor{bytes.data(), bytes.data() + 1, bytes.data() + bytes.size()};
  int64_t count = 0;
  switch (read_length(cursor.at, cursor.end, count)) {
    case Length::kPart: return {};
    case Length::kTooLong: return fail("too big mbulk count string");
    case Length::kNone: return fail("invalid multibulk length");
    case Length::kWhole: break;
  }
  if (count > static_cast<int64_t>(limits.arguments)) return fail("invalid multibulk length");
  if (count <= 0) return {Found::kNothing, cursor.offset()};
  count_ = static_cast<size_t>(count);
  if (arguments_.size() < count_) arguments_.resize(count_);
  if (progress.offset != 0) cursor.at = cursor.begin + progress.offset;
  for (size_t i = progress.arguments; i < count_; ++i) {
    const char* const start = cursor.at;
    const ReadArgument got = read_argument(cursor, limits, arguments_[i]);
    if (got.read == Read::kWhole) [[likely]]
      continue;
    if (got.fault == kNoArgument) return fail_at(*start);
    if (got.read == Read::kFault) return fail(got.fault);
    progress = {static_cast<uint32_t>(start - cursor.begin), static_cast<uint32_t>(i)};
    return {};
  }
  if (progress.arguments == 0) return {Found::kCommand, cursor.offset()};
  // The arguments before were seen when these bytes were elsewhere.
  progress = {};
  return parse_array(bytes, limits, progress);
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

Parsed Parser::fail_at(char type) {
  const bool is_shown = type >= ' ' && type <= '~';
  return fail(std::string(kNoArgument) + " '" + (is_shown ? type : '?') + "'");
}

Parsed Parser::fail(std::string_view what) {
  fault_ = "Protocol error: ";
  fault_ += what;
  return {Found::kFault, 0};
}

}  // namespace sluice::doors::resp
