#include "rules/language/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "net/descriptor.h"

namespace sluice::rules::language {
namespace {

Problem last_error() { return {std::strerror(errno), ""}; }

}  // namespace

std::variant<std::string, Problem> read_file(const std::filesystem::path& path, size_t most) {
  if (path.native().find('\0') != std::string::npos) return Problem{"its name has a zero byte", ""};
  // A pipe without a writer would block an ordinary open.
  const net::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return last_error();
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return last_error();
  if (S_ISDIR(status.st_mode)) return Problem{"it is a folder", ""};
  if (!S_ISREG(status.st_mode)) return Problem{"it is no regular file", ""};
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t length = read(file.get(), buffer, sizeof(buffer));
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return last_error();
    if (length == 0) return content;
    content.append(buffer, static_cast<size_t>(length));
    if (content.size() > most) return Problem{"it has more than " + std::to_string(most) + " bytes", ""};
  }
}

}  // namespace sluice::rules::language
