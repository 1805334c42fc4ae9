// What the spill needs of the file system, with faults as values.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "sql/outcome.h"

namespace sluice::audit {

// Owns a file descriptor of the kernel, or none.
class File {
 public:
  explicit File(int fd = -1) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }

 private:
  int fd_;
};

// What errno says, as a fault: `cannot write /var/lib/sluice/spill/...: No space left on device`.
sql::Fault fault_of(std::string_view what, const std::filesystem::path& path);

// Flags as open() takes them.
sql::Outcome<File> open_file(const std::filesystem::path& path, int flags);
// All of them, at a place of the file.
sql::Outcome<sql::Done> write_at(const File& file, const std::filesystem::path& path, std::string_view bytes,
                                 uint64_t place);
// Fewer where the file ends.
sql::Outcome<std::string> read_at(const File& file, const std::filesystem::path& path, size_t size, uint64_t place);
// Once it has said so, a power cut does not undo it.
sql::Outcome<sql::Done> sync(const File& file, const std::filesystem::path& path);
// The same for which files a folder has.
sql::Outcome<sql::Done> sync_folder(const std::filesystem::path& folder);
// The new content or, whatever happens, the old.
sql::Outcome<sql::Done> replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace sluice::audit
