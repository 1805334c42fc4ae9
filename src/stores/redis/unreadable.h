// Buckets whose state in Redis cannot be read, since a later Sluice wrote it, or somebody else: how often one was met,
// and which was the last. Noted by one thread, read by any.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "telemetry/counter.h"

namespace sluice::redis_store {

class Unreadable {
 public:
  void note(std::string_view bucket) {
    count_.add();
    const std::lock_guard lock(mutex_);
    last_ = bucket;
  }

  uint64_t count() const { return count_.value(); }
  // Its name in Redis; empty if there was none.
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  telemetry::Counter count_;
  mutable std::mutex mutex_;  // for last_
  std::string last_;
};

}  // namespace sluice::redis_store
