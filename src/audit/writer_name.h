// Who writes, and under which numbers: kept in a folder, so that those who write one after another are one writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sql/outcome.h"

namespace sluice::audit {

// Numbers are reserved on disk before they are used, many at once, and begin at the microseconds since 1970 where those
// are further. So a number comes twice neither after kill -9 nor when the folder is restored from an older copy.
class WriterName {
 public:
  // For a process with no folder: a name of its own, and numbers that end with it.
  WriterName();
  // The name in the folder, or a new one that is put there.
  static sql::Outcome<WriterName> load(const std::filesystem::path& folder);

  const std::string& name() const { return name_; }
  int64_t next_number();

 private:
  sql::Outcome<sql::Done> reserve();

  std::filesystem::path file_;
  std::string name_;
  int64_t next_;
  int64_t reserved_ = INT64_MAX;  // below this
};

}  // namespace sluice::audit
