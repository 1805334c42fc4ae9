// What the writer's thread does. For the writer alone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "audit/writer.h"

namespace sluice::audit {

// All is under one mutex, which the thread holds but while it waits or asks the table. So whoever stops it finds
// everything in order even where the table hangs.
class Writer::Work : public std::enable_shared_from_this<Work> {
 public:
  Work(Ports ports, WriterOptions options);

  void start();
  void stop(std::chrono::milliseconds deadline);
  WriterStatus status() const;

 private:
  using Clock = TableLink::Clock;
  using Lock = std::unique_lock<std::mutex>;
  using SharedBatch = std::shared_ptr<const Batch>;

  void run();
  void step(Lock& lock);
  Clock::time_point next_step() const;
  void finish(Lock& lock);

  void open_spill();
  void collect();
  bool has_work() const { return in_hand_ != nullptr || !collection_.empty() || has_spilled(); }
  bool has_spilled() const { return spill_ != nullptr && !spill_->empty(); }
  bool is_late(Clock::time_point now) const;
  SharedBatch take_batch();
  void deliver(Lock& lock);
  void settle(const SharedBatch& batch, const sql::Outcome<sql::Done>& outcome);
  void put_aside(const SharedBatch& batch);
  void spill_all();
  void drop_rest();
  void retain(Lock& lock);
  void pace(size_t rows);
  void fail(const sql::Fault& fault);

  // Asks the table with the mutex open.
  template <class T, class Ask>
  sql::Outcome<T> ask(Lock& lock, const Ask& ask);

  const Ports ports_;
  const WriterOptions options_;
  const double rows_per_second_;
  mutable std::mutex mutex_;  // for all below
  std::condition_variable wakes_;
  std::thread thread_;
  bool is_stopping_ = false;
  bool is_done_ = false;
  bool is_abandoned_ = false;  // the thread touches nothing any more
  Clock::time_point finish_by_{};

  TableLink link_;
  WriterName own_name_;  // where there is no spill to keep one
  Collection collection_;
  std::unique_ptr<Spill> spill_;
  SharedBatch in_hand_;  // has its number and is nowhere else
  int broken_tries_ = 0;
  Clock::time_point next_collect_{};
  Clock::time_point next_batch_{};
  Clock::time_point collected_by_{};  // when the collection should be written
  Clock::time_point next_retention_{};
  Clock::time_point next_spill_try_{};
  WriterStatus status_;
};

}  // namespace sluice::audit
