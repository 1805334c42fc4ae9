// A scenario file as typed values: limits, timed requests, expected decisions. docs/scenarios.md describes the format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/units.h"

namespace sluice::scenario {

struct NamedLimit {
  std::string name;
  Limit limit;
};

// One bucket that a request asks, and how much of it. A bucket is known by its limit's name and its key.
struct Take {
  std::string limit_name;
  std::string key;
  Limit limit;
  Tokens cost = kOneToken;
};

enum class Operation : uint8_t { kTake, kPeek, kRefund, kChange };

enum class Wait : uint8_t { kRetryAfter, kResetAfter, kDelay };

// A wait that is expected to be `value` once it is rounded up to whole `unit`s.
struct ExpectedWait {
  std::string field;
  Wait which = Wait::kRetryAfter;
  Duration value;
  Duration unit;
};

// Tokens that are expected to be `value` once they are rounded down to whole `unit`s.
struct ExpectedTokens {
  std::string field;
  Tokens value;
  Tokens unit;
};

struct ExpectedCounts {
  int64_t allowed = 0;
  int64_t rejected = 0;
};

// Only what a file spells out is expected. For repeated requests everything but the counts speaks of the last one.
struct Expectation {
  std::optional<bool> allowed;
  std::optional<ExpectedCounts> counts;
  std::optional<Verdict> reason;
  std::optional<uint32_t> bucket;  // which of the step's takes names the decision
  std::vector<ExpectedTokens> tokens;
  std::vector<ExpectedWait> waits;
};

struct Step {
  Instant at;
  Operation operation = Operation::kTake;
  std::vector<Take> takes;            // empty for a change
  std::optional<NamedLimit> changed;  // for a change alone
  int64_t repeat = 1;
  Duration every;  // between repeated requests
  Expectation expect;
};

struct Scenario {
  std::string name;
  std::string why;
  std::vector<int> laws;
  std::vector<NamedLimit> limits;
  std::vector<Step> steps;
};

}  // namespace sluice::scenario
