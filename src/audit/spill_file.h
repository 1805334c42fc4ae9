// Batches one behind the other in a file, each with its length and a checksum.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "audit/files.h"
#include "audit/tally.h"
#include "audit/violation.h"
#include "sql/outcome.h"

namespace sluice::audit {

// For one thread. Batches are read in the order in which they were added.
class SpillFile {
 public:
  // Must not be there yet.
  static sql::Outcome<SpillFile> create(std::filesystem::path path);
  // One that an earlier process left. Whatever does not end as a whole batch is cut off: it was being written when that
  // process died, and counts as never added.
  static sql::Outcome<SpillFile> reopen(std::filesystem::path path);

  // Once it has said so, the batch outlives this process and a power cut. Otherwise it is not in the file. `record` is
  // made by record_of().
  sql::Outcome<sql::Done> add(std::string_view record, const Tally& tally);
  static std::string record_of(const Batch& batch);

  // What is yet to be read.
  const Tally& left() const { return left_; }
  uint64_t bytes() const { return size_; }
  // How much reopen() cut off.
  uint64_t cut_bytes() const { return cut_bytes_; }

  // The first that was not passed. REQUIRES: there is one.
  sql::Outcome<Batch> front();
  // REQUIRES: front() was good.
  void pass();

  // Takes it from the disk. What fails is found by the next process, and written once as ever.
  void remove() const;

 private:
  struct Header;

  SpillFile(std::filesystem::path path, File file) : path_(std::move(path)), file_(std::move(file)) {}
  sql::Outcome<sql::Done> find_end();
  sql::Outcome<std::string> read_record(uint64_t place);

  std::filesystem::path path_;
  File file_;
  uint64_t size_ = 0;
  uint64_t place_ = 0;  // of the front
  uint64_t next_ = 0;   // of what stands behind the last that was read
  Tally front_;
  Tally left_;
  uint64_t cut_bytes_ = 0;
};

}  // namespace sluice::audit
