// One connection to a SQLite file: opened with care, bounded in time, its faults told in sentences.
//
// Used by one thread at a time. Every commit is on the disk before it is acknowledged (WAL with synchronous=FULL): with
// NORMAL, what was acknowledged since the last checkpoint is gone after a power cut.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sql/outcome.h"

struct sqlite3;

namespace sluice::sql::sqlite {

class Statement;

enum class Access : uint8_t {
  kWrite,          // makes the file, and its folder, where there is none
  kWriteExisting,  // kAway where there is none: somebody has taken it away, and an empty one would be no substitute
  kReadOnly,       // the file is there, and nothing is changed
};

struct Options {
  Access access = Access::kWrite;
  std::chrono::milliseconds longest_wait{2'000};        // for others that hold the file: then kBusy
  std::chrono::milliseconds longest_statement{10'000};  // for one statement at work: then kBusy
};

class Database {
 public:
  // Any schema, or none: see open_migrated in migrations.h.
  static Outcome<std::unique_ptr<Database>> open(const std::string& path, const Options& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Readers and the writer do not wait for one another. Kept in the file: one that is not ours must not get it.
  Outcome<Done> use_write_ahead_log();

  // What is wrong with the text is told by its first step.
  Statement prepare(std::string_view sql);
  // One statement or several, without values.
  Outcome<Done> execute(const char* sql);
  // The one number that a statement returns.
  Outcome<int64_t> number(const char* sql);

  // How many rows the last INSERT, UPDATE or DELETE touched, triggers aside.
  int64_t changed_rows() const;
  bool is_in_transaction() const;
  // For the begin of what is asked. kAway once the path leads to another file than the one that is open, or to none:
  // what is written would be lost. Opens anew what could be read only as a file that never changes, once it has.
  Outcome<Done> check_in_place();

  const std::string& path() const { return path_; }
  Access access() const { return options_.access; }

 private:
  friend class Statement;
  using Clock = std::chrono::steady_clock;
  struct Closer {
    void operator()(sqlite3* connection) const;
  };

  Database(std::string path, const Options& options) : path_(std::move(path)), options_(options) {}
  Outcome<Done> connect_and_configure(int flags);
  Outcome<Done> connect(const std::string& name, int flags);
  Outcome<Done> connect_to_what_never_changes(const Fault& otherwise);
  Outcome<Done> configure();
  bool others_changed_it() const;
  // Of the call that just failed.
  Fault fault(int code) const;
  void start_clock() { deadline_ = Clock::now() + options_.longest_statement; }
  static int is_late(void* database);

  const std::string path_;
  const Options options_;
  // Of a file that is read as one that never changes.
  std::optional<int64_t> unchanged_since_;
  std::unique_ptr<sqlite3, Closer> connection_;
  Clock::time_point deadline_{};
};

}  // namespace sluice::sql::sqlite
