#include "rules/file/file_identity.h"

#include <sys/stat.h>

namespace sluice::rules {
namespace {

int64_t nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FileIdentity FileIdentity::of(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return {};
  return {true, found.st_dev, found.st_ino, found.st_size, nanoseconds(found.st_mtim), nanoseconds(found.st_ctim)};
}

}  // namespace sluice::rules
