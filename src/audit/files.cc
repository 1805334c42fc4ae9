#include "audit/files.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace sluice::audit {
namespace {

constexpr mode_t kForUsAlone = 0600;

sql::Trouble trouble_of(int error) {
  switch (error) {
    case EROFS:
    case EACCES:
    case EPERM: return sql::Trouble::kReadOnly;
    case ENOSPC:
    case EDQUOT: return sql::Trouble::kFull;
    case EWOULDBLOCK: return sql::Trouble::kBusy;
    default: return sql::Trouble::kBroken;
  }
}

}  // namespace

sql::Fault fault_of(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  return {trouble_of(error), "cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(error)};
}

sql::Outcome<File> open_file(const std::filesystem::path& path, int flags) {
  File file(open(path.c_str(), flags | O_CLOEXEC, kForUsAlone));
  if (file.fd() < 0) return fault_of("open", path);
  return file;
}

sql::Outcome<sql::Done> write_at(const File& file, const std::filesystem::path& path, std::string_view bytes,
                                 uint64_t place) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file.fd(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fault_of("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
    place += static_cast<uint64_t>(written);
  }
  return sql::Done{};
}

sql::Outcome<std::string> read_at(const File& file, const std::filesystem::path& path, size_t size, uint64_t place) {
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got = pread(file.fd(), bytes.data() + filled, size - filled, static_cast<off_t>(place + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fault_of("read", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

sql::Outcome<sql::Done> sync(const File& file, const std::filesystem::path& path) {
  if (fdatasync(file.fd()) != 0) return fault_of("sync", path);
  return sql::Done{};
}

sql::Outcome<sql::Done> sync_folder(const std::filesystem::path& folder) {
  const auto file = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!file) return file.fault();
  return sync(*file, folder);
}

sql::Outcome<sql::Done> replace_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path next = path;
  next += ".new";
  {
    const auto file = open_file(next, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file) return file.fault();
    if (auto done = write_at(*file, next, content, 0); !done) return done;
    if (auto done = sync(*file, next); !done) return done;
  }
  if (rename(next.c_str(), path.c_str()) != 0) return fault_of("replace", path);
  return sync_folder(path.parent_path());
}

}  // namespace sluice::audit
