// Limits for one of several servers while none of them can ask the store: each lets its part pass, so that together
// they let about as much pass as the rule says. Remembers those it made. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "sluice/limit.h"

namespace sluice::limiter {

// The limit with its capacity and rate divided by `peers`; a capacity of at least one token is not divided below one.
Limit share_of(const Limit& limit, uint32_t peers);

class LocalShares {
 public:
  // For one request: how many servers there are now.
  void begin(uint32_t peers);
  // Valid until the next begin().
  const Limit& of(const Limit& limit);

 private:
  struct Hash {
    size_t operator()(const Limit& limit) const;
  };
  static constexpr size_t kMost = 4096;  // before a request; rules that were replaced leave theirs behind

  uint32_t peers_ = 1;
  std::unordered_map<Limit, Limit, Hash> shares_;
};

}  // namespace sluice::limiter
