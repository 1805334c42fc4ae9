// The way to a table that may be away: opened when it is needed, given up when it fails, tried again after a while.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>

#include "audit/violation_table.h"
#include "sql/outcome.h"

namespace sluice::audit {

// Called on the writer's thread, which may outlive the Writer where a table hangs: it must own what it needs.
using OpenTable = std::function<sql::Outcome<std::unique_ptr<ViolationTable>>()>;

// For one thread.
class TableLink {
 public:
  using Clock = std::chrono::steady_clock;
  struct BackOff {
    std::chrono::milliseconds first{100};  // twice as long after each failure, and up to a half more or less by chance
    std::chrono::milliseconds longest{30'000};
  };

  TableLink(OpenTable open, const BackOff& back_off)
      : open_(std::move(open)), back_off_(back_off), random_(std::random_device()()) {}

  // Not to be asked before retry_at().
  bool may_try(Clock::time_point now) const { return now >= retry_at_; }
  Clock::time_point retry_at() const { return retry_at_; }

  // The table, opened if it is not. The slow part: every call of it is.
  sql::Outcome<ViolationTable*> table();

  void worked() { wait_ = {}; }
  // It is closed, and tried again only after a while.
  void failed(Clock::time_point now);

 private:
  const OpenTable open_;
  const BackOff back_off_;
  std::minstd_rand random_;
  std::unique_ptr<ViolationTable> table_;
  std::chrono::milliseconds wait_{};
  Clock::time_point retry_at_{};
};

}  // namespace sluice::audit
