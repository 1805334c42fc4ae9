#include "cli/output.h"

#include <cerrno>
#include <cstring>

#include "cli/command.h"

namespace sluice::cli {

void Output::flush() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), stream_) != buffer_.size()) error_ = errno;
  buffer_.clear();
}

int Output::finish() {
  flush();
  if (error_ == 0 && std::fflush(stream_) != 0) error_ = errno;
  if (error_ == 0 || error_ == EPIPE) return kSuccess;
  return fail({fmt::format("cannot write the output: {}", std::strerror(error_)), "", kFailed});
}

int fail(const Failure& failure) {
  std::string text = failure.message + "\n";
  if (!failure.hint.empty()) text += "  hint: " + failure.hint + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return failure.exit_code;
}

}  // namespace sluice::cli
