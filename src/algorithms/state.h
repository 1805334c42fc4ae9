// What is remembered of a bucket, and what a decision about it yields. Freestanding.
#pragma once

#include "sluice/decision.h"
#include "sluice/units.h"

namespace sluice {

// `spent` millionths of a token were missing from full at `since`, and come back at `pace` (see pace.h).
// A bucket of which nothing is missing equals one never seen: all zero (law 8).
struct BucketState {
  int64_t spent = 0;
  int64_t since_ns = 0;
  uint16_t pace = 0;

  friend constexpr bool operator==(const BucketState& a, const BucketState& b) {
    return a.spent == b.spent && a.since_ns == b.since_ns && a.pace == b.pace;
  }
};

struct Outcome {
  Decision decision;
  BucketState state;
  // Whether `state` differs from what was given and must be kept. A rejection changes nothing, except that it
  // carries a bucket over to a limit that was changed meanwhile.
  bool changed = false;
};

}  // namespace sluice
