// What a caller is told about one request.
#pragma once

#include "sluice/units.h"

namespace sluice {

enum class Verdict : uint8_t {
  kAllowed,
  kLimited,              // not now; retry_after says when
  kCostExceedsCapacity,  // never: the cost is larger than the bucket
};

struct Decision {
  Verdict verdict = Verdict::kAllowed;
  // Tokens left after the take; when rejected, tokens there now.
  Tokens remaining;
  // How long to wait before the same request passes, if nobody else comes first. Exact. Zero when allowed,
  // kForever when it never can.
  Duration retry_after;
  // Leaky queue only: how long to hold an admitted request before letting it go.
  Duration delay;
  // When several buckets were asked: the one this decision speaks of (the longest wait, or else the fewest remaining).
  uint32_t bucket = 0;

  // A copy made part by part. Where a decision was just computed this is faster: the compiler copies whole structures
  // in larger pieces than they were written in, and the processor must wait for the pieces to meet.
  Decision by_parts() const { return {verdict, remaining, retry_after, delay, bucket}; }
  void assign_parts(const Decision& from) {
    verdict = from.verdict;
    remaining = from.remaining;
    retry_after = from.retry_after;
    delay = from.delay;
    bucket = from.bucket;
  }

  bool allowed() const { return verdict == Verdict::kAllowed; }
  explicit operator bool() const { return allowed(); }
};

}  // namespace sluice
