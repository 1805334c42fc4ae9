// Batches that the table did not take yet, on disk, in the order of their numbers: bounded, and whole after kill -9.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "audit/files.h"
#include "audit/spill_file.h"
#include "audit/tally.h"
#include "audit/violation.h"
#include "audit/writer_name.h"
#include "sql/outcome.h"

namespace sluice::audit {

// What gives way when there is no room.
enum class Drop : uint8_t { kOldest, kNewest };

// For one thread. One folder is for one process at a time.
class Spill {
 public:
  struct Options {
    std::filesystem::path folder;  // made if it is not there; its parent must be
    uint64_t bytes = uint64_t{256} << 20;
    Drop drop = Drop::kOldest;
  };

  // With what earlier processes left. Fails where the folder cannot be written, or another process has it.
  static sql::Outcome<std::unique_ptr<Spill>> open(const Options& options);

  WriterName& writer() { return writer_; }

  // Kept when this returns a value: how much older there was that had to give way to it. A fault: this batch is not
  // kept; kFull where the bound or the disk left no room.
  sql::Outcome<Tally> add(const Batch& batch);

  bool empty() const { return files_.empty(); }
  const Tally& left() const { return left_; }
  uint64_t bytes() const { return bytes_; }
  // What a process that died had not finished writing, at open().
  uint64_t cut_bytes() const { return cut_bytes_; }

  // The oldest. A fault: its file cannot be read, and is given up, with how much was in it. REQUIRES: not empty().
  sql::Outcome<std::shared_ptr<const Batch>> front();
  Tally give_up();
  // The table has it, or never will. REQUIRES: front() was good, and nothing was added since that made it give way:
  // otherwise nothing happens.
  void pop(const Batch& batch);

 private:
  Spill(const Options& options, File lock, WriterName writer)
      : options_(options), lock_(std::move(lock)), writer_(std::move(writer)) {}

  sql::Outcome<sql::Done> find_files();
  sql::Outcome<sql::Done> begin_file(int64_t number);
  Tally drop_oldest_file();

  const Options options_;
  File lock_;
  WriterName writer_;
  std::deque<SpillFile> files_;  // each has something left
  bool is_last_open_ = false;    // for more batches
  std::shared_ptr<const Batch> front_;
  Tally left_;
  uint64_t bytes_ = 0;
  uint64_t cut_bytes_ = 0;
};

}  // namespace sluice::audit
