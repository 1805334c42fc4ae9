// Rows, and the rejections that they stand for.
#pragma once

#include <cstdint>

#include "audit/violation.h"

namespace sluice::audit {

struct Tally {
  uint64_t rows = 0;
  uint64_t rejections = 0;

  static Tally of(const Batch& batch) {
    Tally tally{batch.violations.size(), 0};
    for (const Violation& violation : batch.violations) tally.rejections += violation.count;
    return tally;
  }
  Tally& operator+=(const Tally& more) {
    rows += more.rows;
    rejections += more.rejections;
    return *this;
  }
  Tally& operator-=(const Tally& fewer) {
    rows -= fewer.rows;
    rejections -= fewer.rejections;
    return *this;
  }
  friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace sluice::audit
