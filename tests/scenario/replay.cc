#include "scenario/replay.h"

#include <algorithm>

namespace sluice::scenario {
namespace {

int64_t divide_up(int64_t value, int64_t unit) { return value / unit + (value % unit > 0); }

std::string text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllowed: return "allowed";
    case Verdict::kLimited: return "limited";
    case Verdict::kCostExceedsCapacity: return "cost_exceeds_capacity";
  }
  return "";
}

std::string text_of(bool allowed) { return allowed ? "true" : "false"; }

std::string text_of(const ExpectedCounts& counts) {
  return std::to_string(counts.allowed) + " allowed and " + std::to_string(counts.rejected) + " rejected";
}

std::string text_of_wait(Duration wait, Duration unit) {
  return wait == kForever ? "never" : std::to_string(divide_up(wait.ns, unit.ns));
}

Duration wait_of(const Answer& answer, Wait which) {
  switch (which) {
    case Wait::kRetryAfter: return answer.decision.retry_after;
    case Wait::kResetAfter: return answer.reset_after;
    case Wait::kDelay: return answer.decision.delay;
  }
  return {};
}

// Compares one step's answers with what it expects, field by field.
class Comparison {
 public:
  Comparison(size_t step, Precision precision) : step_(step), precision_(precision) {}

  void compare(const Step& step, const Answer& last, const ExpectedCounts& counts) {
    const Expectation& expect = step.expect;
    const Decision& decision = last.decision;
    if (expect.counts) note("allowed", text_of(*expect.counts), text_of(counts));
    if (expect.allowed) note("allowed", text_of(*expect.allowed), text_of(decision.allowed()));
    if (expect.reason) note("reason", text_of(*expect.reason), text_of(decision.verdict));
    if (expect.bucket) note("bucket", step.takes[*expect.bucket].limit_name, name_of_bucket(step, decision.bucket));
    for (const ExpectedTokens& tokens : expect.tokens) compare(tokens, decision.remaining);
    for (const ExpectedWait& wait : expect.waits) compare(wait, wait_of(last, wait.which));
  }

  std::vector<Mismatch> take_mismatches() { return std::move(mismatches_); }

 private:
  static std::string name_of_bucket(const Step& step, uint32_t bucket) {
    return bucket < step.takes.size() ? step.takes[bucket].limit_name : "none of this request";
  }

  // Both sides are put at the coarser of the field's unit and the home's precision.
  void compare(const ExpectedTokens& expected, Tokens got) {
    const int64_t unit = std::max(expected.unit, precision_.tokens).micros();
    note(expected.field, std::to_string(expected.value.micros() / unit), std::to_string(got.micros() / unit));
  }

  void compare(const ExpectedWait& expected, Duration got) {
    const Duration unit = std::max(expected.unit, precision_.time);
    note(expected.field, text_of_wait(expected.value, unit), text_of_wait(got, unit));
  }

  void note(const std::string& field, const std::string& expected, const std::string& got) {
    if (expected != got) mismatches_.push_back({step_, field, expected, got});
  }

  size_t step_;
  Precision precision_;
  std::vector<Mismatch> mismatches_;
};

void run(const Step& step, Home& home, Comparison& comparison) {
  if (step.operation == Operation::kChange) {
    home.define(*step.changed);
    return;
  }
  if (step.operation == Operation::kRefund) home.refund(step.takes, step.at);
  Answer last;
  ExpectedCounts counts;
  for (int64_t i = 0; i < step.repeat; ++i) {
    const Instant now = step.at + Duration(i * step.every.ns);
    // After a refund, a look at the bucket shows what came of it.
    last = step.operation == Operation::kTake ? home.take(step.takes, now) : home.peek(step.takes, now);
    (last.decision.allowed() ? counts.allowed : counts.rejected) += 1;
  }
  comparison.compare(step, last, counts);
}

}  // namespace

std::vector<Mismatch> replay(const Scenario& scenario, Home& home) {
  for (const NamedLimit& limit : scenario.limits) home.define(limit);
  for (size_t i = 0; i < scenario.steps.size(); ++i) {
    Comparison comparison(i + 1, home.precision());
    run(scenario.steps[i], home, comparison);
    std::vector<Mismatch> mismatches = comparison.take_mismatches();
    if (!mismatches.empty()) return mismatches;
  }
  return {};
}

std::string describe(const Mismatch& mismatch, const std::string& file, const std::string& home) {
  return file + ": step " + std::to_string(mismatch.step) + " in " + home + ": " + mismatch.field + ": expected " +
         mismatch.expected + ", got " + mismatch.got;
}

}  // namespace sluice::scenario
