// The port behind which violations are kept: sqlite/ and postgres/ are its implementations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "audit/violation.h"
#include "sql/outcome.h"

namespace sluice::audit {

// A writer is remembered for so much longer than what it wrote: clocks of servers and databases differ by less.
inline constexpr int64_t kWriterSpareUs = 86'400'000'000;

// One connection. Used by one thread at a time; every call is bounded in time.
class ViolationTable {
 public:
  virtual ~ViolationTable() = default;

  // All in one transaction. A batch whose number is not above the latest of its writer was written before: it is left
  // out, and that is no fault. After kAway it may have been written or not: hand it over again.
  virtual sql::Outcome<sql::Done> append(const Batch& batch) = 0;

  // The newest first, `most` at most.
  virtual sql::Outcome<std::vector<Violation>> list(const ViolationFilter& filter, const std::optional<Cursor>& after,
                                                    size_t most) = 0;

  // Retention. The first also forgets writers whose latest batch is older by kWriterSpareUs: what they might still hand
  // over again is as old, and would be removed at once. Each removes `most` rows at most, the oldest first, and returns
  // how many: ask again until it is fewer.
  virtual sql::Outcome<size_t> remove_before(int64_t requested_at_us, size_t most) = 0;
  virtual sql::Outcome<size_t> remove_beyond(uint64_t rows, size_t most) = 0;
};

}  // namespace sluice::audit
