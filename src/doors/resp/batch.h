// Calls of CL.THROTTLE that follow one another, decided together and answered in order: the store fetches the memory of
// all buckets before it needs the first. One for each event loop. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>

#include "doors/desk.h"
#include "doors/resp/reply.h"
#include "doors/resp/throttle.h"
#include "limiter/worker.h"

namespace sluice::doors::resp {

class Batch {
 public:
  bool is_empty() const { return count_ == 0; }
  bool is_full() const { return count_ == stores::Store::kMaxTakes; }

  // The key's bytes and the limit must stay until the batch is answered. REQUIRES: not full.
  void add(const Throttle& throttle, Dialect dialect, const Limit* limit) {
    takes_[count_] = limiter::NamedBucket{throttle.key, limit, throttle.cost()}.take();
    capacities_[count_] = throttle.numbers.capacity;
    dialects_[count_++] = dialect;
  }

  // Takes, replies, and is empty then.
  void answer(Desk& desk, Instant now, Reply& reply);

 private:
  size_t count_ = 0;
  std::array<Take, stores::Store::kMaxTakes> takes_;
  std::array<stores::BucketResult, stores::Store::kMaxTakes> results_;
  std::array<int64_t, stores::Store::kMaxTakes> capacities_{};
  std::array<Dialect, stores::Store::kMaxTakes> dialects_{};
};

}  // namespace sluice::doors::resp
