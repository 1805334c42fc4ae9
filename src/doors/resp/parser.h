// Bytes of the Redis protocol as commands: arrays of bulk strings, and inline commands. Arguments are views: into the
// bytes or, for inline commands, into the parser's own memory. One for each event loop. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::doors::resp {

// Whoever goes beyond one of these is told so, and the connection is closed.
struct Limits {
  size_t arguments = 1024;
  size_t argument = size_t{512} << 10;
  size_t command = size_t{1} << 20;
  size_t inline_line = size_t{64} << 10;

  // Those who have yet to say the token need no more.
  static Limits before_authentication() { return {10, size_t{16} << 10, size_t{64} << 10, size_t{16} << 10}; }
};

// How much of a command that is not whole was looked at: kept between calls, so that nothing is looked at twice.
struct Progress {
  uint32_t offset = 0;     // from the command's first byte
  uint32_t arguments = 0;  // whole ones before it
};

enum class Found : uint8_t {
  kCommand,  // arguments() has one or more
  kInline,   // the same, but the arguments are gone with the next call
  kNothing,  // bytes that mean nothing: an empty line, an empty array
  kPart,     // the rest is yet to come
  kFault,    // no such protocol: fault() says why
};

struct Parsed {
  Found found = Found::kPart;
  size_t size = 0;  // bytes it took
};

class Parser {
 public:
  // What stands first in `bytes`. `progress` starts as {}, and belongs to these bytes until they are found whole.
  Parsed parse(std::string_view bytes, const Limits& limits, Progress& progress);

  std::span<const std::string_view> arguments() const { return {arguments_.data(), count_}; }
  // `Protocol error: ...`. Valid until the next call.
  std::string_view fault() const { return fault_; }

 private:
  Parsed parse_array(std::string_view bytes, const Limits& limits, Progress& progress);
  Parsed parse_inline(std::string_view bytes, const Limits& limits, Progress& progress);
  Parsed fail(std::string_view what);
  Parsed fail_at(char type);

  std::vector<std::string_view> arguments_;
  size_t count_ = 0;
  std::string unquoted_;
  std::string fault_;
};

}  // namespace sluice::doors::resp
