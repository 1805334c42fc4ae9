// Where commands print: data to stdout, trouble to stderr.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace sluice::cli {

// Buffers what goes to a stream, and notices when nobody reads it any more. Not thread-safe.
class Output {
 public:
  explicit Output(std::FILE* stream = stdout) : stream_(stream) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    buffer_.append(text);
    flush_if_large();
  }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    flush_if_large();
  }

  // False once a write has failed: whoever prints much may as well stop.
  bool is_open() const { return error_ == 0; }

  // Writes what is left. A reader that went away (`| head`) is no failure; a full disk is, and is reported.
  int finish();

 private:
  void flush();
  void flush_if_large() {
    constexpr size_t kLarge = 1 << 16;
    if (buffer_.size() >= kLarge) flush();
  }

  std::FILE* stream_;
  std::string buffer_;
  int error_ = 0;
};

// One line that says where, what and what to do; and, unless it is empty, a hint beneath it.
struct Failure {
  std::string message;
  std::string hint;
  int exit_code;
};

// Prints the failure to stderr and answers with its exit code.
int fail(const Failure& failure);

}  // namespace sluice::cli
