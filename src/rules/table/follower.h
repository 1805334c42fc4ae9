// Keeps rules in step with their table: loads it at the start, when it changes and when poked. Bad rows and a database
// that is away leave the last good rules in force; one that is away is asked again, ever more patiently. One that is
// busy counts as away after a while, though its connection is kept.
//
// Owns one thread. The functions that it is given are called in the constructor, then on that thread only, one at a
// time; they must not destroy the Follower. All else may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "net/descriptor.h"
#include "rules/language/source.h"
#include "rules/table/load_snapshot.h"
#include "rules/table/rule_table.h"
#include "rules/table/table_opener.h"
#include "sql/outcome.h"

namespace sluice::rules {

class Follower final : public Source {
 public:
  struct Options {
    TableName name;
    // The last good rows are kept here, and read at a start without the database or with bad rows; empty: they are not.
    std::filesystem::path snapshot_file{};
    std::chrono::milliseconds first_retry{100};
    std::chrono::milliseconds longest_retry{5000};
    std::chrono::milliseconds longest_busy{3000};  // before it is told
  };

  // Loads once before it returns: status() then tells whether there are rules, and if not, why.
  Follower(Options options, TableOpener open, SourceListener listener);
  // Waits for what the database is being asked, and for nothing else.
  ~Follower() override;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  SourceStatus status() const override;
  void poke() override;

 private:
  void start();
  void run();
  void wait();
  // Opens the table where that is due, and loads it if it has changed.
  void look(bool is_asked);
  void load(bool is_asked);
  void load_from_file();
  void load_copy_beside();
  void put_in_force(const Loaded& loaded, bool is_current);
  void save(const Snapshot& snapshot);
  void lose(const sql::Fault& fault);
  // Whether it has been busy for too short a time to be told.
  bool is_briefly_busy(const sql::Fault& fault);
  void tell_back();
  Fault fault_of_table(std::string message) const;
  void complain(std::string message, std::string hint);
  std::chrono::milliseconds patience();

  const Options options_;
  const TableOpener open_;
  const SourceListener listener_;
  const net::Descriptor wake_;

  // Of the thread.
  std::unique_ptr<RuleTable> table_;  // none: away
  Snapshot seen_;                     // what was last loaded, good or bad
  bool has_seen_ = false;
  std::optional<std::chrono::steady_clock::time_point> busy_since_;
  std::chrono::milliseconds retry_;
  std::minstd_rand jitter_;

  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_poked_{false};
  mutable std::mutex mutex_;
  SourceStatus status_;  // under mutex_
  std::thread thread_;
};

}  // namespace sluice::rules
