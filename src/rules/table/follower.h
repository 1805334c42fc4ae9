// Keeps rules in step with their table: loads it at the start, when it changes and when poked. Bad rows and a database
// that is away leave the last good rules in force; one that is away is asked again, ever more patiently.
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
    // The last good rows are kept here, and read at a start without the database; empty: they are not.
    std::filesystem::path snapshot_file{};
    std::chrono::milliseconds first_retry{100};
    std::chrono::milliseconds longest_retry{5000};
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
  void load_from_file(const sql::Fault& fault);
  void put_in_force(const Loaded& loaded, bool is_current);
  void save(const Snapshot& snapshot);
  void lose(const sql::Fault& fault);
  void tell_back();
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
  std::chrono::milliseconds retry_;
  std::minstd_rand jitter_;

  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_poked_{false};
  mutable std::mutex mutex_;
  SourceStatus status_;  // under mutex_
  std::thread thread_;
};

}  // namespace sluice::rules
