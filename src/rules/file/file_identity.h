// What tells one content of a path from another without reading it. Values; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::rules {

// Two contents may share an identity: the clock of a file system ticks only every few milliseconds.
struct FileIdentity {
  bool exists = false;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;  // also moves with permissions, which may make a file readable

  // Of what the path leads to through every symlink; one that does not exist if it leads nowhere.
  static FileIdentity of(const std::string& path);

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

}  // namespace sluice::rules
